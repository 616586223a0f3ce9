import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryBytes } from '../../../core/codec/writer.ts';
import { DEFAULT_MEMPOOL } from '../../../core/mempool/config.ts';
import { Inclusion } from '../../../core/mempool/inclusion.ts';
import { Lane, type PoolTx } from '../../../core/mempool/lane.ts';
import { Mempool } from '../../../core/mempool/mempool.ts';
import type { MempoolOut } from '../../../core/mempool/mempoolOut.ts';
import { reap, wireBytes } from '../../../core/mempool/order.ts';
import { SeenCache } from '../../../core/mempool/seen.ts';
import type { CheckReply, CommitReply, LanePosition } from '../../../core/types/app.ts';
import type { SubmitResult } from '../../../core/types/submit.ts';

interface Ask {
  readonly call: number;
  readonly tx: Uint8Array;
}

/** A pool whose application verdicts the test gives itself. */
class World implements MempoolOut {
  readonly asks: Ask[] = [];
  readonly replies = new Map<number, SubmitResult>();
  readonly pendingKeys: string[] = [];
  readonly gossiped: string[] = [];
  readonly heardFrom: string[] = [];
  readonly pool: Mempool;
  ticks = 0;
  #calls = 1000;

  readonly #isDelegated: boolean;

  constructor(config = DEFAULT_MEMPOOL, isDelegated = false) {
    this.#isDelegated = isDelegated;
    this.pool = new Mempool(config, sha256, () => this.#calls++);
    this.pool.setPrices(10n, 30_000_000n);
  }

  check(call: number, ask: { tx: Uint8Array }): void {
    this.asks.push({ call, tx: ask.tx });
  }
  reply(call: number, result: SubmitResult): void {
    this.replies.set(call, result);
  }
  pending(tx: { key: string }): void {
    this.pendingKeys.push(tx.key);
  }
  gossip(tx: { key: string }): void {
    this.gossiped.push(tx.key);
  }
  heard(peer: string, key: string): void {
    this.heardFrom.push(`${peer} ${key}`);
  }

  tickAfter(): void {
    this.ticks += 1;
  }

  /** Submits a tx of `sender` and lets the application accept it. */
  add(sender: string, nonce: number, tip = 1, stateNonce = 0, cap = 100): SubmitResult | undefined {
    const call = this.#calls++;
    const tx = new TextEncoder().encode(`${sender}/${nonce}/${tip}/${cap}`);
    this.pool.submit(tx, call, this);
    const ask = this.asks.pop();
    if (ask !== undefined)
      this.pool.onChecked(ask.call, accepted(sender, nonce, tip, stateNonce, cap, this.#isDelegated), this);
    return this.replies.get(call);
  }

  commit(txs: readonly Uint8Array[], spenders: CommitReply['spenders'], nextBaseFee = 10n, now = 0): void {
    this.pool.onCommitted(now, txs, { height: 1, spenders, nextBaseFee, gasLimit: 30_000_000n }, this);
  }

  reaped(): string[] {
    return this.pool.reap(1_000_000).map((tx) => `${tx.lane.sender}${tx.lane.nonce}`);
  }
}

const accepted = (
  sender: string,
  nonce: number,
  tip: number,
  stateNonce: number,
  cap: number,
  isDelegated = false,
): CheckReply => ({
  kind: 'accepted',
  gasWanted: 21000n,
  events: [],
  lane: {
    sender,
    nonce: BigInt(nonce),
    stateNonce: BigInt(stateNonce),
    balance: 10n ** 18n,
    cost: 21000n * BigInt(cap),
    gas: 21000n,
    feeCap: BigInt(cap),
    tipCap: BigInt(tip),
    isDelegated,
    ethHash: undefined,
  },
});

const REJECTED: CheckReply = {
  kind: 'rejected',
  code: 5,
  codespace: 'sdk',
  log: 'l',
  ethMessage: 'm',
  gasWanted: 0n,
  gasUsed: 0n,
};

test('a proposer takes the best tip first and keeps each sender in nonce order', () => {
  const world = new World();
  world.add('aa', 0, 1);
  world.add('aa', 1, 50);
  world.add('bb', 0, 5);
  expect(world.reaped()).toEqual(['bb0', 'aa0', 'aa1']);
});

test('a nonce gap waits until it is filled', () => {
  const world = new World();
  world.add('aa', 1);
  expect(world.reaped()).toEqual([]);
  expect(world.pool.stats()).toMatchObject({ pending: 0, queued: 1 });
  world.add('aa', 0);
  expect(world.reaped()).toEqual(['aa0', 'aa1']);
  expect(world.pendingKeys).toHaveLength(2);
});

test('a verdict with a higher state nonce makes waiting transactions executable at once', () => {
  const world = new World();
  world.add('aa', 1);
  expect(world.pendingKeys).toHaveLength(0);
  world.add('aa', 5, 1, 1);
  expect(world.pendingKeys).toHaveLength(1);
  expect(world.reaped()).toEqual(['aa1']);
});

test('the same bytes twice are refused as already in the cache', () => {
  const world = new World();
  world.add('aa', 0);
  expect(world.add('aa', 0)).toMatchObject({ kind: 'refused', refusal: { code: 'in-cache' } });
});

test('a replacement must pay ten percent more on both fee fields', () => {
  const world = new World();
  world.add('aa', 0, 10, 0, 100);
  expect(world.add('aa', 0, 10, 0, 109)).toMatchObject({ refusal: { code: 'replacement-underpriced' } });
  expect(world.add('aa', 0, 11, 0, 110)).toMatchObject({ kind: 'checked' });
  expect(world.pool.size).toBe(1);
});

test.each([
  [0, 100, 0, 200, 'replacement-underpriced'],
  [0, 100, 1, 200, undefined],
  [1, 5, 2, 5, 'replacement-underpriced'],
  [15, 15, 16, 16, undefined],
  [15, 15, 16, 15, 'replacement-underpriced'],
])('tip %i of cap %i is outbid by %i of %i: %s, as in geth', (tip, cap, more, moreCap, code) => {
  const world = new World();
  world.add('aa', 0, tip, 0, cap);
  const expected = code === undefined ? { kind: 'checked' } : { refusal: { code } };
  expect(world.add('aa', 0, more, 0, moreCap)).toMatchObject(expected);
});

test('a rejected tx may be sent again', () => {
  const world = new World();
  const tx = new TextEncoder().encode('x');
  for (const call of [1, 2]) {
    world.pool.submit(tx, call, world);
    const ask = world.asks.pop() as Ask;
    world.pool.onChecked(ask.call, REJECTED, world);
    expect(world.replies.get(call)).toMatchObject({ kind: 'checked', result: { kind: 'rejected' } });
  }
});

test('a tx whose fee cap is below the base fee waits for a cheaper block', () => {
  const world = new World();
  world.add('aa', 0, 1, 0, 5);
  expect(world.pool.hasExecutable()).toBe(false);
  world.commit([], [], 5n);
  expect(world.pool.hasExecutable()).toBe(true);
});

test('committed and unaffordable txs leave the pool, later ones of the lane stay', () => {
  const world = new World();
  world.add('aa', 0);
  world.add('aa', 1, 1, 0, 200);
  world.add('aa', 2);
  world.commit([], [{ address: 'aa', nonce: 1n, balance: 21000n * 150n }]);
  expect(world.pool.txs().map((tx) => Number(tx.lane.nonce))).toEqual([2]);
  expect(world.reaped()).toEqual([]);
});

test('a verdict from before a commit is requested again', () => {
  const world = new World();
  world.pool.submit(new TextEncoder().encode('x'), 1, world);
  const first = world.asks.pop() as Ask;
  world.commit([], []);
  world.pool.onChecked(first.call, accepted('aa', 0, 1, 0, 100), world);
  expect(world.replies.has(1)).toBe(false);
  const second = world.asks.pop() as Ask;
  world.pool.onChecked(second.call, accepted('aa', 0, 1, 0, 100), world);
  expect(world.replies.get(1)).toMatchObject({ kind: 'checked' });
});

test('a full pool and a full queue are refused with their limits', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, txsMax: 2, laneQueuedMax: 1 });
  world.add('aa', 5);
  expect(world.add('aa', 7)).toMatchObject({ refusal: { code: 'lane-full' } });
  world.add('bb', 0);
  expect(world.add('cc', 0)).toMatchObject({ refusal: { code: 'full', txs: 2, txsMax: 2 } });
});

