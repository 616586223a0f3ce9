import { describe, expect, test } from 'vitest';
import { commitHash, consensusParamsHash, dataHash, evidenceListHash } from '../../../core/codec/hashes.ts';
import { encodeEvidenceMessage } from '../../../core/codec/messages.ts';
import { genesisState, nextState, stateProblem } from '../../../core/consensus/chainState.ts';
import { validateBlock } from '../../../core/consensus/validateBlock.ts';
import {
  ONE_THIRD,
  verifyCommit,
  verifyCommitLight,
  verifyCommitLightTrusting,
} from '../../../core/consensus/verifyCommit.ts';
import { duplicateVoteEvidence } from '../../../core/evidence/pool.ts';
import { ok } from '../../../core/lib/result.ts';
import type { FinalizeReply } from '../../../core/types/app.ts';
import type { Block, Commit, CommitSig, Header } from '../../../core/types/block.ts';
import { DEFAULT_PARAMS } from '../../../core/types/params.ts';
import type { ChainState } from '../../../core/types/state.ts';
import { commitBy } from './harness/byzantine.ts';
import { at, CHAIN_ID, keyedSuite, makeTestBlock, signedVote, testKey, testNet } from './harness/net.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const first = makeTestBlock(net, net.state, 0, []);
const reply: FinalizeReply = {
  txResults: [],
  events: [],
  validatorUpdates: [],
  paramUpdates: undefined,
  appHash: new Uint8Array(32).fill(7),
};

function stateAfter(state: ChainState, results: Partial<FinalizeReply> = {}): ChainState {
  const next = nextState(state, first.blockId, first.block, { ...reply, ...results });
  if (!next.ok) throw new Error(next.error.code);
  return next.value;
}

const state = stateAfter(net.state);
const commit = commitBy(net, net.state, first, [0, 1, 3]);
const second = makeTestBlock(net, state, 1, [], commit);
const check = { chainId: CHAIN_ID, suite: keyedSuite, checkEvidence: () => ok(undefined) };
const failed = (on: ChainState, block: Block): string => {
  const result = validateBlock(on, block, check);
  return result.ok ? 'valid' : result.error.check;
};

describe('state-level validation', () => {
  test('blocks made on a state are valid on it', () => {
    expect(failed(net.state, first.block)).toBe('valid');
    expect(failed(state, second.block)).toBe('valid');
  });

  const changes: readonly (readonly [string, Partial<Header>])[] = [
    ['basic', { dataHash: dataHash([Uint8Array.of(1)]) }],
    ['version', { version: { block: 11, app: 1 } }],
    ['chain_id', { chainId: 'other' }],
    ['height', { height: 3 }],
    ['last_block_id', { lastBlockId: second.blockId }],
    ['app_hash', { appHash: new Uint8Array(32) }],
    ['consensus_hash', { consensusHash: new Uint8Array(32) }],
    ['last_results_hash', { lastResultsHash: new Uint8Array(32) }],
    ['validators_hash', { validatorsHash: new Uint8Array(32) }],
    ['next_validators_hash', { nextValidatorsHash: new Uint8Array(32) }],
    ['proposer_address', { proposerAddress: testKey('stranger').address }],
    ['time', { time: at(3) }],
    ['time', { time: at(0) }],
  ];
  test.each(changes)('refused by %s: %o', (name, change) => {
    expect(failed(state, { ...second.block, header: { ...second.block.header, ...change } })).toBe(name);
  });

  test('evidence may fill its room to the last byte', () => {
    const voteOf = ({ blockId }: typeof first) => signedVote(net, 2, 'prevote', 1, 0, blockId);
    const conflict = {
      voteA: voteOf(first),
      voteB: voteOf(makeTestBlock(net, net.state, 0, [Uint8Array.of(1)])),
    };
    const evidence = [duplicateVoteEvidence(conflict, net.state.validators, first.block.header.time)];
    const header = { ...second.block.header, evidenceHash: evidenceListHash(evidence) };
    const room = (maxBytes: number): ChainState => ({
      ...state,
      params: { ...state.params, evidence: { ...state.params.evidence, maxBytes } },
    });
    const bytes = encodeEvidenceMessage(evidence).length;
    const failedIn = (maxBytes: number): string => {
      const on = room(maxBytes);
      return failed(on, {
        ...second.block,
        evidence,
        header: { ...header, consensusHash: consensusParamsHash(on.params) },
      });
    };
    expect(failedIn(bytes)).toBe('valid');
    expect(failedIn(bytes - 1)).toBe('evidence_bytes');
  });

  test('a last commit below two thirds is refused', () => {
    const signatures = commit.signatures.map((sig, i): CommitSig => (i === 3 ? absent : sig));
    expect(failed(state, withCommit({ ...commit, signatures }))).toBe('last_commit');
  });

  test('the initial block carries no commit and the genesis time', () => {
    expect(failed(net.state, { ...first.block, header: { ...first.block.header, time: at(1) } })).toBe(
      'time',
    );
  });
});

