import { describe, expect, test } from 'vitest';
import { commitHash } from '../../../core/codec/hashes.ts';
import { encodeConsensusMessage, encodeTxsMessage } from '../../../core/codec/messages.ts';
import { proposalSignBytes, voteSignBytes } from '../../../core/codec/signBytes.ts';
import { BitSet } from '../../../core/lib/bitset.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import { concat, EMPTY } from '../../../core/lib/bytes.ts';
import { ok } from '../../../core/lib/result.ts';
import { AppService } from '../../../core/node/appService.ts';
import { blockRules } from '../../../core/node/blockRules.ts';
import { CHANNELS, type Effect } from '../../../core/node/contract.ts';
import { evidenceVerdict } from '../../../core/node/evidenceVerdict.ts';
import { channelOf, decodeFrame } from '../../../core/node/ingress.ts';
import { signBytesFacts, withoutTime } from '../../../core/node/signBytesFacts.ts';
import { syncOutOf } from '../../../core/node/syncOut.ts';
import type { SyncedBlock } from '../../../core/sync/contract.ts';
import type { AppAsk, Application } from '../../../core/types/app.ts';
import type { Commit } from '../../../core/types/block.ts';
import type { ConsensusMessage } from '../../../core/types/messages.ts';
import {
  at,
  keyedSuite,
  makeTestBlock,
  proposerIndex,
  signedProposal,
  signedVote,
  testNet,
} from '../consensus/harness/net.ts';
import { Solo } from '../consensus/harness/solo.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const blockId = { hash: new Uint8Array(32).fill(1), parts: { total: 1, hash: new Uint8Array(32).fill(2) } };

describe('the facts in sign bytes', () => {
  const delimited = (body: Bytes): Bytes => concat(Uint8Array.of(body.length), body);
  const body = Uint8Array.of(0x08, 1, 0x11, 7, 0, 0, 0, 0, 0, 0, 0);

  test('are read for any height, and not from bytes that are longer or shorter than their length says', () => {
    const vote = { type: 'precommit', height: 2 ** 40 + 3, round: 2, blockId, timestamp: at(1) } as const;
    expect(signBytesFacts(voteSignBytes('chain', vote))).toEqual({
      kind: 'precommit',
      height: 2 ** 40 + 3,
      round: 2,
    });
    expect(signBytesFacts(delimited(body))).toEqual({ kind: 'prevote', height: 7, round: 0 });
    for (const bytes of [
      concat(delimited(body), Uint8Array.of(0x08, 2)),
      delimited(body).slice(0, -1),
      EMPTY,
    ])
      expect([signBytesFacts(bytes), withoutTime('prevote', bytes)]).toEqual([undefined, undefined]);
  });

  test('are those of at most sixteen fields, each a number or bytes', () => {
    const more = (count: number): Bytes =>
      delimited(concat(body, ...new Array(count).fill(Uint8Array.of(0x50, 1))));
    expect(signBytesFacts(more(14))?.kind).toBe('prevote');
    expect(signBytesFacts(more(15))).toBeUndefined();
    for (const tag of [0x53, 0x54, 0x55, 0x56, 0x57])
      expect(signBytesFacts(delimited(concat(body, Uint8Array.of(tag, 1, 1))))).toBeUndefined();
    expect(signBytesFacts(delimited(concat(body, Uint8Array.of(0x52, 1, 1))))?.kind).toBe('prevote');
  });

  test('are read only if varints have at most ten bytes and field numbers are valid', () => {
    const [ten, eleven] = [9, 10].map((count) => [...new Array(count).fill(0x80), 0x01]);
    const withField = (...field: number[]): Bytes => delimited(concat(body, Uint8Array.from(field)));
    expect(signBytesFacts(withField(0x50, ...(ten as number[])))?.kind).toBe('prevote');
    expect(signBytesFacts(withField(0x50, ...(eleven as number[])))).toBeUndefined();
    expect(signBytesFacts(withField(0xf8, 0xff, 0xff, 0xff, 0x0f, 1))?.kind).toBe('prevote');
    expect(signBytesFacts(withField(0xf8, 0xff, 0xff, 0xff, 0x1f, 1))).toBeUndefined();
  });

  test('without their time, two proposals that differ only in time have the same sign bytes', () => {
    const bytes = (seconds: number, round = 0): Bytes =>
      proposalSignBytes('chain', { height: 1, round, polRound: -1, blockId, timestamp: at(seconds) });
    expect(withoutTime('proposal', bytes(1))).toEqual(withoutTime('proposal', bytes(2)));
    expect(withoutTime('proposal', bytes(1))).not.toEqual(withoutTime('proposal', bytes(1, 1)));
  });
});