test('a lane emptied by a newer state nonce is removed even if the new transaction is refused', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, laneQueuedMax: 0 });
  world.add('aa', 0);
  expect(world.add('aa', 5, 1, 1)).toMatchObject({ refusal: { code: 'lane-full' } });
  expect([...world.pool.lanes()]).toEqual([]);
});

test('transactions being checked count against the byte limit', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, bytesMax: 100 });
  const offer = (call: number): void => world.pool.submit(new Uint8Array(40).fill(call), call, world);
  for (const call of [1, 2, 3]) offer(call);
  expect(world.asks.map(({ tx }) => tx[0])).toEqual([1, 2]);
  expect(world.replies.get(3)).toMatchObject({ refusal: { code: 'full', bytes: 80, bytesMax: 100 } });
  const { call } = world.asks[0] as Ask;
  world.pool.onChecked(call, REJECTED, world);
  offer(4);
  expect(world.asks.map(({ tx }) => tx[0])).toEqual([1, 2, 4]);
});

test('the byte limit of the pool counts transactions without their overhead in a block', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, bytesMax: 100 });
  for (const nonce of [0, 1, 2]) {
    world.pool.submit(new Uint8Array(50).fill(nonce), nonce, world);
    const ask = world.asks.pop();
    if (ask !== undefined) world.pool.onChecked(ask.call, accepted('aa', nonce, 1, 0, 100), world);
  }
  expect(world.pool.stats()).toEqual({ pending: 2, queued: 0, bytes: 100 });
  expect(world.replies.get(2)).toMatchObject({ refusal: { code: 'full', bytes: 100, bytesMax: 100 } });
});

