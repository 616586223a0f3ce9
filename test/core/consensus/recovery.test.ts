import { describe, expect, test } from 'vitest';
import { proposalSignBytes, voteSignBytes } from '../../../core/codec/signBytes.ts';
import { decodeLogRecord, encodeLogRecord, type LogEntry } from '../../../core/consensus/log.ts';
import { EMPTY, hex, toHex } from '../../../core/lib/bytes.ts';
import { err, ok } from '../../../core/lib/result.ts';
import type { Effect } from '../../../core/node/contract.ts';
import { signBytesFacts, withoutTime } from '../../../core/node/signBytesFacts.ts';
import { type Commit, ZERO_BLOCK_ID } from '../../../core/types/block.ts';
import { timestampOf } from '../../../core/types/ids.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { ChainState } from '../../../core/types/state.ts';
import { at, CHAIN_ID, keyedSuite, NOW, signedVote, testNet } from './harness/net.ts';
import { Solo, type SoloOptions } from './harness/solo.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const node = (options: Partial<SoloOptions> = {}): Solo => new Solo({ net, self: 3, ...options });
/** What a start finds in the store after the first block that this node has stored. */
function afterFirst(solo: Solo): { readonly state: ChainState; readonly lastCommit: Commit } {
  const committed = solo.effects.find((e) => e.kind === 'app' && e.ask.kind === 'commit');
  if (committed?.kind !== 'app' || committed.ask.kind !== 'commit') throw new Error('commits');
  return { state: committed.ask.state, lastCommit: committed.ask.seenCommit };
}

const asked = (solo: Solo) => solo.effects.filter((e) => e.kind === 'sign');