describe('a frame', () => {
  const [height, round, bits] = [1, 0, new BitSet(4)];
  bits.add(1);
  const messages: readonly ConsensusMessage[] = [
    { kind: 'newRoundStep', height: 2, round, step: 1, secondsSinceStart: 0, lastCommitRound: 0 },
    {
      kind: 'newValidBlock',
      height,
      round,
      parts: { total: 4, hash: new Uint8Array(32) },
      bits,
      isCommit: false,
    },
    { kind: 'hasVote', height, round, type: 'prevote', index: 0 },
    { kind: 'voteSetMaj23', height, round, type: 'prevote', blockId },
    { kind: 'proposal', proposal: signedProposal(net, 0, 1, 0, blockId) },
    { kind: 'proposalPol', height, polRound: 0, bits },
    { kind: 'vote', vote: signedVote(net, 0, 'prevote', 1, 0) },
    { kind: 'voteSetBits', height, round, type: 'prevote', blockId, bits },
  ];
  const consensus = [CHANNELS.state, CHANNELS.data, CHANNELS.vote, CHANNELS.bits];

  test.each(messages.map((message) => [message.kind, message] as const))(
    'with %s is taken on its channel alone',
    (kind, message) => {
      const bytes = encodeConsensusMessage(message);
      for (const channel of consensus) {
        const decoded = decodeFrame(channel, bytes);
        if (channel === channelOf(message)) expect(decoded).toEqual(ok({ channel: 'consensus', message }));
        else expect(decoded).toEqual({ ok: false, error: `${kind} on channel 0x${channel.toString(16)}` });
      }
    },
  );

  test('is at most as long as CometBFT allows on its channel, and of a known channel', () => {
    const limits = [
      ...[...consensus, CHANNELS.evidence].map((channel) => [channel, 1_048_576] as const),
      [CHANNELS.mempool, 1_048_592],
      [CHANNELS.blocksync, 104_857_605],
    ] as const;
    for (const [channel, max] of limits) {
      const refused = decodeFrame(channel, { length: max + 1 } as Bytes);
      expect(refused).toMatchObject({ error: expect.stringContaining(`at most ${max}`) });
    }
    const largest = encodeTxsMessage({ txs: [new Uint8Array(1_048_584)] });
    expect(largest).toHaveLength(1_048_592);
    expect(decodeFrame(CHANNELS.mempool, largest).ok).toBe(true);
    expect(decodeFrame(CHANNELS.bits, new Uint8Array(1_048_576))).toMatchObject({
      error: expect.not.stringContaining('at most'),
    });
    for (const channel of [CHANNELS.pex, 0x24, 0x60, -1])
      expect(decodeFrame(channel, EMPTY)).toMatchObject({
        error: expect.stringContaining('unknown channel'),
      });
  });
});

test('propose, validate, finalize and commit run one after another, and checkTx at any time', async () => {
  const log: string[] = [];
  const open = new Map<string, () => void>();
  const answer = (name: string) => (ask: unknown, recheck?: boolean) => {
    log.push(recheck === undefined ? name : `${name} ${recheck}`);
    return new Promise<never>((resolve) => open.set(name, () => resolve({ of: ask } as never)));
  };
  const names = ['propose', 'validate', 'finalize', 'commit'] as const;
  const app = Object.fromEntries(
    [...names, 'checkTx'].map((name) => [name, answer(name)]),
  ) as unknown as Application;
  const service = new AppService(app);
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 9; i++) await Promise.resolve();
  };
  const answers = names.map((kind) => service.handle({ kind } as AppAsk));
  const checks = [true, false].map((recheck) => service.handle({ kind: 'checkTx', tx: EMPTY, recheck }));
  await turns();
  expect(log.toSorted()).toEqual(['checkTx false', 'checkTx true', 'propose']);
  for (const [i, name] of names.entries()) {
    open.get(name)?.();
    await answers[i];
    await turns();
    expect(log.slice(2).at(-1)).toBe(names[i + 1] ?? 'commit');
  }
  open.get('checkTx')?.();
  expect(await checks[1]).toMatchObject({ kind: 'checked' });
});

