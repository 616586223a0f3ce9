import { describe, expect, test } from 'vitest';
import { voteSignBytes } from '../../../core/codec/signBytes.ts';
import { encodeLogRecord } from '../../../core/consensus/log.ts';
import { EMPTY } from '../../../core/lib/bytes.ts';
import type { LogRecord, SignAsk } from '../../../core/node/contract.ts';
import { type LastSigned, NOTHING_SIGNED } from '../../../core/node/signGuard.ts';
import { decideUnder, isOverBy, type SignerMemory, silenceOf } from '../../../core/node/silence.ts';
import { type Commit, EMPTY_COMMIT } from '../../../core/types/block.ts';

const address = new Uint8Array(20).fill(7);
const signature = new Uint8Array(64);

function ask(kind: 'prevote' | 'precommit', height: number, round = 0, fill = 1): SignAsk {
  const hash = new Uint8Array(32).fill(fill);
  const blockId = { hash, parts: { total: 1, hash } };
  const part = { type: kind, height, round, blockId, timestamp: { seconds: 1, nanos: 0 } };
  return { kind, height, round, bytes: voteSignBytes('chain_9000-1', part) };
}

const signed = (height: number, of: 'proposal' | 'prevote' | 'precommit', round = 0): LogRecord =>
  encodeLogRecord(height, 1, { kind: 'signed', of, round, signature, bytes: EMPTY, reason: '' });
const settings = (height: number): LogRecord =>
  encodeLogRecord(height, 1, { kind: 'settings', waitsForTxs: false, skipsWait: false });

/** A chain of so many blocks, of which some bear our signature. */
function chainOf(head: number, ours: readonly number[] = []): SignerMemory['chain'] {
  const sig = {
    flag: 'commit',
    validatorAddress: address,
    timestamp: { seconds: 1, nanos: 0 },
    signature,
  } as const;
  return {
    head: () => head,
    base: () => 1,
    loadSeenCommit: (height): Commit => ({
      ...EMPTY_COMMIT,
      height,
      signatures: ours.includes(height) ? [sig] : [{ ...sig, flag: 'absent' }],
    }),
  };
}

const last = (height: number, step: LastSigned['step'] = 2, round = 0): LastSigned => ({
  ...NOTHING_SIGNED,
  height,
  round,
  step,
});

/** After height 4, with a prevote at height 5 that the log knows. */
const silence = (change: Partial<SignerMemory> = {}) =>
  silenceOf({
    last: last(5),
    address,
    log: [settings(5), signed(5, 'prevote')],
    losses: { cut: false, lossy: false },
    turnedOver: 4,
    chain: chainOf(4, [1, 2, 3, 4]),
    kept: undefined,
    ...change,
  });

const SILENT = { height: 5, mode: 'silent' } as const;
const REPEAT = { height: 5, mode: 'repeat' } as const;
const cut = { cut: true, lossy: false };
const lossy = { cut: false, lossy: true };
const quiet = (value: unknown) => ({ ok: true, value });