test('a full pool evicts the cheapest last transaction of a lane for a better price', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, txsMax: 3 });
  world.add('aa', 0, 1, 0, 50);
  world.add('aa', 1, 1, 0, 90);
  world.add('bb', 0, 1, 0, 70);
  expect(world.add('cc', 0, 1, 0, 70)).toMatchObject({ refusal: { code: 'full', isUnderpriced: true } });
  expect(world.add('cc', 0, 1, 0, 80)).toMatchObject({ kind: 'checked' });
  expect(world.pool.txs().map(({ lane }) => lane.sender + lane.nonce)).toEqual(['aa0', 'aa1', 'cc0']);
  expect(world.pool.lane('bb')).toBeUndefined();
  expect(world.pool.stats()).toMatchObject({ pending: 3, queued: 0 });
  // What was driven out may come again with a better price; a tx never drives out what it follows.
  expect(world.add('bb', 0, 1, 0, 85)).toMatchObject({ kind: 'checked' });
  expect(world.add('bb', 1, 1, 0, 86)).toMatchObject({ refusal: { code: 'full' } });
  expect(world.add('bb', 0, 3, 0, 95)).toMatchObject({ kind: 'checked' });
});

test('a delegated account may have one transaction in the pool, without a nonce gap, and replace it', () => {
  const world = new World(DEFAULT_MEMPOOL, true);
  const refused = (message: string) => ({ refusal: { code: 'lane-full', message } });
  expect(world.add('aa', 1)).toMatchObject(refused('gapped-nonce tx from delegated accounts'));
  expect(world.add('aa', 0)).toMatchObject({ kind: 'checked' });
  expect(world.add('aa', 1)).toMatchObject(
    refused('in-flight transaction limit reached for delegated accounts'),
  );
  expect(world.add('aa', 0, 5, 0, 200)).toMatchObject({ kind: 'checked' });
});

test('a full pool evicts from the sender with most slots for a sender within its share, whatever they pay', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, txsMax: 4, laneSlots: 2 });
  for (const nonce of [0, 1, 2, 3]) world.add('aa', nonce, 9, 0, 1000);
  expect(world.add('bb', 0, 1, 0, 50)).toMatchObject({ kind: 'checked' });
  expect(world.add('bb', 1, 1, 0, 50)).toMatchObject({ kind: 'checked' });
  expect(world.reaped()).toEqual(['aa0', 'aa1', 'bb0', 'bb1']);
  // Each is within its slots now: only price counts.
  expect(world.add('cc', 0, 1, 0, 50)).toMatchObject({ refusal: { code: 'full' } });
  expect(world.add('cc', 0, 2, 0, 50)).toMatchObject({ kind: 'checked' });
  expect(world.reaped()).toEqual(['aa0', 'aa1', 'cc0', 'bb0']);
});

test('of two senders beyond their share, the one with more transactions is evicted from', () => {
  for (const [greedy, other] of [
    ['aa', 'bb'],
    ['bb', 'aa'],
  ] as const) {
    const world = new World({ ...DEFAULT_MEMPOOL, txsMax: 7, laneSlots: 1 });
    const counts = { [greedy]: 4, [other]: 3 };
    for (const sender of ['aa', 'bb'])
      for (let nonce = 0; nonce < (counts[sender] ?? 0); nonce++) world.add(sender, nonce, 9, 0, 1000);
    expect(world.add('cc', 0, 1, 0, 50)).toMatchObject({ kind: 'checked' });
    expect([world.pool.lane(greedy)?.size, world.pool.lane(other)?.size]).toEqual([3, 3]);
  }
});

