import { describe, expect, test } from 'vitest';
import { evidenceHash } from '../../../core/codec/hashes.ts';
import { encodeEvidenceMessage } from '../../../core/codec/messages.ts';
import { nextState } from '../../../core/consensus/chainState.ts';
import {
  CONFLICTS_MAX,
  duplicateVoteEvidence,
  EvidencePool,
  PENDING_MAX,
  undoOps,
} from '../../../core/evidence/pool.ts';
import type { EvidenceError } from '../../../core/evidence/verify.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { ok, type Result } from '../../../core/lib/result.ts';
import { decodeUtf8 } from '../../../core/lib/utf8.ts';
import { commitRules } from '../../../core/node/commitRules.ts';
import { type Block, ZERO_BLOCK_ID } from '../../../core/types/block.ts';
import type { Conflict, DuplicateVoteEvidence, Evidence } from '../../../core/types/evidence.ts';
import { addMillis } from '../../../core/types/ids.ts';
import type { ChainState } from '../../../core/types/state.ts';
import { keyedSuite, makeTestBlock, signedVote, testNet } from '../consensus/harness/net.ts';
import { Marks } from './marks.ts';

const net = testNet([10n, 20n, 30n, 40n]);
const a = makeTestBlock(net, net.state, 0, []);
const b = makeTestBlock(net, net.state, 0, [Uint8Array.of(1)]);
const voteOf = (index: number, made = a, type: 'prevote' | 'precommit' = 'prevote') =>
  signedVote(net, index, type, 1, 0, made.blockId);
const conflict: Conflict = { voteA: voteOf(2, a), voteB: voteOf(2, b) };

/** Block 1 is stored: its header time judges evidence of height 1. */
function afterBlock(evidence: Block['evidence'] = []): { state: ChainState; block: Block } {
  const block = { ...a.block, evidence };
  const reply = {
    txResults: [],
    events: [],
    validatorUpdates: [],
    paramUpdates: undefined,
    appHash: new Uint8Array(32),
  };
  const next = nextState(net.state, a.blockId, a.block, reply);
  if (!next.ok) throw new Error(next.error.code);
  return { state: next.value, block };
}
const { state, block } = afterBlock();
const facts = {
  suite: keyedSuite,
  validatorsAt: (height: number) => (height <= 3 ? net.state.validators : undefined),
  blockTimeAt: (height: number) => (height === 1 ? a.block.header.time : undefined),
  headerAt: () => undefined,
  commitAt: () => undefined,
  has: () => false,
  commits: commitRules(keyedSuite),
};
const evidence = duplicateVoteEvidence(conflict, net.state.validators, a.block.header.time);
const pool = (at: ChainState = state) => new EvidencePool({ ...facts, state: at });
const codeOf = (result: Result<unknown, EvidenceError>): string => (result.ok ? 'ok' : result.error.code);