describe('a validator after a restart', () => {
  test('votes on if its log has its last signature, or if it has signed nothing', () => {
    expect(silence()).toEqual(quiet(undefined));
    expect(silence({ losses: cut })).toEqual(quiet(undefined));
    expect(silence({ last: NOTHING_SIGNED, log: [], chain: chainOf(0), losses: lossy })).toEqual(
      quiet(undefined),
    );
  });

  test('is silent at a height that is missing from the log or that the log may have lost records of', () => {
    expect(silence({ log: [] })).toEqual(quiet(SILENT));
    expect(silence({ log: [settings(4)] })).toEqual(quiet(SILENT));
    expect(silence({ losses: lossy })).toEqual(quiet(SILENT));
  });

  test('is not silent if that height is finished according to the chain or to an undamaged log', () => {
    expect(silence({ log: [], chain: chainOf(5, [5]) })).toEqual(quiet(undefined));
    expect(silence({ log: [], turnedOver: 5 })).toEqual(quiet(undefined));
    expect(silence({ log: [], turnedOver: 5, losses: lossy })).toEqual(quiet(SILENT));
  });

  test('must repeat a vote that is missing from a cut log, but not a proposal', () => {
    const log = [settings(5)];
    expect(silence({ log, losses: cut })).toEqual(quiet(REPEAT));
    expect(silence({ log })).toEqual(quiet(undefined));
    expect(silence({ log, losses: cut, last: last(5, 1) })).toEqual(quiet(undefined));
    expect(silence({ losses: cut, last: last(5, 3) })).toEqual(quiet(REPEAT));
    expect(silence({ losses: cut, last: last(5, 2, 1) })).toEqual(quiet(REPEAT));
  });

  test('keeps the silence that an earlier start saved for that height', () => {
    expect(silence({ kept: SILENT })).toEqual(quiet(SILENT));
    expect(silence({ kept: REPEAT })).toEqual(quiet(REPEAT));
    expect(silence({ kept: SILENT, log: [settings(5)], losses: cut })).toEqual(quiet(SILENT));
    expect(silence({ kept: REPEAT, losses: lossy })).toEqual(quiet(SILENT));
    expect(silence({ kept: { ...SILENT, height: 4 } })).toEqual(quiet(undefined));
    expect(silence({ kept: SILENT, chain: chainOf(5, [5]) })).toEqual(quiet(undefined));
  });

  test('does not start with a last-signed state older than the log or the chain', () => {
    const stale = (where: string, height: number) => ({ ok: false, error: { code: 'stale', where, height } });
    for (const older of [last(4, 3), last(5, 1), last(5, 2)]) {
      expect(silence({ last: older, log: [signed(5, 'precommit', 0)] })).toEqual(stale('log', 5));
      expect(silence({ last: older, log: [signed(5, 'prevote', 1)] })).toEqual(stale('log', 5));
    }
    expect(silence({ last: last(3), log: [] })).toEqual(stale('chain', 4));
    expect(silence({ last: last(3), log: [], chain: chainOf(4, [3]) })).toEqual(quiet(undefined));
  });

  test('searches the last thousand heights for its own signature', () => {
    const found = (ours: number) => silence({ last: last(1), log: [], chain: chainOf(1500, [ours]) });
    expect([500, 501].map((height) => found(height).ok)).toEqual([true, false]);
  });
});

describe('while it is silent', () => {
  const before: LastSigned = { ...last(5), signature, bytes: ask('prevote', 5).bytes };
  const decided = (mode: 'silent' | 'repeat', one: SignAsk): string => {
    const decision = decideUnder({ height: 5, mode }, before, one);
    return decision.kind === 'refused' ? decision.error.code : decision.kind;
  };

  test.each(['silent', 'repeat'] as const)('(%s) it signs nothing new up to that height', (mode) => {
    expect(decided(mode, ask('prevote', 5))).toBe('again');
    expect(decided(mode, ask('precommit', 5))).toBe('unavailable');
    expect(decided(mode, ask('prevote', 5, 1))).toBe('unavailable');
    expect(decided(mode, ask('prevote', 5, 0, 2))).toBe('conflict');
    expect(decided(mode, ask('prevote', 4))).toBe('regression');
    expect(decided(mode, ask('prevote', 6))).toBe('sign');
    expect(decideUnder(undefined, before, ask('precommit', 5)).kind).toBe('sign');
  });

  test('only repeating the last vote ends the silence', () => {
    const ends = (mode: 'silent' | 'repeat', one: SignAsk): boolean =>
      isOverBy({ height: 5, mode }, decideUnder({ height: 5, mode }, before, one));
    expect(ends('repeat', ask('prevote', 5))).toBe(true);
    expect(ends('repeat', ask('precommit', 5))).toBe(false);
    expect(ends('silent', ask('prevote', 5))).toBe(false);
    expect(isOverBy(undefined, decideUnder(undefined, before, ask('prevote', 5)))).toBe(false);
  });
});
