import { describe, expect, test } from 'vitest';
import { bitArray } from '../../../core/codec/bitArray.ts';
import { decodeEvidenceList } from '../../../core/codec/evidence.ts';
import {
  decodeBlocksyncMessage,
  decodeConsensusMessage,
  decodeEvidenceMessage,
  decodeTxsMessage,
  encodeBlocksyncMessage,
  encodeConsensusMessage,
  encodeEvidenceMessage,
  encodeTxsMessage,
  hasFittingLastCommitRound,
} from '../../../core/codec/messages.ts';
import { BLOCKSYNC_MESSAGE, CONSENSUS_MESSAGE } from '../../../core/codec/messageTables.ts';
import { decode, encode } from '../../../core/codec/proto.ts';
import { BitSet } from '../../../core/lib/bitset.ts';
import { concat, EMPTY, hex, toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { ZERO_BLOCK_ID } from '../../../core/types/block.ts';
import type { ConsensusMessage } from '../../../core/types/messages.ts';
import type { Proposal, Vote } from '../../../core/types/vote.ts';
import { type Any, time, vectors } from './vectors.ts';

const file: Any[] = vectors('cometbft/wire-messages.json');
const vector = (name: string, at = 0): string => file.filter((one) => one.name === name)[at].hex;

const goHash = encodeUtf8('add_more_exclamation_marks_code-');
const blockId = { hash: goHash, parts: { total: 1, hash: goHash } };
const address = encodeUtf8('add_more_exclamation');
const timestamp = time('2018-08-30T12:00:00Z');
const oneBit = new BitSet(1);

const vote: Vote = {
  type: 'precommit',
  height: 1,
  round: 0,
  blockId,
  timestamp,
  validatorAddress: address,
  validatorIndex: 1,
  signature: EMPTY,
  extension: EMPTY,
  extensionSignature: EMPTY,
};
const signedVote: Vote = { ...vote, signature: new Uint8Array(64).fill(1) };
const proposal: Proposal = { height: 1, round: 1, polRound: 1, blockId, timestamp, signature: address };
const proof = { total: 1, index: 1, leafHash: goHash, aunts: [] };

/** The messages of CometBFT's own tests; some of them it would not accept from a peer. */
const GOLDEN: readonly (readonly [name: string, message: ConsensusMessage])[] = [
  [
    'NewRoundStep',
    { kind: 'newRoundStep', height: 1, round: 1, step: 1, secondsSinceStart: 1, lastCommitRound: 1 },
  ],
  [
    'NewValidBlock',
    { kind: 'newValidBlock', height: 1, round: 1, parts: blockId.parts, bits: oneBit, isCommit: false },
  ],
  ['Proposal', { kind: 'proposal', proposal }],
  ['ProposalPol', { kind: 'proposalPol', height: 1, polRound: 1, bits: new BitSet(0) }],
  [
    'BlockPart',
    { kind: 'blockPart', height: 1, round: 1, part: { index: 1, bytes: encodeUtf8('test'), proof } },
  ],
  ['Vote_without_ext', { kind: 'vote', vote }],
  ['Vote_with_ext', { kind: 'vote', vote: { ...vote, extension: encodeUtf8('extension') } }],
  ['HasVote', { kind: 'hasVote', height: 1, round: 1, type: 'prevote', index: 1 }],
  ['VoteSetMaj23', { kind: 'voteSetMaj23', height: 1, round: 1, type: 'prevote', blockId }],
  ['VoteSetBits', { kind: 'voteSetBits', height: 1, round: 1, type: 'prevote', blockId, bits: oneBit }],
];

describe('the bytes of CometBFT', () => {
  test.each(GOLDEN)('%s', (name, message) => {
    expect(toHex(encodeConsensusMessage(message))).toBe(vector(name));
    expect(decode(CONSENSUS_MESSAGE, hex(vector(name)))).toEqual({ ok: true, value: message });
  });

  test.each([
    ['BlockRequestMessage', { kind: 'blockRequest', height: 1 }],
    ['NoBlockResponseMessage', { kind: 'noBlockResponse', height: 1 }],
    ['StatusRequestMessage', { kind: 'statusRequest' }],
    ['StatusResponseMessage', { kind: 'statusResponse', height: 1, base: 2 }],
  ] as const)('%s', (name, message) => {
    expect(toHex(encodeBlocksyncMessage(message))).toBe(vector(name));
    expect(decode(BLOCKSYNC_MESSAGE, hex(vector(name)))).toEqual({ ok: true, value: message });
  });

  test('heights that are not safe integers are refused by name', () => {
    for (const bytes of [vector('NewRoundStep Max'), vector('HasVote', 1)].map(hex)) {
      const decoded = decodeConsensusMessage(bytes);
      expect(decoded).toMatchObject({ ok: false, error: { code: 'codec', limit: Number.MAX_SAFE_INTEGER } });
      expect(decoded.ok ? '' : decoded.error.field).toMatch(/^(NewRoundStep|HasVote)\.height$/);
    }
    expect(decodeBlocksyncMessage(hex(vector('BlockRequestMessage', 1))).ok).toBe(false);
  });

  test('transactions', () => {
    for (const [name, tx] of [
      ['tx 1', Uint8Array.of(0x7b)],
      ['tx 2', encodeUtf8('proto encoding in mempool')],
    ] as const) {
      expect(toHex(encodeTxsMessage({ txs: [tx] }))).toBe(vector(name));
      expect(decodeTxsMessage(hex(vector(name)))).toEqual({ ok: true, value: { txs: [tx] } });
    }
  });

  test('an evidence list', () => {
    const bytes = hex(vector('DuplicateVoteEvidence'));
    const decoded = decodeEvidenceList(bytes);
    if (!decoded.ok) throw new Error(decoded.error.message);
    expect(decoded.value).toHaveLength(1);
    expect(encodeEvidenceMessage(decoded.value)).toEqual(bytes);
    // Go's test votes are not signed, so a receiver refuses them.
    const refused = { field: 'EvidenceList.evidence[0].vote_a.signature' };
    expect(decodeEvidenceMessage(bytes)).toMatchObject({ ok: false, error: refused });
  });

  test('a block response', () => {
    // Go's test block has no last commit; every real block has one, so ours is refused by name.
    const decoded = decodeBlocksyncMessage(hex(vector('BlockResponseMessage')));
    expect(decoded).toMatchObject({ ok: false, error: { field: 'Block.last_commit' } });
  });
});

describe('a receiver refuses', () => {
  const step = {
    kind: 'newRoundStep',
    height: 1,
    round: 0,
    step: 1,
    secondsSinceStart: 0,
    lastCommitRound: 0,
  } as const;
  const valid = {
    kind: 'newValidBlock',
    height: 1,
    round: 0,
    parts: blockId.parts,
    bits: oneBit,
    isCommit: true,
  } as const;
  const pol = { kind: 'proposalPol', height: 1, polRound: 0, bits: oneBit } as const;
  const full = new Uint8Array(65536);
  const part = { index: 0, bytes: full, proof: { total: 2, index: 0, leafHash: goHash, aunts: [goHash] } };
  const blockPart = { kind: 'blockPart', height: 1, round: 0, part } as const;
  const hasVote = { kind: 'hasVote', height: 1, round: 0, type: 'prevote', index: 0 } as const;
  const maj = { kind: 'voteSetMaj23', height: 1, round: 0, type: 'prevote', blockId } as const;
  const halfId = { hash: goHash, parts: { total: 0, hash: EMPTY } };
  const bits = { ...maj, kind: 'voteSetBits', bits: oneBit } as const;
  const extended = { ...signedVote, extension: Uint8Array.of(1), extensionSignature: address };

  test.each<readonly [string, ConsensusMessage]>([
    ['a step', step],
    ['a step with no last commit', { ...step, lastCommitRound: -1 }],
    ['a valid block', valid],
    ['a proof of lock', pol],
    ['a part', blockPart],
    [
      'a last part',
      {
        ...blockPart,
        part: { ...part, index: 1, bytes: full.subarray(1), proof: { ...part.proof, index: 1 } },
      },
    ],
    ['a vote', { kind: 'vote', vote: signedVote }],
    ['a nil vote', { kind: 'vote', vote: { ...signedVote, blockId: ZERO_BLOCK_ID } }],
    ['an extended vote', { kind: 'vote', vote: extended }],
    [
      'a vote of the longest extension',
      { kind: 'vote', vote: { ...extended, extension: new Uint8Array(2 ** 20) } },
    ],
    ['a proposal', { kind: 'proposal', proposal }],
    ['has-vote', hasVote],
    ['a claim for nil', { ...maj, blockId: ZERO_BLOCK_ID }],
    ['bits', { ...bits, bits: new BitSet(10000) }],
    ['no bits at all', { ...bits, bits: new BitSet(0) }],
  ])('nothing of %s', (_name, message) => {
    const decoded = decodeConsensusMessage(encodeConsensusMessage(message));
    expect(decoded).toEqual({ ok: true, value: message });
  });

  test.each<readonly [string, ConsensusMessage]>([
    ['NewRoundStep.height', { ...step, height: -1 }],
    ['NewRoundStep.round', { ...step, round: -1 }],
    ['NewRoundStep.step', { ...step, step: 0 }],
    ['NewRoundStep.step', { ...step, step: 9 }],
    ['NewRoundStep.last_commit_round', { ...step, lastCommitRound: -2 }],
    ['NewValidBlock.height', { ...valid, height: -1 }],
    ['NewValidBlock.block_parts', { ...valid, bits: new BitSet(0) }],
    ['NewValidBlock.block_parts', { ...valid, bits: new BitSet(2) }],
    ['BitArray.bits', { ...valid, bits: new BitSet(1602), parts: { total: 1602, hash: goHash } }],
    ['NewValidBlock.block_part_set_header', { ...valid, parts: { total: 1, hash: Uint8Array.of(1) } }],
    ['ProposalPOL.proposal_pol', { ...pol, bits: new BitSet(0) }],
    ['ProposalPOL.proposal_pol_round', { ...pol, polRound: -1 }],
    ['BitArray.bits', { ...pol, bits: new BitSet(10001) }],
    ['BlockPart.height', { ...blockPart, height: -1 }],
    ['Part.bytes', { ...blockPart, part: { ...part, bytes: new Uint8Array(65537) } }],
    ['part.bytes', { ...blockPart, part: { ...part, bytes: full.subarray(1) } }],
    ['part.proof.index', { ...blockPart, part: { ...part, proof: { ...part.proof, index: 1 } } }],
    ['part.proof.leaf_hash', { ...blockPart, part: { ...part, proof: { ...part.proof, leafHash: EMPTY } } }],
    ['part.proof.aunts', { ...blockPart, part: { ...part, proof: { ...part.proof, aunts: [EMPTY] } } }],
    [
      'Proof.aunts',
      { ...blockPart, part: { ...part, proof: { ...part.proof, aunts: new Array(101).fill(goHash) } } },
    ],
    ['vote.height', { kind: 'vote', vote: { ...signedVote, height: 0 } }],
    ['vote.round', { kind: 'vote', vote: { ...signedVote, round: -1 } }],
    ['vote.block_id', { kind: 'vote', vote: { ...signedVote, blockId: halfId } }],
    ['vote.validator_address', { kind: 'vote', vote: { ...signedVote, validatorAddress: EMPTY } }],
    ['vote.validator_index', { kind: 'vote', vote: { ...signedVote, validatorIndex: -1 } }],
    ['vote.signature', { kind: 'vote', vote }],
    ['Vote.signature', { kind: 'vote', vote: { ...vote, signature: new Uint8Array(65) } }],
    ['Vote.extension', { kind: 'vote', vote: { ...extended, extension: new Uint8Array(2 ** 20 + 1) } }],
    ['vote.extension', { kind: 'vote', vote: { ...extended, type: 'prevote' } }],
    ['vote.extension', { kind: 'vote', vote: { ...extended, blockId: ZERO_BLOCK_ID } }],
    ['vote.extension_signature', { kind: 'vote', vote: { ...extended, extensionSignature: EMPTY } }],
    ['proposal.round', { kind: 'proposal', proposal: { ...proposal, round: -1 } }],
    ['Proposal', { kind: 'proposal', proposal: { ...proposal, polRound: -2 } }],
    ['proposal.block_id', { kind: 'proposal', proposal: { ...proposal, blockId: ZERO_BLOCK_ID } }],
    ['proposal.signature', { kind: 'proposal', proposal: { ...proposal, signature: EMPTY } }],
    ['HasVote.index', { ...hasVote, index: -1 }],
    ['HasVote.round', { ...hasVote, round: -1 }],
    ['VoteSetMaj23.block_id', { ...maj, blockId: halfId }],
    ['VoteSetBits.block_id', { ...bits, blockId: halfId }],
    ['BitArray.bits', { ...bits, bits: new BitSet(10001) }],
  ])('%s', (field, message) => {
    const decoded = decodeConsensusMessage(encodeConsensusMessage(message));
    expect(decoded).toMatchObject({ ok: false, error: { code: 'codec', field } });
  });

  test('bit arrays whose elements do not fit their bits', () => {
    const shape = bitArray(10000);
    for (const text of [
      '0801',
      '0840120200',
      '08411201ff01',
      '120100',
      '08011202ff',
      '08011203000001',
      '0800',
      '0801120100ff',
    ]) {
      expect(decode(shape, hex(text)).ok, text).toBe(false);
    }
    // Bits past the last are cleared: Go's complement sets them.
    const decoded = decode(shape, hex(`0803120a${'ff'.repeat(9)}01`));
    if (!decoded.ok) throw new Error(decoded.error.message);
    expect(decoded.value.toString()).toBe('xxx');
  });

  test('empty lists of transactions, impossible status and evidence that is not evidence', () => {
    expect(decodeTxsMessage(hex('0a00'))).toMatchObject({ ok: false, error: { field: 'Txs.txs' } });
    expect(decodeTxsMessage(EMPTY).ok).toBe(false);
    const many = (count: number, bytes: number): boolean =>
      decodeTxsMessage(encodeTxsMessage({ txs: new Array(count).fill(new Uint8Array(bytes)) })).ok;
    expect([many(1024, 1), many(1025, 1), many(1, 0)]).toEqual([true, false, false]);
    expect(decodeBlocksyncMessage(hex('2a0408011002'))).toMatchObject({ ok: false });
    expect(decodeBlocksyncMessage(encodeBlocksyncMessage({ kind: 'blockRequest', height: -1 })).ok).toBe(
      false,
    );
    const same = { kind: 'duplicate-vote', voteA: signedVote, voteB: signedVote } as const;
    const evidence = { ...same, totalVotingPower: 1n, validatorPower: 1n, timestamp };
    const decoded = decodeEvidenceMessage(encodeEvidenceMessage([evidence]));
    expect(decoded).toMatchObject({ ok: false, error: { field: 'EvidenceList.evidence[0]' } });
  });

  test('two cases in one message, none, or one it does not know', () => {
    const one = encodeConsensusMessage(hasVote);
    expect(decodeConsensusMessage(concat(one, one)).ok).toBe(false);
    expect(decodeConsensusMessage(EMPTY).ok).toBe(false);
    expect(decodeConsensusMessage(hex('5200')).ok).toBe(false);
  });
});

describe('unknown fields', () => {
  const unknown = hex('7a0101');
  const inner = encode(CONSENSUS_MESSAGE, { kind: 'vote', vote: signedVote });

  test('of a message from a peer are stepped over, on each level of it', () => {
    const content = inner.subarray(3);
    expect(toHex(inner.subarray(0, 1))).toBe('32');
    const grown = concat(content, unknown);
    const message = concat(
      Uint8Array.of(0x32, (grown.length & 127) | 128, grown.length >> 7),
      grown,
      unknown,
    );
    expect(decodeConsensusMessage(message)).toEqual({ ok: true, value: { kind: 'vote', vote: signedVote } });
  });

  test('of evidence are refused: its bytes are hashed', () => {
    const bytes = concat(hex(vector('DuplicateVoteEvidence')), unknown);
    expect(decodeEvidenceMessage(bytes)).toMatchObject({ ok: false, error: { field: 'EvidenceList' } });
  });
});

test('only at the initial height a peer has no last commit round', () => {
  const step = (height: number, lastCommitRound: number) =>
    ({ kind: 'newRoundStep', height, round: 0, step: 1, secondsSinceStart: 0, lastCommitRound }) as const;
  expect(hasFittingLastCommitRound(step(10, -1), 10)).toBe(true);
  expect(hasFittingLastCommitRound(step(10, 0), 10)).toBe(false);
  expect(hasFittingLastCommitRound(step(11, 0), 10)).toBe(true);
  expect(hasFittingLastCommitRound(step(11, -1), 10)).toBe(false);
  expect(hasFittingLastCommitRound(step(9, 0), 10)).toBe(false);
});
