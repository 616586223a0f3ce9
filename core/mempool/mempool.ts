import { encodeTxsMessage } from '../codec/messages.ts';
import { assert, present } from '../lib/assert.ts';
import { type Bytes, toHex } from '../lib/bytes.ts';
import type { AppAsk, CheckReply, CommitReply } from '../types/app.ts';
import type { PeerId } from '../types/ids.ts';
import type { MempoolRefusal, SubmitResult } from '../types/submit.ts';
import { Lane, type PoolTx } from './lane.ts';
import { type ReapLimits, reap, wireBytes } from './order.ts';
import { SeenCache } from './seen.ts';
import { type Tail, worstTail } from './worstTail.ts';

export interface MempoolConfig {
  /** Transactions in the pool (CometBFT mempool.size). */
  readonly txsMax: number;
  readonly bytesMax: number;
  readonly txBytesMax: number;
  /** Remembered tx hashes (CometBFT mempool.cache_size). */
  readonly cacheMax: number;
  /** Non-executable txs of one sender, and of all (geth account-queue, global-queue). */
  readonly laneQueuedMax: number;
  readonly queuedMax: number;
}

export const DEFAULT_MEMPOOL: MempoolConfig = {
  txsMax: 5000,
  bytesMax: 1_073_741_824,
  txBytesMax: 1_048_576,
  cacheMax: 10_000,
  laneQueuedMax: 64,
  queuedMax: 1024,
};

export interface MempoolOut {
  check(call: number, ask: Extract<AppAsk, { kind: 'checkTx' }>): void;
  reply(call: number, result: SubmitResult): void;
  pending(tx: PoolTx): void;
  gossip(to: readonly PeerId[], bytes: Bytes): void;
}

interface Check {
  readonly tx: Bytes;
  readonly hash: Bytes;
  readonly key: string;
  /** The submit call that waits for the verdict; undefined when a peer sent the tx. */
  readonly call: number | undefined;
  readonly from: readonly PeerId[];
  readonly epoch: number;
}

/**
 * Transactions that passed the application's check, in one lane a sender. Answers what a proposer may take; forgets
 * what was committed or can no longer be paid. Holds no opinion on validity of its own.
 */
export class Mempool {
  readonly #config: MempoolConfig;
  readonly #sha256: (bytes: Bytes) => Bytes;
  readonly #nextCall: () => number;
  readonly #lanes = new Map<string, Lane>();
  readonly #byKey = new Map<string, PoolTx>();
  readonly #byEthHash = new Map<string, PoolTx>();
  readonly #checks = new Map<number, Check>();
  readonly #seen: SeenCache;
  #peers: readonly PeerId[] = [];
  #bytes = 0;
  #executable = 0;
  #sequence = 0;
  /** Counts commits: a verdict given against an older state is asked for again. */
  #epoch = 0;
  #baseFee = 0n;
  #gasLimit = 0n;

  constructor(config: MempoolConfig, sha256: (bytes: Bytes) => Bytes, nextCall: () => number) {
    this.#config = config;
    this.#sha256 = sha256;
    this.#nextCall = nextCall;
    this.#seen = new SeenCache(config.cacheMax);
  }

  get size(): number {
    return this.#byKey.size;
  }