test('among equal prices the youngest transaction is evicted', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, txsMax: 3 });
  for (const sender of ['aa', 'bb', 'cc']) world.add(sender, 0, 1, 0, 50);
  expect(world.add('dd', 0, 2, 0, 50)).toMatchObject({ kind: 'checked' });
  expect(world.pool.txs().map(({ lane }) => lane.sender)).toEqual(['aa', 'bb', 'dd']);
});

test("a verdict older than the lane's state nonce is requested again", () => {
  const world = new World();
  world.pool.submit(new TextEncoder().encode('old'), 1, world);
  const old = world.asks.pop() as Ask;
  // A block is in the database, and nobody has told the pool yet.
  world.add('aa', 2, 1, 1);
  world.pool.onChecked(old.call, accepted('aa', 0, 1, 0, 100), world);
  expect(world.replies.has(1)).toBe(false);
  const again = world.asks.pop() as Ask;
  expect(again.tx).toEqual(old.tx);
  world.pool.onChecked(again.call, REJECTED, world);
  expect(world.replies.get(1)).toMatchObject({ kind: 'checked', result: REJECTED });
  expect(world.pool.size).toBe(1);
});

test('a transaction of a committed block is in the cache even if this pool never held it', () => {
  const world = new World();
  const tx = new TextEncoder().encode('aa/0');
  world.commit([tx], []);
  world.pool.submit(tx, 1, world);
  expect(world.replies.get(1)).toMatchObject({ refusal: { code: 'in-cache' } });
  world.pool.onTxs([tx], 'peer', world);
  expect(world.asks).toEqual([]);
});

test('a full pool compares prices at the next base fee', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, txsMax: 1 });
  world.add('aa', 0, 1, 0, 500);
  expect(world.add('bb', 0, 3, 0, 20)).toMatchObject({ kind: 'checked' });
  expect(world.reaped()).toEqual(['bb0']);
});

test('a transaction behind a nonce gap never evicts an executable one', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, txsMax: 1 });
  world.add('aa', 0, 1, 0, 50);
  const message = 'future transaction tries to replace pending transaction';
  expect(world.add('bb', 5, 9, 0, 900)).toMatchObject({ refusal: { code: 'lane-full', message } });
  expect(world.reaped()).toEqual(['aa0']);
});

test('the balance must cover all executable transactions of a sender together', () => {
  const world = new World();
  const cap = 20_000_000_000_000;
  expect(world.add('aa', 0, 1, 0, cap)).toMatchObject({ kind: 'checked' });
  expect(world.add('aa', 1, 1, 0, cap)).toMatchObject({ kind: 'checked' });
  expect(world.add('aa', 2, 1, 0, cap)).toMatchObject({
    refusal: {
      code: 'overdraft',
      message:
        'insufficient funds for gas * price + value: balance 1000000000000000000, queued cost 840000000000000000, tx cost 420000000000000000, overshot 260000000000000000',
    },
  });
  expect(world.add('aa', 1, 2, 0, 2 * cap)).toMatchObject({ refusal: { code: 'overdraft' } });
  expect(world.add('aa', 1, 2, 0, 1.2 * cap)).toMatchObject({ kind: 'checked' });
});

test('a transaction behind a gap is dropped after its lifetime, which restarts when it waits for another nonce', () => {
  const HOUR = 3_600_000_000;
  const world = new World();
  world.add('aa', 0);
  expect(world.ticks).toBe(0);
  world.add('aa', 2);
  world.add('aa', 4);
  world.add('bb', 1);
  expect(world.ticks).toBe(1);
  world.pool.onTick(HOUR, world);
  world.add('aa', 1);
  world.pool.onTick(2 * HOUR, world);
  // Still waiting for the same nonce: neither blocks nor others that wait too give it longer.
  world.commit([], [{ address: 'aa', nonce: 2n, balance: 10n ** 18n }]);
  world.add('aa', 5, 1, 2);
  world.pool.onTick(4 * HOUR, world);
  expect(world.pool.txs().map(({ lane }) => lane.sender + lane.nonce)).toEqual(['aa2', 'aa4', 'aa5']);
  expect(world.pool.lane('bb')).toBeUndefined();
  expect(world.ticks).toBe(4);
  world.pool.onTick(5 * HOUR, world);
  expect(world.pool.txs().map(({ lane }) => lane.sender + lane.nonce)).toEqual(['aa2']);
  expect(world.ticks).toBe(4);
  expect(world.add('bb', 1)).toMatchObject({ kind: 'checked' });
});