describe('replay', () => {
  test('the log rebuilds rounds, lock, votes and step, and asks nothing that was answered', () => {
    const before = node().start();
    const made = before.block(0);
    before.feed(...before.proposal(made, 0), ...before.vote('prevote', 0, [0, 1], made.blockId));
    before
      .feed(...before.vote('precommit', 0, [0, 1]))
      .fire('precommit', 0)
      .fire('propose', 1);
    const after = node();
    expect(after.consensus.replay(before.log)).toEqual(ok(before.log.length));
    after.feed({ kind: 'start' });
    for (const key of [
      'height',
      'round',
      'step',
      'lockedRound',
      'lockedBlock',
      'validRound',
      'validBlock',
    ] as const) {
      expect(after.rs[key], key).toEqual(before.rs[key]);
    }
    for (const round of [0, 1]) {
      for (const type of ['prevote', 'precommit'] as const) {
        const votes = (solo: Solo) => [0, 1, 2, 3].map((i) => solo.rs.votes(round, type)?.vote(i));
        expect(votes(after)).toEqual(votes(before));
      }
    }
    expect(after.effects.filter((e) => e.kind !== 'publish')).toEqual([]);
  });

  test('a signature that was asked for and not answered is asked for again, byte for byte', () => {
    const before = node({ holdSigner: true }).start();
    before.later(50).feed(...before.proposal(before.block(0), 0));
    const after = node({ holdSigner: true });
    after.consensus.replay(before.log);
    after.later(9000).feed({ kind: 'start' });
    const ask = (effect: Effect | undefined) => effect?.kind === 'sign' && effect.ask;
    expect(ask(asked(after)[0])).toEqual(ask(asked(before)[0]));
  });

  test('a question the application did not answer is asked again', () => {
    const before = node({ hold: ['validate'] }).start();
    before.feed(...before.proposal(before.block(0), 0));
    const after = node();
    after.consensus.replay(before.log);
    after.feed({ kind: 'start' });
    expect(after.asks).toEqual(['validate']);
    expect(after.own('prevote', 0)).toBeDefined();
  });

  test('a decision is finalized again', () => {
    const before = node({ hold: ['finalize'] }).start();
    const made = before.block(0);
    before.feed(...before.proposal(made, 0), ...before.vote('precommit', 0, [0, 1, 2], made.blockId));
    const after = node();
    after.consensus.replay(before.log);
    expect(after.rs.step).toBe(STEP.commit);
    after.feed({ kind: 'start' });
    expect(after.asks).toEqual(['finalize', 'commit']);
    expect(after.rs.height).toBe(2);
  });

  test('the timer of the present step starts anew', () => {
    const before = node().start();
    const after = node();
    after.consensus.replay(before.log);
    after.feed({ kind: 'start' });
    expect(after.timers).toEqual([{ key: expect.objectContaining({ kind: 'propose' }), afterMs: 3000 }]);
  });

  test('the precommit timer is armed with the timeout of its round', () => {
    const before = node().start().fire('propose', 0);
    before.feed(...before.vote('precommit', 0, [0, 1, 2])).fire('precommit', 0);
    before.feed(...before.vote('precommit', 1, [0, 1, 2]));
    const after = node();
    after.consensus.replay(before.log);
    after.feed({ kind: 'start' });
    expect(after.timers.at(-1)).toEqual({
      key: expect.objectContaining({ kind: 'precommit', round: 1 }),
      afterMs: 1500,
    });
  });

  test('conflicts are reported again: their height has no block yet', () => {
    const before = node().start();
    before.feed(
      ...before.vote('prevote', 0, [0]),
      ...before.vote('prevote', 0, [0], before.block(0).blockId),
    );
    const after = node();
    after.consensus.replay(before.log);
    after.feed({ kind: 'start' });
    const conflicts = (solo: Solo) => solo.notices.filter(({ kind }) => kind === 'conflict');
    expect(conflicts(after)).toEqual(conflicts(before));
    expect(conflicts(after)).toHaveLength(1);
  });

  test('a conflict outlives its height in the log: its evidence is stored with the next block', () => {
    const before = node().start();
    const made = before.block(0);
    before.feed(...before.vote('prevote', 0, [0]), ...before.vote('prevote', 0, [0], made.blockId));
    before.feed(...before.proposal(made, 0), ...before.vote('precommit', 0, [0, 1, 2], made.blockId));
    const after = node(afterFirst(before));
    expect(after.consensus.replay(before.log).ok).toBe(true);
    after.feed({ kind: 'start' });
    expect(after.notices.filter(({ kind }) => kind === 'conflict')).toHaveLength(1);
  });

  test('settings of a new start do not change what the log says happened', () => {
    const before = node({ self: 0, hold: ['propose'] }).start();
    const after = node({ self: 0, hold: ['propose'], config: { createEmptyBlocks: false } });
    expect(after.consensus.replay(before.log).ok).toBe(true);
    expect(after.rs.step).toBe(STEP.propose);
  });

  test('replay ends the commit wait where skip_timeout_commit had ended it, though the setting is off now', () => {
    const before = node({ config: { skipTimeoutCommit: true } }).start();
    const made = before.block(0);
    const late = before.vote('precommit', 0, [2], made.blockId);
    before.feed(...before.proposal(made, 0), ...before.vote('prevote', 0, [0, 1], made.blockId));
    before.feed(...before.vote('precommit', 0, [0, 1], made.blockId), ...late);
    const after = node({ ...afterFirst(before), config: { skipTimeoutCommit: false } });
    expect(after.consensus.replay(before.log).ok).toBe(true);
    expect([after.rs.height, after.rs.step]).toEqual([2, STEP.propose]);
  });

  test('what block sync stores makes the height in the log history, even where that had ended badly', () => {
    const first = node().start();
    const made = first.block(0);
    first.feed(...first.proposal(made, 0), ...first.vote('precommit', 0, [0, 1, 2], made.blockId));
    const { state, lastCommit } = afterFirst(first);
    for (const refuse of [() => true, () => false]) {
      const before = node({ refuse }).start();
      before.feed(...before.proposal(made, 0));
      if (refuse()) before.feed(...before.vote('precommit', 0, [0, 1, 2], made.blockId));
      const after = node({ refuse });
      expect(after.consensus.replay(before.log).ok).toBe(true);
      after.consensus.adopt(state, lastCommit);
      after.feed({ kind: 'start' });
      const kinds = after.log.map((record) => {
        const decoded = decodeLogRecord(record);
        return decoded.ok ? `${record.height} ${decoded.value.entry.kind}` : decoded.error.message;
      });
      expect(kinds).toEqual(['2 settings']);
      expect(after.timers).toMatchObject([{ key: { kind: 'newHeight', height: 2 } }]);
    }
  });

  test('a node that halted halts again', () => {
    const options = { refuse: () => true };
    const before = node(options).start();
    const made = before.block(0);
    before.feed(...before.proposal(made, 0), ...before.vote('precommit', 0, [0, 1, 2], made.blockId));
    const after = node(options);
    after.consensus.replay(before.log);
    after.feed({ kind: 'start' });
    expect(after.effects).toEqual([before.effects.at(-1)]);
  });

  test('a log of another height or with records that do not fit is refused', () => {
    const solo = node();
    expect(solo.consensus.replay([{ height: 5, bytes: new Uint8Array(1) }])).toMatchObject({ ok: false });
    const garbage = { height: 1, bytes: Uint8Array.of(1, 2, 3) };
    expect(node().consensus.replay([garbage])).toMatchObject({ ok: false, error: { code: 'log' } });
    const orphan = encodeLogRecord(1, NOW, {
      kind: 'validated',
      blockId: ZERO_BLOCK_ID,
      accept: true,
      reason: '',
    });
    expect(node().consensus.replay([orphan])).toMatchObject({ ok: false });
  });
});