describe('from a conflict to a block', () => {
  test('two votes wait for their block, then become evidence with its time and powers', () => {
    const fresh = pool(net.state);
    fresh.onConflict(conflict);
    expect(fresh.pendingEvidence(10_000)).toEqual([]);
    fresh.onCommitted(block, state);
    expect(fresh.pendingEvidence(10_000)).toEqual([evidence]);
    expect(evidence).toMatchObject({
      validatorPower: 20n,
      totalVotingPower: 100n,
      timestamp: a.block.header.time,
    });
  });

  test('the order of the votes does not matter, nor does telling it twice', () => {
    const one = pool();
    one.onConflict({ voteA: conflict.voteB, voteB: conflict.voteA });
    one.onConflict(conflict);
    expect(one.pendingEvidence(10_000)).toEqual([evidence]);
  });

  test('evidence is offered as far as its bytes fit', () => {
    const one = pool();
    one.onConflict(conflict);
    one.onConflict({ voteA: voteOf(3, a), voteB: voteOf(3, b) });
    expect(one.pendingEvidence(10_000)).toHaveLength(2);
    expect(one.pendingEvidence(500)).toHaveLength(1);
    expect(one.pendingEvidence(100)).toHaveLength(0);
  });

  test('evidence that does not fit is skipped, and later evidence may use the room', () => {
    const nil = { ...a, blockId: ZERO_BLOCK_ID };
    const pairs = [0, 1, 2, 3].flatMap((index) => [
      { voteA: voteOf(index, a), voteB: voteOf(index, b) },
      { voteA: voteOf(index, a, 'precommit'), voteB: voteOf(index, nil, 'precommit') },
    ]);
    const one = pool();
    for (const pair of pairs) one.onConflict(pair);
    const bytes = (piece: Evidence): number => encodeEvidenceMessage([piece]).length;
    const all = one.pending();
    const least = Math.min(...all.map(bytes));
    expect(bytes(all[0] as Evidence)).toBeGreaterThan(least);
    expect(one.pendingEvidence(least)).toEqual([all.find((piece) => bytes(piece) === least)]);
  });

  test('evidence that just fills its room is offered', () => {
    const one = pool();
    one.onConflict(conflict);
    const bytes = encodeEvidenceMessage([evidence]).length;
    expect(one.pendingEvidence(bytes)).toEqual([evidence]);
    expect(one.pendingEvidence(bytes - 1)).toEqual([]);
  });

  /** Two votes of one validator: as many offences as there are rounds. */
  const offence = (height: number, round: number): Conflict => ({
    voteA: signedVote(net, 2, 'prevote', height, round, a.blockId),
    voteB: signedVote(net, 2, 'prevote', height, round, b.blockId),
  });

  test('the number of conflicts waiting for their block is limited', () => {
    const [full, roomy] = [pool(net.state), pool(net.state)];
    for (let round = 0; round < CONFLICTS_MAX; round++) full.onConflict(offence(3, round));
    for (let round = 1; round < CONFLICTS_MAX; round++) roomy.onConflict(offence(3, round));
    for (const one of [full, roomy]) {
      one.onConflict(offence(1, 0));
      one.onCommitted(block, state);
    }
    expect([full, roomy].map((one) => one.pending().length)).toEqual([0, 1]);
  });

  test('the number of pending pieces of evidence is limited', () => {
    const one = pool();
    for (let round = 0; round <= PENDING_MAX; round++) one.onConflict(offence(1, round));
    expect(one.pending()).toHaveLength(PENDING_MAX);
    const more = duplicateVoteEvidence(offence(1, PENDING_MAX), net.state.validators, a.block.header.time);
    expect(one.add(more)).toEqual(ok('full'));
    expect(one.pending()).toHaveLength(PENDING_MAX);
  });

  test('once in a block it is not offered again, and a second block with it is invalid', () => {
    const marks = new Marks();
    const one = new EvidencePool({ ...facts, state, has: marks.has });
    one.onConflict(conflict);
    expect(codeOf(one.checkBlockEvidence([evidence], state))).toBe('ok');
    marks.commit(one, { ...block, evidence: [evidence] }, state);
    expect(one.pendingEvidence(10_000)).toEqual([]);
    expect(codeOf(one.checkBlockEvidence([evidence], state))).toBe('already-committed');
    expect(one.add(evidence)).toEqual(ok('known'));
  });

  test('an offence in a block is not reported again for another vote of the same round', () => {
    const marks = new Marks();
    const one = new EvidencePool({ ...facts, state, has: marks.has });
    one.onConflict(conflict);
    marks.commit(one, { ...block, evidence: [evidence] }, state);
    one.onConflict({ voteA: conflict.voteA, voteB: voteOf(2, { ...a, blockId: ZERO_BLOCK_ID }) });
    expect(one.pending()).toEqual([]);
  });

  test('twice in one block is invalid', () => {
    expect(codeOf(pool().checkBlockEvidence([evidence, evidence], state))).toBe('duplicate-evidence');
  });

  test('a pool is restored from the database', () => {
    const one = pool();
    one.onConflict(conflict);
    const other = duplicateVoteEvidence(
      { voteA: voteOf(3, a), voteB: voteOf(3, b) },
      net.state.validators,
      a.block.header.time,
    );
    const carrier = { ...block, evidence: [other] };
    const ops = one.commitOps(carrier);
    one.onCommitted(carrier, state);
    const entries = new Map<string, readonly [Uint8Array, Uint8Array]>();
    for (const op of ops) {
      if (op.type === 'put') entries.set(toHex(op.key), [op.key, op.value]);
      else entries.delete(toHex(op.key));
    }
    const again = new EvidencePool({ ...facts, state, entries: [...entries.values()] });
    expect(again.pending()).toEqual(one.pending());
    expect(codeOf(again.checkBlockEvidence([other], state))).toBe(
      codeOf(one.checkBlockEvidence([other], state)),
    );
  });

  test('evidence of a rolled back block is pending again', () => {
    const carrier = { ...block, evidence: [evidence] };
    const entries = new Map<string, readonly [Uint8Array, Uint8Array]>();
    for (const op of [...pool().commitOps(carrier), ...undoOps(carrier)]) {
      if (op.type === 'put') entries.set(toHex(op.key), [op.key, op.value]);
      else entries.delete(toHex(op.key));
    }
    const again = new EvidencePool({ ...facts, state, entries: [...entries.values()] });
    expect(again.pending()).toEqual([evidence]);
    expect(again.checkBlockEvidence([evidence], state)).toEqual(ok(undefined));
  });

  test('a rolled back block leaves no mark of its evidence, expired or not', () => {
    const gone = undoOps({ ...block, evidence: [evidence] })
      .filter(({ type }) => type === 'del')
      .map(({ key }) => decodeUtf8(key)?.replace(/[^/]*\/[^/]*$/, ''));
    expect(gone).toEqual(['evidence/committed/', 'punished/']);
  });

  test('evidence added while its block is being stored does not stay pending', () => {
    const one = pool();
    const carrier = { ...block, evidence: [evidence] };
    one.commitOps(carrier);
    expect(one.add(evidence)).toEqual(ok('added'));
    one.onCommitted(carrier, state);
    expect(one.pending()).toEqual([]);
    expect(one.commitOps(block)).toEqual([]);
  });

  test('evidence added while a block is being stored is written with the next block', () => {
    const one = pool();
    one.commitOps(block);
    expect(one.add(evidence)).toEqual(ok('added'));
    one.onCommitted(block, state);
    expect(one.commitOps(block)).toHaveLength(1);
  });

  test.each([1, 30])('a drive that altered byte %i of a stored piece is noticed', (at) => {
    const one = pool();
    one.onConflict(conflict);
    const entries = one
      .commitOps(block)
      .flatMap((op) => (op.type === 'put' ? [[op.key, op.value] as const] : []));
    expect(entries).toHaveLength(1);
    const altered = entries.map(
      ([key, value]) => [key, value.map((byte, i) => (i === at ? byte ^ 1 : byte))] as const,
    );
    expect(() => new EvidencePool({ ...facts, state, entries: altered })).toThrow('storage fault');
  });
});