test('a transaction added again after its lifetime waits a whole lifetime', () => {
  const HOUR = 3_600_000_000;
  const world = new World();
  world.add('aa', 0);
  world.add('aa', 2);
  world.pool.onTick(HOUR, world);
  world.pool.onTick(4 * HOUR, world);
  expect(world.pool.size).toBe(1);
  world.add('aa', 2);
  world.pool.onTick(5 * HOUR, world);
  world.pool.onTick(7 * HOUR, world);
  expect(world.pool.size).toBe(2);
  world.pool.onTick(8 * HOUR, world);
  expect(world.pool.size).toBe(1);
});

test('hasExecutable is true as soon as any sender can pay the base fee', () => {
  const world = new World();
  world.add('a', 0, 1, 0, 5);
  expect(world.pool.hasExecutable()).toBe(false);
  world.add('b', 0);
  expect(world.pool.hasExecutable()).toBe(true);
});

test('the balance must cover a gapped transaction beside the executable ones', () => {
  const world = new World();
  const [half, nonce] = [25_000_000_000_000, 2];
  expect(world.add('a', 0, 1, 0, half)?.kind).toBe('checked');
  expect(world.add('a', nonce, 1, 0, half)).toMatchObject({ refusal: { code: 'overdraft' } });
});

test('a transaction that does not fit does not keep other senders out of the block', () => {
  const world = new World();
  world.add('a'.repeat(40), 0, 50);
  world.add('b', 0);
  expect(world.pool.reap(20).map((tx) => tx.lane.sender)).toEqual(['b']);
});

test('a transaction beyond the size limit is refused without asking the application', () => {
  const size = 'a/0/1/100'.length;
  const world = new World({ ...DEFAULT_MEMPOOL, txBytesMax: size - 1 });
  expect(world.add('a', 0)).toMatchObject({ refusal: { code: 'too-large' } });
  expect(world.asks).toEqual([]);
  // What a block adds to a transaction does not count here.
  const wider = new World({ ...DEFAULT_MEMPOOL, txBytesMax: size });
  expect(wider.add('a', 0)).toMatchObject({ kind: 'checked' });
});

test('a transaction that fits into no block is refused without asking the application, and is not cached', () => {
  const world = new World();
  const size = entryBytes('a/0/1/100'.length);
  world.pool.setRoomBytes(size - 1);
  for (let i = 0; i < 2; i++)
    expect(world.add('a', 0)).toMatchObject({
      refusal: { code: 'beyond-block', bytes: size, bytesMax: size - 1 },
    });
  expect(world.asks).toEqual([]);
  world.pool.setRoomBytes(size);
  expect(world.add('a', 0)).toMatchObject({ kind: 'checked' });
});

test('when blocks get smaller, transactions that fit into none are dropped, and are accepted again when blocks grow', () => {
  const world = new World();
  world.add('a', 0);
  world.add('a', 1, 1_000);
  world.add('a', 2);
  world.add('b', 0, 1_000);
  const size = entryBytes('a/0/1/100'.length);
  world.pool.setRoomBytes(size);
  expect(world.reaped()).toEqual(['a0']);
  expect(world.pool.stats()).toMatchObject({ pending: 1, queued: 1 });
  expect(world.pool.lane('b')).toBeUndefined();
  world.pool.setRoomBytes(2 * size);
  world.add('a', 1, 1_000);
  expect(world.reaped()).toEqual(['a0', 'a1', 'a2']);
});

test('a transaction accepted after blocks became too small for it is refused', () => {
  const world = new World();
  const tx = new TextEncoder().encode('a/0/1/100');
  world.pool.submit(tx, 7, world);
  world.pool.setRoomBytes(4);
  world.pool.onChecked(world.asks[0]?.call ?? 0, accepted('a', 0, 1, 0, 100), world);
  expect(world.replies.get(7)).toMatchObject({ kind: 'refused', refusal: { code: 'beyond-block' } });
  expect(world.pool.size).toBe(0);
});

test('seeing a key again renews its place in the cache', () => {
  const seen = new SeenCache(2);
  for (const key of ['a', 'b', 'a', 'c']) seen.add(key);
  expect(['a', 'b', 'c'].map((key) => seen.has(key))).toEqual([true, false, true]);
});

test('executable transactions do not count against the queue limit', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, laneQueuedMax: 1 });
  for (const nonce of [0, 1]) world.add('a', nonce);
  expect(world.add('a', 3)?.kind).toBe('checked');
  expect(world.add('a', 5)).toMatchObject({ refusal: { code: 'lane-full' } });
});