describe('the signer', () => {
  const heldVote = () => {
    const solo = node({ holdSigner: true }).start().fire('propose', 0);
    const ask = asked(solo)[0];
    if (ask?.kind !== 'sign') throw new Error('asks for a prevote');
    return { solo, ask };
  };

  test('may answer with an earlier time: the vote carries the time that was signed', () => {
    const { solo, ask } = heldVote();
    const earlier = {
      type: 'prevote',
      height: 1,
      round: 0,
      blockId: ZERO_BLOCK_ID,
      timestamp: at(0),
    } as const;
    const bytes = voteSignBytes(CHAIN_ID, earlier);
    const signature = keyedSuite.ed25519Sign(net.keys[3]?.seed as Uint8Array, bytes);
    solo.feed({ kind: 'signed', call: ask.call, result: ok({ signature, bytes }) });
    expect(solo.votes[0]?.timestamp).toEqual(at(0));
    const witness = new Solo({ net, self: 2 })
      .start()
      .feed({ kind: 'vote', peer: 'p', vote: solo.votes[0] as never });
    expect(witness.punished).toEqual([]);
  });

  test('may answer with an earlier time of a proposal as well', () => {
    const solo = node({ self: 0, holdSigner: true }).start();
    const [ask] = asked(solo);
    const made = solo.block(0);
    if (ask?.kind !== 'sign') throw new Error('asks for a proposal');
    const facts = signBytesFacts(ask.ask.bytes);
    expect(facts).toEqual({ kind: 'proposal', height: 1, round: 0 });
    const earlier = { height: 1, round: 0, polRound: -1, blockId: made.blockId, timestamp: at(0) };
    const bytes = proposalSignBytes(CHAIN_ID, earlier);
    expect(withoutTime('proposal', bytes)).toEqual(withoutTime('proposal', ask.ask.bytes));
    const signature = keyedSuite.ed25519Sign(net.keys[0]?.seed as Uint8Array, bytes);
    solo.feed({ kind: 'signed', call: ask.call, result: ok({ signature, bytes }) });
    expect(solo.rs.proposal).toMatchObject({ timestamp: at(0), signature });
  });

  test('may refuse: no vote in this step, the round goes on', () => {
    const { solo, ask } = heldVote();
    solo.feed({
      kind: 'signed',
      call: ask.call,
      result: err({ code: 'conflict', message: 'signed before' }),
    });
    expect(solo.votes).toEqual([]);
    expect(solo.rs.step).toBe(STEP.prevote);
    const again = node({ holdSigner: true });
    again.consensus.replay(solo.log);
    again.feed({ kind: 'start' });
    expect(asked(again)).toEqual([]);
    solo.feed(...solo.vote('prevote', 0, [0, 1, 2]));
    expect(solo.rs.step).toBe(STEP.precommit);
  });

  test('may be rounds behind: each of its answers is for what it was asked, whatever else is open', () => {
    const { solo } = heldVote();
    solo.feed(...solo.vote('prevote', 1, [0, 1])).fire('propose', 1);
    const asks = asked(solo).filter((e) => e.kind === 'sign');
    expect(asks.map(({ ask }) => [ask.kind, ask.round])).toEqual([
      ['prevote', 0],
      ['prevote', 1],
    ]);
    for (const { call, ask } of asks) {
      const signature = keyedSuite.ed25519Sign(net.keys[3]?.seed as Uint8Array, ask.bytes);
      solo.feed({ kind: 'signed', call, result: ok({ signature, bytes: ask.bytes }) });
    }
    expect(solo.votes.map(({ round }) => round)).toEqual([0, 1]);
  });

  test('that signed something else is not believed', () => {
    const { solo, ask } = heldVote();
    const bytes = voteSignBytes(CHAIN_ID, signedVote(net, 3, 'precommit', 1, 0));
    solo.feed({ kind: 'signed', call: ask.call, result: ok({ signature: new Uint8Array(64), bytes }) });
    expect(solo.votes).toEqual([]);
  });

  test('answers to calls of an earlier run are ignored', () => {
    const { solo } = heldVote();
    const before = solo.log.length;
    solo.feed({
      kind: 'signed',
      call: 999,
      result: ok({ signature: new Uint8Array(64), bytes: new Uint8Array(0) }),
    });
    expect(solo.log.length).toBe(before);
  });
});