const absent = {
  flag: 'absent',
  validatorAddress: new Uint8Array(0),
  timestamp: { seconds: -62135596800, nanos: 0 },
  signature: new Uint8Array(0),
} as const;

const withCommit = (lastCommit: Commit): Block => ({
  ...second.block,
  header: { ...second.block.header, lastCommitHash: commitHash(lastCommit) },
  lastCommit,
});

describe('commit verification', () => {
  const { validators } = net.state;
  const slots = { chainId: CHAIN_ID, suite: keyedSuite };
  const changed = (index: number, change: Partial<CommitSig>): Commit => ({
    ...commit,
    signatures: commit.signatures.map((sig, i): CommitSig => (i === index ? { ...sig, ...change } : sig)),
  });
  const full = (one: Commit) => verifyCommit(slots, validators, first.blockId, 1, one);
  const light = (one: Commit) => verifyCommitLight(slots, validators, first.blockId, 1, one);

  test('three of four signatures make a commit', () => {
    expect(full(commit)).toEqual(ok(undefined));
    expect(light(commit)).toEqual(ok(undefined));
    expect(verifyCommitLightTrusting(slots, validators, commit, ONE_THIRD)).toEqual(ok(undefined));
  });

  test('each rule has its error', () => {
    expect(full({ ...commit, signatures: [] })).toMatchObject({ error: { code: 'commit-size' } });
    expect(full({ ...commit, height: 2 })).toMatchObject({ error: { code: 'commit-height' } });
    expect(full({ ...commit, blockId: second.blockId })).toMatchObject({
      error: { code: 'commit-block-id' },
    });
    expect(full(changed(0, { signature: new Uint8Array(64) }))).toMatchObject({
      error: { code: 'commit-signature' },
    });
    expect(full(changed(0, absent))).toMatchObject({ error: { code: 'commit-power', got: 20n } });
  });

  test('CSA-2026-001: the address in a slot is the validator of the slot', () => {
    const { address } = validators.validators[1] as { address: Uint8Array };
    expect(full(changed(0, { validatorAddress: address }))).toMatchObject({
      error: { code: 'commit-address', index: 0 },
    });
    expect(light(changed(0, { validatorAddress: address }))).toMatchObject({
      error: { code: 'commit-address' },
    });
  });

  test('a bad nil vote spoils the full check, and the light one does not look at it', () => {
    const { address } = validators.validators[2] as { address: Uint8Array };
    const bad = changed(2, {
      flag: 'nil',
      validatorAddress: address,
      timestamp: at(2),
      signature: new Uint8Array(64),
    });
    expect(full(bad).ok).toBe(false);
    expect(light(bad).ok).toBe(true);
  });

  test('the trusting check skips strangers, refuses a double signer and odd levels', () => {
    const old = testNet([10n, 10n, 10n, 10n]).state.validators;
    const twice = changed(1, commit.signatures[0] as CommitSig);
    const all = { numerator: 1n, denominator: 1n };
    expect(verifyCommitLightTrusting(slots, old, twice, all)).toMatchObject({
      error: { code: 'commit-double-signer' },
    });
    const tooLow = { numerator: 1n, denominator: 4n };
    expect(verifyCommitLightTrusting(slots, old, commit, tooLow)).toMatchObject({
      error: { code: 'trust-level' },
    });
    const strangers = testNet([1n]).state.validators;
    const stranger = {
      ...strangers,
      validators: strangers.validators.map((v) => ({ ...v, address: testKey('x').address })),
    };
    expect(verifyCommitLightTrusting(slots, stranger, commit, ONE_THIRD)).toMatchObject({
      error: { code: 'commit-power' },
    });
  });
});