test('reap offers as many transactions as fit by their least gas, not by their gas limits', () => {
  const lanes = ['a', 'b', 'c'].map((sender, sequence) => {
    const verdict = accepted(sender, 0, 1, 0, 100);
    if (verdict.kind !== 'accepted') throw new Error('the application accepts it');
    const lane = new Lane(0n);
    const bytes = Uint8Array.of(sequence);
    lane.put({ bytes, key: sender, lane: { ...verdict.lane, gas: 40_000n }, sequence, announced: false }, 10);
    return lane;
  });
  const limits = { bytesMax: 1_000, gasMax: 42_000n, baseFee: 10n };
  expect(reap(lanes, limits).map((tx) => tx.key)).toEqual(['a', 'b']);
});

test("an evicted transaction no longer counts against the sender's balance", () => {
  const lane = new Lane(0n);
  for (const nonce of [0, 1]) {
    const verdict = accepted('a', nonce, 1, 0, 100);
    if (verdict.kind !== 'accepted') throw new Error('the application accepts it');
    const bytes = Uint8Array.of(nonce);
    lane.put({ bytes, key: `${nonce}`, lane: verdict.lane, sequence: nonce, announced: false }, 10);
  }
  const { executableCost } = lane;
  lane.dropTail();
  expect(lane.executableCost * 2n).toBe(executableCost);
});

test('gapped transactions and replacements are gossiped', () => {
  const world = new World();
  world.add('a', 0);
  world.add('a', 2);
  world.add('a', 0, 2, 0, 200);
  expect(new Set(world.gossiped).size).toBe(3);
});

test('a new transaction is gossiped once, and every sender of it is reported to the relay', () => {
  const world = new World();
  const tx = new TextEncoder().encode('x');
  world.pool.onTxs([tx], 'p1', world);
  expect(world.gossiped).toEqual([]);
  const ask = world.asks.pop() as Ask;
  world.pool.onChecked(ask.call, accepted('aa', 0, 1, 0, 100), world);
  world.pool.onTxs([tx], 'p2', world);
  const [key] = world.gossiped;
  expect(world.gossiped).toHaveLength(1);
  expect(world.pool.byKey(key as string)?.bytes).toEqual(tx);
  expect(world.heardFrom).toEqual([`p1 ${key}`, `p2 ${key}`]);
});

test('for any sequence of operations, proposals have no nonce gap and keep the limits, and the counts are right', () => {
  const op = fc.record({
    sender: fc.constantFrom('aa', 'bb', 'cc'),
    nonce: fc.nat(6),
    tip: fc.nat(40),
    commit: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(op, { maxLength: 60 }), (ops) => {
      const world = new World();
      const stateNonce = new Map<string, number>();
      for (const { sender, nonce, tip, commit } of ops) {
        const at = stateNonce.get(sender) ?? 0;
        if (nonce >= at) world.add(sender, nonce, tip, at, 60 + tip);
        if (!commit) continue;
        const taken = world.pool.reap(200).slice(0, 2);
        const next = new Map<string, bigint>();
        for (const tx of taken) next.set(tx.lane.sender, tx.lane.nonce + 1n);
        for (const [who, to] of next) stateNonce.set(who, Number(to));
        const spenders = [...next].map(([who, to]) => ({ address: who, nonce: to, balance: 10n ** 18n }));
        world.commit(
          taken.map((tx) => tx.bytes),
          spenders,
        );
      }
      const expected = new Map(stateNonce);
      for (const tx of world.pool.reap(1_000_000)) {
        const at = expected.get(tx.lane.sender) ?? 0;
        expect(Number(tx.lane.nonce)).toBe(at);
        expected.set(tx.lane.sender, at + 1);
      }
      const { pending, queued } = world.pool.stats();
      expect(pending + queued).toBe(world.pool.size);
      expect(pending).toBe(world.pool.reap(1_000_000).length);
    }),
    { numRuns: 200 },
  );
});

test('a flushed pool is empty and accepts the same transactions again', () => {
  const world = new World();
  world.add('aa', 0);
  world.add('aa', 1);
  world.add('bb', 3);
  expect(world.pool.size).toBe(3);
  world.pool.flush();
  expect(world.pool.stats()).toEqual({ pending: 0, queued: 0, bytes: 0 });
  expect(world.pool.txs()).toEqual([]);
  expect(world.pool.hasExecutable()).toBe(false);
  expect(world.pool.reap(1_000_000)).toEqual([]);
  expect(world.add('aa', 0)?.kind).toBe('checked');
  expect(world.pool.size).toBe(1);
});

test('the pool offers as many transactions as fit by their least gas', () => {
  const world = new World();
  for (let nonce = 0; nonce < 5; nonce++) world.add('aa', nonce);
  world.pool.setPrices(10n, 3n * 21_000n);
  expect(world.reaped()).toEqual(['aa0', 'aa1', 'aa2']);
  world.pool.setPrices(10n, 20_999n);
  expect(world.reaped()).toEqual([]);
});

