import { entryBytes } from '../codec/writer.ts';
import { present } from '../lib/assert.ts';
import { type Bytes, toHex } from '../lib/bytes.ts';
import type { CheckReply, CommitReply, LanePosition } from '../types/app.ts';
import type { Micros, PeerId } from '../types/ids.ts';
import type { MempoolRefusal } from '../types/submit.ts';
import { type Check, Checks } from './check.ts';
import type { MempoolConfig } from './config.ts';
import { Lane, type PoolTx } from './lane.ts';
import { isGapped, refuseForLane } from './laneRules.ts';
import type { MempoolOut } from './mempoolOut.ts';
import { type ReapLimits, reap } from './order.ts';
import { Pooled } from './pooled.ts';
import { SeenCache } from './seen.ts';
import { type Contest, victimFor } from './victim.ts';
import { WaitLimit } from './waitLimit.ts';

/** How often waiting lanes are checked, while there are any. */
const TICK_MS = 60_000;

/**
 * Transactions that have passed the application's check, in one lane per sender. Returns what a proposer may take, and
 * forgets what was committed or can no longer be paid. It does not judge validity itself.
 */
export class Mempool {
  readonly #config: MempoolConfig;
  readonly #sha256: (bytes: Bytes) => Bytes;
  readonly #nextCall: () => number;
  readonly #lanes = new Map<string, Lane>();
  readonly #pooled = new Pooled();
  readonly #checks = new Checks();
  readonly #seen: SeenCache;
  readonly #waitLimit: WaitLimit;
  #executable = 0;
  #ticking = false;
  #sequence = 0;
  /** Counts commits. An acceptance against an older state is checked again. */
  #epoch = 0;
  #baseFee = 0n;
  #gasLimit = 0n;
  /** The bytes that a block has room for. */
  #roomBytes = Number.MAX_SAFE_INTEGER;

  constructor(config: MempoolConfig, sha256: (bytes: Bytes) => Bytes, nextCall: () => number) {
    this.#config = config;
    this.#sha256 = sha256;
    this.#nextCall = nextCall;
    this.#seen = new SeenCache(config.cacheMax);
    this.#waitLimit = new WaitLimit(config.maxWaitMs);
  }

  get size(): number {
    return this.#pooled.size;
  }

  stats(): { readonly pending: number; readonly queued: number; readonly bytes: number } {
    return { pending: this.#executable, queued: this.#queued, bytes: this.#pooled.bytes };
  }

  /** Includes transactions that are still being checked. */
  get #bytes(): number {
    return this.#pooled.bytes + this.#checks.bytes;
  }