test('the answer to submitted evidence says why it was not taken; known evidence is a success', () => {
  const [voteA, voteB] = [signedVote(net, 0, 'prevote', 7, 0), signedVote(net, 0, 'prevote', 7, 0, blockId)];
  const powers = { totalVotingPower: 40n, validatorPower: 10n, timestamp: at(1) };
  const evidence = { kind: 'duplicate-vote', voteA, voteB, ...powers } as const;
  const of = (outcome: 'added' | 'known' | 'not-yet' | 'expired' | 'full') =>
    evidenceVerdict(evidence, ok(outcome)).error;
  expect((['added', 'known', 'not-yet', 'expired', 'full'] as const).map(of)).toEqual([
    undefined,
    undefined,
    'no block 7 to judge evidence by',
    'evidence from height 7 is too old',
    'the evidence pool is full',
  ]);
});

test('a synced block turns the log over and is published before the pools hear of it', () => {
  const said: string[] = [];
  const effect = (one: Effect): void => {
    said.push(
      one.kind === 'publish'
        ? `publish ${one.event.kind}`
        : one.kind === 'turnover'
          ? `turnover ${one.height}`
          : one.kind,
    );
  };
  const out = syncOutOf({ effect, drop: () => {}, committed: () => said.push('committed'), done: () => {} });
  out.committed({ state: { ...net.state, lastBlockHeight: 7 } } as unknown as SyncedBlock);
  expect(said).toEqual(['turnover 7', 'publish committed', 'committed']);
});

test('signatures of the seen commit are verified again if a time or address differs', () => {
  const solo = new Solo({ net, self: 3 }).start();
  const made = solo.block(0);
  solo.feed(...solo.proposal(made, 0), ...solo.vote('precommit', 0, [0, 1, 2], made.blockId));
  const committed = solo.effects.find((e) => e.kind === 'app' && e.ask.kind === 'commit');
  if (committed?.kind !== 'app' || committed.ask.kind !== 'commit') throw new Error('commits');
  const { state, seenCommit } = committed.ask;
  let verified = 0;
  const suite: typeof keyedSuite = {
    ...keyedSuite,
    ed25519Verify: (...given) => {
      verified++;
      return keyedSuite.ed25519Verify(...given);
    },
  };
  const rules = blockRules(suite, () => ok(undefined));
  const { block } = makeTestBlock(net, state, proposerIndex(state, 0), [], seenCommit);
  const withCommit = (lastCommit: Commit) => ({
    ...block,
    lastCommit,
    header: { ...block.header, lastCommitHash: commitHash(lastCommit) },
  });
  const check = (lastCommit: Commit, known: Commit | undefined): boolean => {
    verified = 0;
    return rules.checkBlock(state, withCommit(lastCommit), known).ok;
  };
  expect([check(seenCommit, seenCommit), verified]).toEqual([true, 0]);
  expect([check(seenCommit, undefined), verified]).toEqual([true, 3]);
  const changed = (change: Partial<Commit['signatures'][number]>): Commit => ({
    ...seenCommit,
    signatures: seenCommit.signatures.map((one, i) => (i === 0 ? { ...one, ...change } : one)),
  });
  for (const change of [
    { timestamp: at(3) },
    { validatorAddress: new Uint8Array(20) },
    { signature: new Uint8Array(64) },
    { flag: 'nil' as const },
  ])
    expect(check(changed(change), seenCommit), JSON.stringify(change)).toBe(false);
  expect([check(seenCommit, { ...seenCommit, round: 1 }), verified]).toEqual([true, 3]);
});