/** Ten senders with forty txs each, of which each block takes one a sender, a block a second. */
function behind(maxWaitMs: number): World {
  const world = new World({ ...DEFAULT_MEMPOOL, maxWaitMs });
  const senders = Array.from({ length: 10 }, (_, i) => `0${i}`);
  for (let nonce = 0; nonce < 40; nonce++) for (const sender of senders) world.add(sender, nonce);
  for (let block = 1; block <= 3; block++) {
    const txs = world.pool.txs().filter(({ lane }) => lane.nonce === BigInt(block - 1));
    const moved = senders.map((address) => ({ address, nonce: BigInt(block), balance: 10n ** 9n }));
    const bytes = txs.map((tx) => tx.bytes);
    world.commit(bytes, moved, 10n, block * 1_000_000);
  }
  return world;
}

test("a client's transaction is refused if it would wait longer than maxWaitMs, unless it pays more", () => {
  const world = behind(30_000);
  expect(world.add('00', 40, 1, 3)).toMatchObject({
    refusal: {
      code: 'lane-full',
      message: 'txpool is full: a transaction waits 37000 ms for its block, and may wait 30000 ms',
    },
  });
  expect(world.add('00', 40, 2, 3)).toMatchObject({ kind: 'checked' });
  // Somebody who has little in the pool is not told to wait for those who fill it.
  expect(world.add('aa', 0)).toMatchObject({ kind: 'checked' });
  // A replacement takes no more room.
  expect(world.add('01', 39, 2, 3, 200)).toMatchObject({ kind: 'checked' });
  expect(behind(0).add('00', 40, 1, 3)).toMatchObject({ kind: 'checked' });
  expect(behind(60_000).add('00', 40, 1, 3)).toMatchObject({ kind: 'checked' });
});

test('in a pool that was flushed nothing waits', () => {
  const world = behind(30_000);
  expect(world.add('00', 40, 1, 3)).toMatchObject({ kind: 'refused' });
  world.pool.flush();
  expect(world.add('00', 3, 1, 3)).toMatchObject({ kind: 'checked' });
});

test('transactions from peers are accepted however long they wait', () => {
  const world = behind(30_000);
  const size = world.pool.size;
  world.pool.onTxs([new TextEncoder().encode('x')], 'p1', world);
  const ask = world.asks.pop() as Ask;
  world.pool.onChecked(ask.call, accepted('00', 40, 1, 3, 100), world);
  expect(world.pool.size).toBe(size + 1);
});

test('there is no estimate of the wait while blocks take all waiting transactions', () => {
  const inclusion = new Inclusion();
  inclusion.onBlock(1_000_000, 10, 10);
  inclusion.onBlock(2_000_000, 10, 11);
  expect(inclusion.waitMicros(1000)).toBeUndefined();
  inclusion.onBlock(3_000_000, 10, 11);
  expect(inclusion.waitMicros(1000)).toBe(100_000_000);
  inclusion.onBlock(1_500_000, 10, 11);
  expect(inclusion.waitMicros(1000)).toBeUndefined();
  for (let i = 0; i < 30; i++) inclusion.onBlock(3_000_000 + i * 1_000_000, i < 10 ? 10 : 20, 1000);
  const wait = inclusion.waitMicros(1000) ?? 0;
  expect(wait).toBeGreaterThan(49_000_000);
  expect(wait).toBeLessThan(60_000_000);
});

const txOf = (nonce: number, words = ''): Uint8Array => new TextEncoder().encode(`aa/${nonce}${words}`);

/** Submits the tx of this nonce, in so many words; the application accepts it with what is given. */
function give(
  world: World,
  nonce: number,
  fields: Partial<LanePosition>,
  words = '',
): SubmitResult | undefined {
  const call = 1 + nonce;
  world.replies.delete(call);
  world.pool.submit(txOf(nonce, words), call, world);
  const ask = world.asks.pop();
  const verdict = accepted('aa', nonce, 1, 0, 100);
  if (ask !== undefined && verdict.kind === 'accepted')
    world.pool.onChecked(ask.call, { ...verdict, lane: { ...verdict.lane, ...fields } }, world);
  return world.replies.get(call);
}

test('an expired transaction leaves the pool, and those behind it wait for its nonce', () => {
  const world = new World();
  give(world, 0, { lastHeight: 1n });
  give(world, 1, { lastHeight: 2n });
  expect(world.reaped()).toEqual(['aa0', 'aa1']);
  expect(world.ticks).toBe(0);
  world.commit([], []);
  expect(world.reaped()).toEqual([]);
  expect(world.pool.stats()).toMatchObject({ pending: 0, queued: 1 });
  expect(world.ticks).toBe(1);
  expect(give(world, 0, {})?.kind).toBe('checked');
  expect(world.reaped()).toEqual(['aa0', 'aa1']);
});

