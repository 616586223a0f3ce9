import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Checks } from '../../../core/mempool/check.ts';
import { Lane, type PoolTx } from '../../../core/mempool/lane.ts';
import { Pooled } from '../../../core/mempool/pooled.ts';
import { SeenCache } from '../../../core/mempool/seen.ts';
import { WaitLimit } from '../../../core/mempool/waitLimit.ts';

const txOf = (nonce: number, change: Partial<PoolTx['lane']> = {}): PoolTx => ({
  bytes: new Uint8Array(100).fill(nonce),
  key: `key ${nonce}`,
  lane: {
    sender: 'aa',
    nonce: BigInt(nonce),
    stateNonce: 0n,
    balance: 10n ** 18n,
    cost: 1n,
    gas: 21_000n,
    feeCap: 10n,
    tipCap: 1n,
    isDelegated: false,
    ethHash: new Uint8Array(32).fill(nonce),
    ...change,
  },
  sequence: nonce,
  announced: false,
});

test('checks under way are counted with their bytes until they are answered', () => {
  const checks = new Checks();
  const of = (size: number) => ({
    tx: new Uint8Array(size),
    hash: new Uint8Array(32),
    key: '',
    call: 1,
    epoch: 0,
  });
  checks.add(1, of(10));
  checks.add(2, of(5));
  expect([checks.size, checks.bytes]).toEqual([2, 15]);
  expect(checks.take(1).tx).toHaveLength(10);
  expect([checks.size, checks.bytes]).toEqual([1, 5]);
  expect(() => checks.take(1)).toThrow('unknown check');
});

test('the seen cache keeps the keys that were seen last, up to its limit', () => {
  const seen = new SeenCache(3);
  expect(['a', 'b', 'c', 'a', 'd'].map((key) => seen.add(key))).toEqual([true, true, true, false, true]);
  expect(['a', 'b', 'c', 'd'].map((key) => seen.has(key))).toEqual([true, false, true, true]);
  seen.remove('c');
  seen.add('e');
  expect(['a', 'c', 'd', 'e'].map((key) => seen.has(key))).toEqual([true, false, true, true]);
  seen.clear();
  expect(seen.add('a')).toBe(true);
});

test('pooled transactions are found by both hashes, and their bytes and number are counted', () => {
  const pooled = new Pooled();
  const [first, second] = [txOf(1, { lastHeight: 9n }), txOf(2, { ethHash: undefined })];
  for (const tx of [first, second]) pooled.add(tx);
  expect([pooled.size, pooled.bytes, pooled.expiring]).toEqual([2, 200, 1]);
  expect([...pooled.txs()]).toEqual([first, second]);
  expect(pooled.byEthHash(new Uint8Array(32).fill(1))).toBe(first);
  pooled.remove(first);
  expect([pooled.byKey('key 1'), pooled.byEthHash(new Uint8Array(32).fill(1))]).toEqual([
    undefined,
    undefined,
  ]);
  expect([pooled.size, pooled.bytes, pooled.expiring]).toEqual([1, 100, 0]);
  pooled.add(first);
  pooled.clear();
  expect([pooled.size, pooled.bytes, pooled.expiring, pooled.byKey('key 2')]).toEqual([0, 0, 0, undefined]);
  expect(pooled.byEthHash(new Uint8Array(32).fill(1))).toBeUndefined();
});

test('the wait limit counts only transactions that can pay the base fee', () => {
  const laneOf = (count: number, feeCap: bigint): Lane => {
    const lane = new Lane(0n);
    for (let nonce = 0; nonce < count; nonce++) lane.put(txOf(nonce, { feeCap }), 10);
    return lane;
  };
  const contest = { lanes: [], own: new Lane(0n), fresh: txOf(0), laneSlots: 16, baseFee: 10n };
  const limit = new WaitLimit(1000);
  const SECOND = 1_000_000;
  // A block a second takes ten; so many are left over that can just pay.
  for (let block = 0; block < 3; block++)
    limit.onCommitted(block * SECOND, 10, [laneOf(20, 10n), laneOf(30, 9n)], 10n);
  expect(limit.refuse(contest)?.code).toBe('lane-full');
  limit.onCommitted(3 * SECOND, 10, [laneOf(11, 10n)], 10n);
  const waitOf = (): number =>
    Number(/waits (\d+) ms/.exec(String((limit.refuse(contest) as { message?: string })?.message))?.[1]);
  expect(waitOf()).toBe(1100);
  limit.added(9);
  expect(waitOf()).toBe(2000);
  limit.onCommitted(4 * SECOND, 10, [laneOf(9, 10n)], 10n);
  expect(limit.refuse(contest)).toBeUndefined();
});

test('a transaction that leaves a lane no longer counts in its executable cost', () => {
  const lane = new Lane(0n);
  for (const nonce of [0, 1, 2, 3]) lane.put(txOf(nonce, { cost: 10n }), 10);
  const left = [
    () => lane.advance(1n, 100n),
    () => lane.dropTail(),
    () => lane.expire(5),
    () => lane.advance(2n, 100n),
  ];
  expect([lane.executableCost, ...left.map((leave) => leave() && lane.executableCost)]).toEqual([
    40n,
    30n,
    20n,
    20n,
    10n,
  ]);
});

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ put: fc.nat(7), cost: fc.nat(9), fee: fc.constantFrom(10n, 11n, 20n) }),
  },
  fc.constant({ drop: true } as const),
  fc.record({ advance: fc.nat(2), balance: fc.integer({ min: 4, max: 9 }) }),
  fc.record({ expire: fc.nat(3) }),
);

test("for any sequence of operations, a lane's executable count and cost are right", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const lane = new Lane(0n);
      const model = new Map<number, PoolTx>();
      let state = 0;
      for (const [i, one] of steps.entries()) {
        if ('put' in one) {
          const tx = txOf(state + one.put, {
            cost: BigInt(one.cost),
            feeCap: one.fee,
            tipCap: one.fee,
            ...(i % 3 === 0 ? { lastHeight: BigInt(i % 4) } : {}),
          });
          if (lane.put(tx, 10) !== 'underpriced') model.set(state + one.put, tx);
        } else if ('drop' in one) {
          const tail = lane.dropTail();
          expect(tail?.lane.nonce).toBe(model.size === 0 ? undefined : BigInt(Math.max(...model.keys())));
          if (tail !== undefined) model.delete(Number(tail.lane.nonce));
        } else if ('advance' in one) {
          state += one.advance;
          lane.advance(BigInt(state), BigInt(one.balance));
          for (const [nonce, tx] of [...model])
            if (nonce < state || tx.lane.cost > BigInt(one.balance)) model.delete(nonce);
        } else {
          lane.expire(one.expire);
          for (const [
            nonce,
            {
              lane: { lastHeight },
            },
          ] of [...model])
            if (lastHeight !== undefined && lastHeight <= BigInt(one.expire)) model.delete(nonce);
        }
        const all = [...model].sort(([a], [b]) => a - b).map(([, tx]) => tx);
        const gap = all.findIndex((tx, at) => tx.lane.nonce !== BigInt(state + at));
        const may = gap < 0 ? all : all.slice(0, gap);
        expect(lane.txs).toEqual(all);
        expect([lane.executable, lane.executableCost]).toEqual([
          may.length,
          may.reduce((sum, tx) => sum + tx.lane.cost, 0n),
        ]);
      }
    }),
  );
});