  stats(): { readonly pending: number; readonly queued: number; readonly bytes: number } {
    return { pending: this.#executable, queued: this.#byKey.size - this.#executable, bytes: this.#bytes };
  }

  /** In arrival order. */
  txs(): readonly PoolTx[] {
    return [...this.#byKey.values()];
  }

  byEthHash(hash: Bytes): PoolTx | undefined {
    return this.#byEthHash.get(toHex(hash));
  }

  /** By sender in lower-case hex. */
  lanes(): Iterable<readonly [string, Lane]> {
    return this.#lanes;
  }

  /** `sender` in lower-case hex. */
  lane(sender: string): Lane | undefined {
    return this.#lanes.get(sender);
  }

  /** Prices of the next block, known from the state before the first commit of this run. */
  setPrices(baseFee: bigint, gasLimit: bigint): void {
    this.#baseFee = baseFee;
    this.#gasLimit = gasLimit;
  }

  onPeerUp(peer: PeerId, out: MempoolOut): void {
    this.#peers = [...this.#peers.filter((other) => other !== peer), peer].sort();
    for (const tx of this.#byKey.values()) out.gossip([peer], encodeTxsMessage({ txs: [tx.bytes] }));
  }

  onPeerDown(peer: PeerId): void {
    this.#peers = this.#peers.filter((other) => other !== peer);
  }

  submit(tx: Bytes, call: number, out: MempoolOut): void {
    const hash = this.#sha256(tx);
    const refusal = this.#refuse(tx, toHex(hash));
    if (refusal !== undefined) out.reply(call, { kind: 'refused', hash, refusal });
    else this.#ask({ tx, hash, key: toHex(hash), call, from: [], epoch: this.#epoch }, out);
  }

  /** Refusals of gossiped txs are silent: duplicates are the normal case. */
  onTxs(txs: readonly Bytes[], peer: PeerId, out: MempoolOut): void {
    for (const tx of txs) {
      const hash = this.#sha256(tx);
      const key = toHex(hash);
      if (this.#refuse(tx, key) !== undefined) continue;
      this.#ask({ tx, hash, key, call: undefined, from: [peer], epoch: this.#epoch }, out);
    }
  }

  /** The refusal of a pool that takes no more. */
  fullness(): MempoolRefusal {
    const { txsMax, bytesMax } = this.#config;
    return { code: 'full', txs: this.#byKey.size, txsMax, bytes: this.#bytes, bytesMax };
  }

  #refuse(tx: Bytes, key: string): MempoolRefusal | undefined {
    const { txsMax, bytesMax, txBytesMax } = this.#config;
    // A full pool still looks at what is offered: a better price drives out the worst.
    if (this.#checks.size >= txsMax || this.#bytes + tx.length > bytesMax) return this.fullness();
    if (tx.length > txBytesMax) return { code: 'too-large', bytes: tx.length, bytesMax: txBytesMax };
    return this.#seen.add(key) ? undefined : { code: 'in-cache' };
  }

  #ask(check: Check, out: MempoolOut): void {
    const call = this.#nextCall();
    this.#checks.set(call, check);
    out.check(call, { kind: 'checkTx', tx: check.tx, recheck: false });
  }

  onChecked(call: number, result: CheckReply, out: MempoolOut): void {
    const check = present(this.#checks.get(call), 'verdict for an unknown check');
    this.#checks.delete(call);
    if (result.kind === 'accepted' && check.epoch !== this.#epoch) {
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

  #insert(
    check: Check,
    result: CheckReply & { kind: 'accepted' },
    out: MempoolOut,
  ): MempoolRefusal | undefined {
    const { sender, nonce, stateNonce, balance } = result.lane;
    const lane = this.#lanes.get(sender) ?? new Lane(stateNonce);
    // The nonce may have moved without a tx of the sender: an EIP-7702 authorization uses one.
    if (stateNonce > lane.stateNonce) this.#advance(lane, stateNonce, balance);
    const tx: PoolTx = {
      bytes: check.tx,
      key: check.key,
      lane: result.lane,
      sequence: this.#sequence++,
      announced: false,
    };
    const refusal = lane.at(nonce) === undefined ? this.#refuseNew(lane, tx) : undefined;
    if (refusal !== undefined) return refusal;
    const before = lane.executable;
    const put = lane.put(tx);
    if (put === 'underpriced') return { code: 'replacement-underpriced' };
    this.#lanes.set(sender, lane);
    if (put.replaced !== undefined) this.#forget(put.replaced);
    this.#remember(tx);
    this.#executable += lane.executable - before;
    this.#announce(lane, nonce, out);
    const to = this.#peers.filter((peer) => !check.from.includes(peer));
    if (to.length > 0) out.gossip(to, encodeTxsMessage({ txs: [tx.bytes] }));
    return undefined;
  }

  /** For a tx that replaces none: the account's limits, then the pool's. */
  #refuseNew(lane: Lane, tx: PoolTx): MempoolRefusal | undefined {
    const gapped = tx.lane.nonce > lane.stateNonce + BigInt(lane.executable);
    if (tx.lane.isDelegated === true) {
      // Anyone may move the coins of a delegated account: what waits behind its first tx may fail at any time.
      if (gapped) return { code: 'lane-full', message: 'gapped-nonce tx from delegated accounts' };
      if (lane.size > 0)
        return { code: 'lane-full', message: 'in-flight transaction limit reached for delegated accounts' };
    }
    const refusal = gapped ? this.#refuseQueued(lane, lane.executable) : undefined;
    if (refusal !== undefined || this.#byKey.size < this.#config.txsMax) return refusal;
    return this.#evictFor(lane, tx) ? undefined : this.fullness();
  }

  /** True when the cheapest tail left for `fresh`. */
  #evictFor(own: Lane, fresh: PoolTx): boolean {
    const worst = worstTail(this.#lanes, own, fresh);
    if (worst !== undefined) this.#evict(worst, own);
    return worst !== undefined;
  }

  #evict({ sender, lane, tx }: Tail, own: Lane): void {
    const before = lane.executable;
    lane.dropTail();
    this.#executable += lane.executable - before;
    this.#forget(tx);
    this.#seen.remove(tx.key);
    if (lane.size === 0 && lane !== own) this.#lanes.delete(sender);
  }

  #refuseQueued(lane: Lane, executable: number): MempoolRefusal | undefined {
    const { laneQueuedMax, queuedMax } = this.#config;
    const laneQueued = lane.size - executable;
    if (laneQueued >= laneQueuedMax) {
      return {
        code: 'lane-full',
        message: `account limit exceeded: ${laneQueued} queued of ${laneQueuedMax}`,
      };
    }
    const queued = this.#byKey.size - this.#executable;
    if (queued < queuedMax) return undefined;
    return { code: 'lane-full', message: `txpool is full: ${queued} queued of ${queuedMax}` };
  }

  /** Tells of the executable txs from `nonce` on that were not told of before. */
  #announce(lane: Lane, nonce: bigint, out: MempoolOut): void {
    for (let i = Number(nonce - lane.stateNonce); i < lane.executable; i++) {
      const tx = lane.txs[i] as PoolTx;
      if (tx.announced) continue;
      tx.announced = true;
      out.pending(tx);
    }
  }

  #remember(tx: PoolTx): void {
    this.#byKey.set(tx.key, tx);
    if (tx.lane.ethHash !== undefined) this.#byEthHash.set(toHex(tx.lane.ethHash), tx);
    this.#bytes += wireBytes(tx);
  }

  #forget(tx: PoolTx): void {
    assert(this.#byKey.delete(tx.key), 'tx in a lane but not in the pool');
    if (tx.lane.ethHash !== undefined) this.#byEthHash.delete(toHex(tx.lane.ethHash));
    this.#bytes -= wireBytes(tx);
  }

  /** True when a proposer would find something to take. */
  hasExecutable(): boolean {
    for (const lane of this.#lanes.values()) {
      const head = lane.executable > 0 ? lane.txs[0] : undefined;
      if (head !== undefined && head.lane.feeCap >= this.#baseFee) return true;
    }
    return false;
  }

  reap(bytesMax: number): readonly PoolTx[] {
    const limits: ReapLimits = { bytesMax, gasMax: this.#gasLimit, baseFee: this.#baseFee };
    return reap(this.#lanes.values(), limits);
  }

  /** After the commit of a block: `txs` are its transactions. */
  onCommitted(txs: readonly Bytes[], reply: CommitReply, out: MempoolOut): void {
    this.#epoch += 1;
    this.setPrices(reply.nextBaseFee, reply.gasLimit);
    for (const tx of txs) this.#seen.add(toHex(this.#sha256(tx)));
    for (const { sender, nonce, balance } of reply.senders) {
      const lane = this.#lanes.get(sender);
      if (lane === undefined) continue;
      this.#advance(lane, nonce, balance);
      this.#announce(lane, nonce, out);
      if (lane.size === 0) this.#lanes.delete(sender);
    }
  }

  #advance(lane: Lane, stateNonce: bigint, balance: bigint): void {
    const before = lane.executable;
    for (const gone of lane.advance(stateNonce, balance)) this.#forget(gone);
    this.#executable += lane.executable - before;
  }
}