test('a transaction behind an expired one waits a whole lifetime from then on', () => {
  const HOUR = 3_600_000_000;
  const world = new World();
  give(world, 0, { lastHeight: 1n });
  give(world, 1, {});
  give(world, 3, {});
  world.pool.onTick(HOUR, world);
  world.commit([], []);
  world.pool.onTick(4 * HOUR, world);
  expect(world.pool.stats()).toMatchObject({ pending: 0, queued: 2 });
  world.pool.onTick(7 * HOUR, world);
  expect(world.pool.size).toBe(0);
});

test('a replaced transaction is accepted again when its replacement is gone', () => {
  const world = new World();
  give(world, 0, {});
  give(world, 1, { cost: 100n });
  const dearer = { tipCap: 2n, feeCap: 200n, cost: 1000n };
  expect(give(world, 1, dearer, 'dearer')?.kind).toBe('checked');
  expect(give(world, 1, { cost: 100n })).toMatchObject({ refusal: { code: 'replacement-underpriced' } });
  world.commit([txOf(0)], [{ address: 'aa', nonce: 1n, balance: 999n }]);
  expect(world.pool.size).toBe(0);
  expect(give(world, 1, { stateNonce: 1n, cost: 100n })?.kind).toBe('checked');
  expect(world.reaped()).toEqual(['aa1']);
});

test('a transaction that was dropped as unaffordable is accepted again later', () => {
  const world = new World();
  give(world, 0, {});
  give(world, 1, { cost: 1000n });
  world.commit([txOf(0)], [{ address: 'aa', nonce: 1n, balance: 999n }]);
  expect(world.pool.size).toBe(0);
  expect(give(world, 1, { stateNonce: 1n, cost: 1000n })?.kind).toBe('checked');
  expect(give(world, 0, {})).toMatchObject({ kind: 'refused', refusal: { code: 'in-cache' } });
});

test.each([
  [127, 129],
  [128, 131],
  [16_383, 16_386],
  [16_384, 16_388],
])('a transaction of %i bytes takes %i of a block', (length, taken) => {
  expect(wireBytes({ bytes: new Uint8Array(length) } as PoolTx)).toBe(taken);
});

test('transactions being checked count against the size of the pool', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, txsMax: 3 });
  for (let i = 0; i < 4; i++) world.pool.submit(Uint8Array.of(i), i, world);
  expect(world.asks).toHaveLength(3);
  expect(world.replies.get(3)).toMatchObject({
    kind: 'refused',
    refusal: { code: 'full', txs: 0, txsMax: 3 },
  });
  world.pool.onTxs([Uint8Array.of(9)], 'peer', world);
  expect(world.asks).toHaveLength(3);
  world.pool.onChecked((world.asks[0] as Ask).call, REJECTED, world);
  world.pool.onTxs([Uint8Array.of(9)], 'peer', world);
  expect(world.asks).toHaveLength(4);
});

test('all senders together may have queuedMax transactions with a nonce gap', () => {
  const world = new World({ ...DEFAULT_MEMPOOL, laneQueuedMax: 2, queuedMax: 3 });
  const refusals = ['aa', 'aa', 'bb', 'cc'].map((sender, i) => {
    const result = world.add(sender, 5 + i);
    return result?.kind === 'refused' ? result.refusal : undefined;
  });
  expect(refusals).toEqual([
    undefined,
    undefined,
    undefined,
    { code: 'lane-full', message: 'txpool is full: 3 queued of 3' },
  ]);
  expect(world.add('cc', 0)?.kind).toBe('checked');
});

test('a transaction with more gas than a block has is never proposed, nor what comes after it', () => {
  const lane = new Lane(0n);
  for (const [nonce, gas] of [21_000n, 50_000n, 21_000n].entries()) {
    const position = (accepted('aa', nonce, 1, 0, 100) as { lane: LanePosition }).lane;
    const tx = { bytes: Uint8Array.of(nonce), key: `${nonce}`, sequence: nonce, announced: false };
    lane.put({ ...tx, lane: { ...position, gas } }, 10);
  }
  const nonces = (gasMax: bigint) =>
    reap([lane], { bytesMax: 1000, gasMax, baseFee: 10n }).map(({ lane: { nonce } }) => nonce);
  expect(nonces(49_999n)).toEqual([0n]);
  expect(nonces(92_000n)).toEqual([0n, 1n, 2n]);
});
