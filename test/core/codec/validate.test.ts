import { describe, expect, test } from 'vitest';
import {
  commitHash,
  dataHash,
  evidenceListHash,
  headerHash,
  validatorsHash,
} from '../../../core/codec/hashes.ts';
import { encode } from '../../../core/codec/proto.ts';
import {
  validateBlockBasic,
  validateEvidenceBasic,
  validateHeaderBasic,
} from '../../../core/codec/validate.ts';
import { validateParamsBasic } from '../../../core/codec/validateParams.ts';
import { decodeValidatorSet, VALIDATOR_SET_WIRE } from '../../../core/codec/validator.ts';
import { ed25519Address } from '../../../core/crypto/addresses.ts';
import { EMPTY } from '../../../core/lib/bytes.ts';
import { type Block, type CommitSig, ZERO_BLOCK_ID } from '../../../core/types/block.ts';
import type { LightClientAttackEvidence } from '../../../core/types/evidence.ts';
import { ZERO_TIME } from '../../../core/types/ids.ts';
import { type ConsensusParams, DEFAULT_PARAMS } from '../../../core/types/params.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import { type Any, blockOf, vectors } from './vectors.ts';

const blocks: Block[] = vectors('cometbft/block-hashes.json').real_blocks.map((one: Any) =>
  blockOf(one.block_json),
);
const block = blocks.at(-1) as Block;
const { header, lastCommit } = block;
const field = (result: { ok: boolean; error?: { field: string } }): string =>
  result.error?.field ?? 'accepted';

/** The block with its contents changed and its header made to fit them. */
const refit = (change: Partial<Block>): Block => {
  const changed = { ...block, ...change };
  const fitted = {
    ...changed.header,
    lastCommitHash: commitHash(changed.lastCommit),
    dataHash: dataHash(changed.txs),
    evidenceHash: evidenceListHash(changed.evidence),
  };
  return { ...changed, header: fitted };
};

describe('a block is refused', () => {
  test.each<readonly [string, Block]>([
    ['accepted', refit({})],
    ['header.version.block', { ...block, header: { ...header, version: { block: 10, app: 0 } } }],
    ['header.chain_id', { ...block, header: { ...header, chainId: 'x'.repeat(51) } }],
    ['header.height', { ...block, header: { ...header, height: 0 } }],
    [
      'header.last_block_id.hash',
      { ...block, header: { ...header, lastBlockId: { ...ZERO_BLOCK_ID, hash: new Uint8Array(20) } } },
    ],
    ['header.validators_hash', { ...block, header: { ...header, validatorsHash: new Uint8Array(31) } }],
    ['header.proposer_address', { ...block, header: { ...header, proposerAddress: new Uint8Array(19) } }],
    ['header.data_hash', { ...block, txs: [Uint8Array.of(1)] }],
    ['header.evidence_hash', { ...block, evidence: [] }],
    [
      'header.last_commit_hash',
      { ...block, lastCommit: { ...lastCommit, signatures: lastCommit.signatures.slice(1) } },
    ],
    ['commit.block_id', refit({ lastCommit: { ...lastCommit, blockId: ZERO_BLOCK_ID } })],
    ['commit.round', refit({ lastCommit: { ...lastCommit, round: -1 } })],
    ['commit.height', refit({ lastCommit: { ...lastCommit, height: -1 } })],
    ['commit.signatures', refit({ lastCommit: { ...lastCommit, signatures: [] } })],
  ])('at %s', (expected, given) => {
    expect(field(validateBlockBasic(given))).toBe(expected);
  });

  const present = lastCommit.signatures[0] as CommitSig;
  const absent: CommitSig = {
    flag: 'absent',
    validatorAddress: EMPTY,
    timestamp: ZERO_TIME,
    signature: EMPTY,
  };
  test.each<readonly [string, CommitSig]>([
    ['accepted', absent],
    ['accepted', { ...present, flag: 'nil' }],
    ['commit.signatures[0].validator_address', { ...absent, validatorAddress: present.validatorAddress }],
    ['commit.signatures[0].timestamp', { ...absent, timestamp: present.timestamp }],
    ['commit.signatures[0].signature', { ...absent, signature: present.signature }],
    ['commit.signatures[0].validator_address', { ...present, validatorAddress: EMPTY }],
    ['commit.signatures[0].signature', { ...present, signature: EMPTY }],
    ['commit.signatures[0].signature', { ...present, signature: new Uint8Array(65) }],
  ])('for a commit signature at %s', (expected, sig) => {
    const signatures = [sig, ...lastCommit.signatures.slice(1)];
    expect(field(validateBlockBasic(refit({ lastCommit: { ...lastCommit, signatures } })))).toBe(expected);
  });

  test('for evidence whose votes are in the wrong order', () => {
    const [evidence] = block.evidence;
    if (evidence?.kind !== 'duplicate-vote') throw new Error('the last recorded block has no duplicate vote');
    const swapped = { ...evidence, voteA: evidence.voteB, voteB: evidence.voteA };
    expect(field(validateBlockBasic(refit({ evidence: [swapped] })))).toBe('evidence[0]');
    expect(field(validateBlockBasic(refit({ evidence: [{ ...evidence, voteB: evidence.voteA }] })))).toBe(
      'evidence[0]',
    );
  });
});