test('a vote is dated at least a millisecond after the block it may commit', () => {
  const solo = node();
  solo.later(-60_000).start();
  solo.feed(...solo.proposal(solo.block(0), 0));
  expect(solo.votes[0]?.timestamp).toEqual({ seconds: at(0).seconds, nanos: 1_000_000 });
  expect(timestampOf(NOW)).toEqual(at(1));
});

test('log records are versioned and round-trip', () => {
  const record = encodeLogRecord(7, NOW, { kind: 'timer', timer: 'propose', round: 3 });
  expect(record.height).toBe(7);
  expect(decodeLogRecord(record)).toEqual(
    ok({ version: 1, now: NOW, entry: { kind: 'timer', timer: 'propose', round: 3 } }),
  );
  for (const version of [2, 127]) {
    const other = { height: 7, bytes: record.bytes.slice() };
    other.bytes[1] = version;
    expect(decodeLogRecord(other)).toMatchObject({ ok: false });
  }
  const none = { height: 7, bytes: record.bytes.slice(2) };
  expect(decodeLogRecord(none)).toMatchObject({ error: { message: 'record version 0, expected 1' } });
});

const blockId = { hash: new Uint8Array(32).fill(1), parts: { total: 1, hash: new Uint8Array(32).fill(2) } };

// A log outlives the program that wrote it.
test.each<readonly [LogEntry, string]>([
  [{ kind: 'timer', timer: 'newHeight', round: 0 }, '0801100a1a042a020801'],
  [{ kind: 'timer', timer: 'precommit', round: 2 }, '0801100a1a062a0408051002'],
  [{ kind: 'settings', waitsForTxs: true, skipsWait: false }, '0801100a1a0452020801'],
  [{ kind: 'settings', waitsForTxs: false, skipsWait: true }, '0801100a1a0452021001'],
  [{ kind: 'txsAvailable' }, '0801100a1a024a00'],
  [{ kind: 'proposed', txs: [Uint8Array.of(7)], evidence: [] }, '0801100a1a053a030a0107'],
  [
    { kind: 'signed', of: 'precommit', round: 1, signature: EMPTY, bytes: Uint8Array.of(9), reason: 'no' },
    '0801100a1a0d320b080310012201092a026e6f',
  ],
  [
    { kind: 'validated', blockId, accept: false, reason: 'x' },
    `0801100a1a4f424d0a480a20${'01'.repeat(32)}122408011220${'02'.repeat(32)}1a0178`,
  ],
  [
    { kind: 'maj23', peer: 'p', round: 1, type: 'prevote', blockId },
    `0801100a1a5322510a01701001180122480a20${'01'.repeat(32)}122408011220${'02'.repeat(32)}`,
  ],
])('the log record of %j lies as it always lay', (entry, text) => {
  expect(toHex(encodeLogRecord(7, 10, entry).bytes)).toBe(text);
  expect(decodeLogRecord({ height: 7, bytes: hex(text) })).toMatchObject({ value: { now: 10, entry } });
});

test('log records hold names of peers and reasons as long as they come', () => {
  const entries: readonly LogEntry[] = [
    { kind: 'vote', peer: 'p'.repeat(256), vote: signedVote(net, 0, 'prevote', 1, 0) },
    { kind: 'validated', blockId, accept: false, reason: 'r'.repeat(65_536) },
    { kind: 'signed', of: 'prevote', round: 0, signature: EMPTY, bytes: EMPTY, reason: 'r'.repeat(65_536) },
  ];
  for (const entry of entries)
    expect(decodeLogRecord(encodeLogRecord(1, NOW, entry))).toMatchObject({ value: { entry } });
});