describe('B27: forged evidence names nobody', () => {
  const stranger = { ...evidence, voteA: { ...evidence.voteA, validatorAddress: new Uint8Array(20) } };
  const ordered = (change: Partial<DuplicateVoteEvidence>): DuplicateVoteEvidence => ({
    ...evidence,
    ...change,
  });
  const cases: readonly (readonly [string, DuplicateVoteEvidence])[] = [
    ['votes in the wrong order', ordered({ voteA: evidence.voteB, voteB: evidence.voteA })],
    ['the same vote twice', ordered({ voteB: evidence.voteA })],
    ['votes of different types', ordered({ voteB: { ...evidence.voteB, type: 'precommit' } })],
    ['votes of different rounds', ordered({ voteB: { ...evidence.voteB, round: 1 } })],
    ['votes of two validators', stranger],
    ['a bad signature', ordered({ voteA: { ...evidence.voteA, signature: new Uint8Array(64) } })],
    ['another place in the set', ordered({ voteA: { ...evidence.voteA, validatorIndex: 99 } })],
    [
      'an extension that nothing covers',
      ordered({
        voteA: { ...evidence.voteA, extension: new Uint8Array(1), extensionSignature: new Uint8Array(64) },
      }),
    ],
    ['inflated power', ordered({ validatorPower: 21n })],
    ['a wrong total', ordered({ totalVotingPower: 1n })],
    ['a total that is too large', ordered({ totalVotingPower: 101n })],
    ['deflated power', ordered({ validatorPower: 19n })],
    ['a wrong time', ordered({ timestamp: addMillis(evidence.timestamp, 1) })],
  ];
  test.each(cases)('%s', (_, forged) => {
    expect(codeOf(pool().add(forged))).toBe('invalid-evidence');
    expect(codeOf(pool().checkBlockEvidence([forged], state))).toBe('invalid-evidence');
    expect(pool().pending()).toEqual([]);
  });
});