  get #queued(): number {
    return this.#pooled.size - this.#executable;
  }

  /** In arrival order. */
  txs(): readonly PoolTx[] {
    return [...this.#pooled.txs()];
  }

  /** By the lower-case hex of its sha256. */
  byKey(key: string): PoolTx | undefined {
    return this.#pooled.byKey(key);
  }

  byEthHash(hash: Bytes): PoolTx | undefined {
    return this.#pooled.byEthHash(hash);
  }

  /** By sender in lower-case hex. */
  lanes(): Iterable<readonly [string, Lane]> {
    return this.#lanes;
  }

  /** `sender` in lower-case hex. */
  lane(sender: string): Lane | undefined {
    return this.#lanes.get(sender);
  }

  /** Prices of the next block. Before the first commit of this run they come from the stored state. */
  setPrices(baseFee: bigint, gasLimit: bigint): void {
    this.#baseFee = baseFee;
    this.#gasLimit = gasLimit;
  }

  /**
   * Sets the room in a block, as far as params and validators determine it. A transaction that fits into no block would
   * block its sender's lane forever, and would trigger block production again and again where blocks are made on
   * demand.
   */
  setRoomBytes(roomBytes: number): void {
    const isLess = roomBytes < this.#roomBytes;
    this.#roomBytes = roomBytes;
    if (isLess) this.#sweep((lane) => lane.takeLargerThan(roomBytes));
  }

  submit(tx: Bytes, call: number, out: MempoolOut): void {
    const hash = this.#sha256(tx);
    const refusal = this.#refuse(tx, toHex(hash));
    if (refusal !== undefined) out.reply(call, { kind: 'refused', hash, refusal });
    else this.#ask({ tx, hash, key: toHex(hash), call, epoch: this.#epoch }, out);
  }

  /** Refuses silently: for gossiped txs, duplicates are the normal case. */
  onTxs(txs: readonly Bytes[], peer: PeerId, out: MempoolOut): void {
    for (const tx of txs) {
      const hash = this.#sha256(tx);
      const key = toHex(hash);
      out.heard(peer, key);
      if (this.#refuse(tx, key) !== undefined) continue;
      this.#ask({ tx, hash, key, call: undefined, epoch: this.#epoch }, out);
    }
  }

  /** The refusal of a full pool. */
  fullness(why?: 'underpriced'): MempoolRefusal {
    const { txsMax, bytesMax } = this.#config;
    const held = { txs: this.#pooled.size, txsMax, bytes: this.#bytes, bytesMax };
    return { code: 'full', ...held, ...(why === undefined ? {} : { isUnderpriced: true }) };
  }

  #refuse(tx: Bytes, key: string): MempoolRefusal | undefined {
    const { txsMax, bytesMax, txBytesMax } = this.#config;
    // A full pool still checks transactions: a better price evicts the worst one.
    if (this.#checks.size >= txsMax || this.#bytes + tx.length > bytesMax) return this.fullness();
    if (tx.length > txBytesMax) return { code: 'too-large', bytes: tx.length, bytesMax: txBytesMax };
    const beyond = this.#refuseForBlock(tx);
    if (beyond !== undefined) return beyond;
    return this.#seen.add(key) ? undefined : { code: 'in-cache' };
  }

  #refuseForBlock(tx: Bytes): MempoolRefusal | undefined {
    const bytes = entryBytes(tx.length);
    if (bytes <= this.#roomBytes) return undefined;
    return { code: 'beyond-block', bytes, bytesMax: this.#roomBytes };
  }

  #ask(check: Check, out: MempoolOut): void {
    const call = this.#nextCall();
    this.#checks.add(call, check);
    out.check(call, { kind: 'checkTx', tx: check.tx, recheck: false });
  }

  onChecked(call: number, result: CheckReply, out: MempoolOut): void {
    const check = this.#checks.take(call);
    if (result.kind === 'accepted' && (check.epoch !== this.#epoch || this.#isOvertaken(result.lane))) {
      this.#ask({ ...check, epoch: this.#epoch }, out);
      return;
    }
    const refusal = result.kind === 'accepted' ? this.#insert(check, result, out) : undefined;
    if (result.kind === 'rejected' || refusal !== undefined) this.#seen.remove(check.key);
    if (check.call === undefined) return;
    const { hash } = check;
    out.reply(
      check.call,
      refusal === undefined ? { kind: 'checked', hash, result } : { kind: 'refused', hash, refusal },
    );
  }

  /** Verdicts come in any order. One from a newer state, whose commit we do not know yet, may have moved the lane. */
  #isOvertaken({ sender, stateNonce }: LanePosition): boolean {
    const lane = this.#lanes.get(sender);
    return lane !== undefined && stateNonce < lane.stateNonce;
  }

  #insert(
    check: Check,
    result: CheckReply & { kind: 'accepted' },
    out: MempoolOut,
  ): MempoolRefusal | undefined {
    const { sender, nonce, stateNonce, balance } = result.lane;
    const lane = this.#lanes.get(sender) ?? new Lane(stateNonce);
    // The verdict may come from a newer state than that of the last commit we were told of.
    if (stateNonce > lane.stateNonce) {
      this.#advance(lane, stateNonce, balance);
      this.#announce(lane, stateNonce, out);
      if (lane.size === 0) this.#lanes.delete(sender);
    }
    const tx: PoolTx = {
      bytes: check.tx,
      key: check.key,
      lane: result.lane,
      sequence: this.#sequence++,
      announced: false,
    };
    const { laneSlots } = this.#config;
    const contest = { lanes: this.#lanes, own: lane, fresh: tx, laneSlots, baseFee: this.#baseFee };
    const refusal =
      this.#refuseForBlock(tx.bytes) ??
      refuseForLane(lane, tx, this.#queued, this.#config) ??
      (check.call === undefined ? undefined : this.#waitLimit.refuse(contest)) ??
      this.#makeRoom(contest);
    if (refusal !== undefined) return refusal;
    const before = lane.executable;
    const put = lane.put(tx, this.#config.priceBumpPercent);
    if (put === 'underpriced') return { code: 'replacement-underpriced' };
    this.#lanes.set(sender, lane);
    if (put.replaced !== undefined) {
      this.#pooled.remove(put.replaced);
      // The sender may want it again if the replacement is dropped.
      this.#seen.remove(put.replaced.key);
    }
    this.#pooled.add(tx);
    this.#executable += lane.executable - before;
    if (result.lane.feeCap >= this.#baseFee) this.#waitLimit.added(lane.executable - before);
    this.#announce(lane, nonce, out);
    out.gossip(tx);
    this.#tickWhileQueued(out);
    return undefined;
  }

  /** In a full pool, a tx that replaces none has to evict another one. */
  #makeRoom(contest: Contest): MempoolRefusal | undefined {
    const { own, fresh } = contest;
    if (this.#pooled.size < this.#config.txsMax || own.at(fresh.lane.nonce) !== undefined) return undefined;
    const victim = victimFor(contest);
    if (victim === undefined) return this.fullness('underpriced');
    if (isGapped(own, fresh) && victim.lane.size === victim.lane.executable)
      return { code: 'lane-full', message: 'future transaction tries to replace pending transaction' };
    this.#dropTail(victim.lane);
    if (victim.lane.size === 0 && victim.lane !== own) this.#lanes.delete(victim.sender);
    return undefined;
  }

  #dropTail(lane: Lane): void {
    const before = lane.executable;
    const tx = present(lane.dropTail(), 'a lane without a tail');
    this.#executable += lane.executable - before;
    this.#pooled.remove(tx);
    this.#seen.remove(tx.key);
  }

  #tickWhileQueued(out: MempoolOut): void {
    if (this.#ticking || this.#queued === 0) return;
    this.#ticking = true;
    out.tickAfter(TICK_MS);
  }

  /** Drops transactions that have waited too long for a missing nonce. */
  onTick(now: Micros, out: MempoolOut): void {
    this.#ticking = false;
    for (const [sender, lane] of this.#lanes) {
      if (lane.waited(now) < this.#config.queuedLifetimeMs * 1000) continue;
      while (lane.size > lane.executable) this.#dropTail(lane);
      if (lane.size === 0) this.#lanes.delete(sender);
    }
    this.#tickWhileQueued(out);
  }

  /** Announces the executable txs from `nonce` on that were not announced before. */
  #announce(lane: Lane, nonce: bigint, out: MempoolOut): void {
    for (let i = Number(nonce - lane.stateNonce); i < lane.executable; i++) {
      const tx = lane.txs[i] as PoolTx;
      if (tx.announced) continue;
      tx.announced = true;
      out.pending(tx);
    }
  }

  /** Whether a proposer would find something to take. */
  hasExecutable(): boolean {
    for (const lane of this.#lanes.values()) {
      const head = lane.executable > 0 ? lane.txs[0] : undefined;
      if (head !== undefined && head.lane.feeCap >= this.#baseFee) return true;
    }
    return false;
  }

  /** Forgets all transactions, and that they were seen. Those being checked will still come in. */
  flush(): void {
    this.#lanes.clear();
    this.#pooled.clear();
    this.#seen.clear();
    this.#waitLimit.flushed();
    this.#executable = 0;
  }

  reap(bytesMax: number): readonly PoolTx[] {
    const limits: ReapLimits = { bytesMax, gasMax: this.#gasLimit, baseFee: this.#baseFee };
    return reap(this.#lanes.values(), limits);
  }

  /** A block with the transactions `txs` was committed. */
  onCommitted(now: Micros, txs: readonly Bytes[], reply: CommitReply, out: MempoolOut): void {
    this.#epoch += 1;
    this.setPrices(reply.nextBaseFee, reply.gasLimit);
    for (const tx of txs) this.#seen.add(toHex(this.#sha256(tx)));
    for (const { address, nonce, balance } of reply.spenders) {
      const lane = this.#lanes.get(address);
      if (lane === undefined) continue;
      this.#advance(lane, nonce, balance);
      this.#announce(lane, nonce, out);
      if (lane.size === 0) this.#lanes.delete(address);
    }
    if (this.#pooled.expiring > 0) this.#sweep((lane) => lane.expire(reply.height));
    this.#waitLimit.onCommitted(now, txs.length, this.#lanes.values(), this.#baseFee);
    this.#tickWhileQueued(out);
  }

  #advance(lane: Lane, stateNonce: bigint, balance: bigint): void {
    const before = lane.executable;
    this.#forget(lane, before, lane.advance(stateNonce, balance));
  }

  /** Removes txs from all lanes: a tx that no block may hold would hold up all that follow it. */
  #sweep(takeOut: (lane: Lane) => readonly PoolTx[]): void {
    for (const [sender, lane] of this.#lanes) {
      const before = lane.executable;
      this.#forget(lane, before, takeOut(lane));
      if (lane.size === 0) this.#lanes.delete(sender);
    }
  }

  #forget(lane: Lane, before: number, gone: readonly PoolTx[]): void {
    for (const tx of gone) {
      this.#pooled.remove(tx);
      // It was not executed: its sender may be able to pay for it later.
      if (tx.lane.nonce >= lane.stateNonce) this.#seen.remove(tx.key);
    }
    this.#executable += lane.executable - before;
  }
}