test('a header may name no last block and any app hash', () => {
  const first = {
    ...header,
    lastBlockId: ZERO_BLOCK_ID,
    lastCommitHash: EMPTY,
    appHash: new Uint8Array(100),
  };
  expect(validateHeaderBasic(first).ok).toBe(true);
});

describe('light client attack evidence', () => {
  const pubKey = { type: 'ed25519', bytes: new Uint8Array(32).fill(3) } as const;
  const validator = { address: ed25519Address(pubKey.bytes), pubKey, power: 1n, priority: 0n };
  const validators: ValidatorSet = { validators: [validator], totalPower: 1n, proposer: validator };
  const conflicting = { ...header, validatorsHash: validatorsHash(validators) };
  const blockId = { hash: headerHash(conflicting), parts: { total: 1, hash: new Uint8Array(32) } };
  const commit = { ...lastCommit, height: header.height, blockId };
  const evidence: LightClientAttackEvidence = {
    kind: 'light-client-attack',
    conflictingBlock: { header: conflicting, commit, validators },
    commonHeight: 1,
    byzantineValidators: [],
    totalVotingPower: 1n,
    timestamp: header.time,
  };

  test.each<readonly [string, Partial<LightClientAttackEvidence>]>([
    ['accepted', {}],
    ['evidence.total_voting_power', { totalVotingPower: 0n }],
    ['evidence.common_height', { commonHeight: 0 }],
    ['evidence.common_height', { commonHeight: header.height + 1 }],
    [
      'evidence.conflicting_block',
      {
        conflictingBlock: {
          header: conflicting,
          validators,
          commit: { ...commit, height: header.height + 1 },
        },
      },
    ],
    [
      'evidence.conflicting_block.commit.block_id',
      {
        conflictingBlock: {
          header: conflicting,
          validators,
          commit: { ...commit, blockId: lastCommit.blockId },
        },
      },
    ],
    [
      'evidence.conflicting_block.validator_set',
      { conflictingBlock: { header: conflicting, commit, validators: { ...validators, validators: [] } } },
    ],
  ])('%s', (expected, change) => {
    expect(field(validateEvidenceBasic({ ...evidence, ...change }))).toBe(expected);
  });
});

describe('a set of validators', () => {
  const pubKey = { type: 'ed25519', bytes: new Uint8Array(32).fill(3) } as const;
  const most = 2n ** 60n - 1n;
  const validator = { address: ed25519Address(pubKey.bytes), pubKey, power: most, priority: 0n };
  const set = { validators: [validator], proposer: validator, totalPower: 0n };
  const read = (change: Partial<typeof set>): string => {
    const decoded = decodeValidatorSet(encode(VALIDATOR_SET_WIRE, { ...set, ...change }));
    return decoded.ok ? 'accepted' : decoded.error.message;
  };
  const other = { ...validator, address: new Uint8Array(20) };

  test.each<readonly [string, Partial<typeof set>]>([
    ['accepted', {}],
    ['ValidatorSet: total_voting_power is given', { totalPower: most }],
    ['ValidatorSet: proposer is not among the validators', { proposer: other }],
    ['ValidatorSet: proposer is not among the validators', { proposer: { ...validator, priority: 1n } }],
    [
      `ValidatorSet: total voting power ${most + 1n}, at most ${most} is allowed`,
      { validators: [validator, { ...other, power: 1n }] },
    ],
    ['Validator: voting_power is negative', { validators: [validator, { ...other, power: -1n }] }],
    ['Validator: address is not 20 bytes', { validators: [{ ...other, address: EMPTY }] }],
  ])('%s', (expected, change) => {
    expect(read(change)).toBe(expected);
  });
});

test.each<readonly [string, Partial<ConsensusParams>]>([
  ['accepted', {}],
  ['accepted', { block: { maxBytes: -1, maxGas: 0 } }],
  ['consensus_params.block.max_bytes', { block: { maxBytes: 104857601, maxGas: -1 } }],
  ['consensus_params.block.max_bytes', { block: { maxBytes: -2, maxGas: -1 } }],
  ['consensus_params.block.max_gas', { block: { maxBytes: -1, maxGas: -2 } }],
  [
    'consensus_params.evidence.max_age_num_blocks',
    { evidence: { ...DEFAULT_PARAMS.evidence, maxAgeNumBlocks: 0 } },
  ],
  [
    'consensus_params.evidence.max_age_duration',
    { evidence: { ...DEFAULT_PARAMS.evidence, maxAgeDurationNs: 0n } },
  ],
  ['consensus_params.evidence.max_bytes', { evidence: { ...DEFAULT_PARAMS.evidence, maxBytes: -1 } }],
  ['consensus_params.validator.pub_key_types', { validator: { pubKeyTypes: [] } }],
  ['consensus_params.validator.pub_key_types', { validator: { pubKeyTypes: ['toString'] } }],
  ['consensus_params.abci.vote_extensions_enable_height', { abci: { voteExtensionsEnableHeight: -1 } }],
])('consensus params: %s', (expected, change) => {
  expect(field(validateParamsBasic({ ...DEFAULT_PARAMS, ...change }))).toBe(expected);
});