describe('time and place', () => {
  test('evidence of a future height is not held against its sender', () => {
    expect(pool(net.state).add(evidence)).toEqual(ok('not-yet'));
    expect(codeOf(pool(net.state).checkBlockEvidence([evidence], net.state))).toBe('unknown-height');
  });

  test('it expires only when it is too old in blocks and in time', () => {
    const old = (blocks: number, seconds: number): ChainState => ({
      ...state,
      lastBlockHeight: 1 + blocks,
      lastBlockTime: addMillis(state.lastBlockTime, seconds * 1000),
    });
    const verdict = (at: ChainState) => codeOf(pool(at).checkBlockEvidence([evidence], at));
    expect(verdict(old(100_001, 1))).toBe('ok');
    expect(verdict(old(5, 200_000))).toBe('ok');
    expect(verdict(old(100_000, 200_000))).toBe('ok');
    expect(verdict(old(100_001, 172_800))).toBe('ok');
    expect(verdict(old(100_001, 172_801))).toBe('expired');
  });

  const later = {
    ...state,
    lastBlockHeight: 100_002,
    lastBlockTime: addMillis(state.lastBlockTime, 172_801_000),
  };

  test('a conflict that is too old becomes no evidence', () => {
    const one = pool(later);
    one.onConflict(conflict);
    expect(one.pending()).toEqual([]);
  });

  test('expired evidence leaves the pool', () => {
    const one = pool();
    one.onConflict(conflict);
    one.onCommitted(block, later);
    expect(one.pending()).toEqual([]);
  });

  test('expired evidence that a crash left in the database is forgotten at the start, and then removed', () => {
    const one = pool();
    one.onConflict(conflict);
    const stored = one
      .commitOps(block)
      .flatMap((op) => (op.type === 'put' ? [[op.key, op.value] as const] : []));
    const again = new EvidencePool({ ...facts, state: later, entries: stored });
    expect(again.pending()).toEqual([]);
    expect(codeOf(again.checkBlockEvidence([evidence], later))).toBe('expired');
    expect(again.commitOps(block)).toEqual(stored.map(([key]) => ({ type: 'del', key })));
  });

  test('committed evidence that expired is not accepted again if an update extends the maximum age', () => {
    const marks = new Marks();
    const { has } = marks;
    const carrier = { ...block, evidence: [evidence] };
    const one = new EvidencePool({ ...facts, state, has });
    marks.commit(one, carrier, later);
    const isRefused = (pool: EvidencePool): void => {
      pool.onCommitted(block, state);
      expect(codeOf(pool.checkBlockEvidence([evidence], state))).toBe('already-committed');
      expect(pool.add(evidence)).toEqual(ok('known'));
      pool.onConflict(conflict);
      expect(pool.pending()).toEqual([]);
    };
    isRefused(one);
    marks.write(one.commitOps(block));
    isRefused(new EvidencePool({ ...facts, state, has }));
    marks.write(undoOps(carrier));
    const undone = new EvidencePool({ ...facts, state, has });
    expect(undone.checkBlockEvidence([evidence], state)).toEqual(ok(undefined));
  });
});

test('the hash of duplicate vote evidence is SHA-256 over DuplicateVoteEvidence, without the list around it', () => {
  const list = encodeEvidenceMessage([evidence]);
  // EvidenceList.evidence, then Evidence.duplicate_vote_evidence: a tag and a length of two bytes each.
  expect([list[0], list[3]]).toEqual([0x0a, 0x0a]);
  const hashes = [0, 3, 6].map((start) => toHex(keyedSuite.sha256(list.subarray(start))));
  expect(hashes.indexOf(toHex(evidenceHash(evidence)))).toBe(2);
});