describe('state from height to height', () => {
  test('validator updates act two heights later, the rotation goes on', () => {
    const fresh = testKey('fresh');
    const next = stateAfter(net.state, { validatorUpdates: [{ pubKey: fresh.pubKey, power: 5n }] });
    expect(next.validators.validators).toHaveLength(4);
    expect(next.nextValidators.validators).toHaveLength(5);
    expect(next.lastHeightValidatorsChanged).toBe(3);
    expect(next.lastValidators).toBe(net.state.validators);
  });

  test('param updates act at the next height', () => {
    const params = { ...DEFAULT_PARAMS, version: { app: 9 } };
    const next = stateAfter(net.state, { paramUpdates: params });
    expect([next.params.version.app, next.lastHeightParamsChanged]).toEqual([9, 2]);
  });

  test('answers that cannot be used are errors', () => {
    const bad = (results: Partial<FinalizeReply>) =>
      nextState(net.state, first.blockId, first.block, { ...reply, ...results });
    const { pubKey } = testKey('stranger');
    expect(bad({ txResults: [{} as never] })).toMatchObject({ error: { code: 'result-count' } });
    expect(bad({ validatorUpdates: [{ pubKey, power: 0n }] })).toMatchObject({
      error: { code: 'remove-unknown' },
    });
    expect(bad({ validatorUpdates: [{ pubKey, power: -1n }] })).toMatchObject({
      error: { code: 'negative-power' },
    });
    const secp = { type: 'secp256k1', bytes: new Uint8Array(33) } as const;
    expect(bad({ validatorUpdates: [{ pubKey: secp, power: 1n }] })).toMatchObject({
      error: { code: 'key-type' },
    });
    const params = { ...DEFAULT_PARAMS, block: { maxBytes: 0, maxGas: -1 } };
    expect(bad({ paramUpdates: params })).toMatchObject({ error: { code: 'params' } });
  });

  test('the application may replace validators, params and app hash of genesis', () => {
    const { pubKey } = testKey('other');
    const genesis = {
      genesisTime: at(0),
      chainId: CHAIN_ID,
      initialHeight: 5,
      params: DEFAULT_PARAMS,
      validators: [],
      appHash: Uint8Array.of(1),
      appState: {},
    };
    const answer = { appHash: Uint8Array.of(2), validators: [{ pubKey, power: 3n }], params: undefined };
    const made = genesisState(genesis, answer);
    expect(made.ok && made.value.appHash).toEqual(Uint8Array.of(2));
    expect(made.ok && made.value.validators.totalPower).toBe(3n);
    const problem = (change: Partial<typeof answer>, maxBytes = -1) => {
      const block = { maxBytes, maxGas: -1 };
      const evidence = { ...DEFAULT_PARAMS.evidence, maxBytes: 0 };
      const params = { ...DEFAULT_PARAMS, block, evidence };
      const bad = genesisState({ ...genesis, params }, { ...answer, ...change });
      return bad.ok ? 'made' : stateProblem(bad.error);
    };
    expect(problem({ validators: [] })).toBe('validators: there is none');
    const koblitz = { type: 'secp256k1', bytes: new Uint8Array(33).fill(2) } as const;
    expect(problem({ validators: [{ pubKey: koblitz, power: 1n }] })).toBe(
      'validators: consensus_params.validator.pub_key_types does not allow secp256k1',
    );
    expect(problem({ validators: [{ pubKey, power: -1n }] })).toBe('validators: negative-power');
    // A block without transactions of one validator is of 842 bytes at most.
    expect([problem({}, 842), problem({}, 841)]).toEqual([
      'made',
      'consensus_params.block.max_bytes: header and commit of 1 validators take up to 842 bytes',
    ]);
  });
});
