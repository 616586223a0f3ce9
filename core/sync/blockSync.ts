import { encodeBlock } from '../codec/block.ts';
import { headerHash } from '../codec/hashes.ts';
import { PartSet } from '../codec/partSet.ts';
import { validateBlockBasic } from '../codec/validate.ts';
import { assert, present } from '../lib/assert.ts';
import type { CallId } from '../node/contract.ts';
import type { AppReply, FinalizeReply } from '../types/app.ts';
import type { Block, BlockId, Commit } from '../types/block.ts';
import type { Height, Micros, Millis, PeerId } from '../types/ids.ts';
import type { BlocksyncMessage } from '../types/messages.ts';
import type { ChainState } from '../types/state.ts';
import { type Arrived, BlockQueue } from './blockQueue.ts';
import type { SyncOptions, SyncOut } from './contract.ts';
import { holdsPower } from './power.ts';
import { BlockServer } from './server.ts';
import { SyncPeers } from './syncPeers.ts';

const TICK_MS: Millis = 500;
/** When a peer's request allowance is spent, it is asked for more after this delay. */
const HELD_BACK_MS: Millis = 50;
/** How often peers are asked for their heights; more often near the end (CometBFT statusUpdateIntervalSeconds). */
const STATUS_EVERY_MICROS = 10_000_000;
const NEAR_END = 100;
/** How long we wait for connected peers to state their heights before we judge whether we are behind. */
const GREETING_MICROS = 2_000_000;
/** If no peer ever states its height, consensus starts after this. */
const SILENCE_MICROS = 15_000_000;
/** A peer that denies this many heights within its own claim has lied. */
const DENIALS_MAX = 3;

/** The block that the application is executing or storing. */
interface Work {
  readonly call: CallId;
  readonly arrived: Arrived;
  readonly blockId: BlockId;
  readonly parts: PartSet;
  /** The commit carried by the next block, which proves that this one is decided. */
  readonly commit: Commit;
  done: { readonly results: FinalizeReply; readonly state: ChainState } | undefined;
}

/**
 * Brings a node that is behind to the height of its peers (CometBFT's blocksync), then hands over to consensus for good.
 * Block H is decided if the commit in block H+1 says so. It is executed and stored by the same two calls as in
 * consensus. Each height's batch is all that block sync makes durable: after a crash it continues from there.
 *
 * Trust: no block is stored without signatures of more than two thirds of the validators of its height. When two blocks
 * from different peers contradict each other, both are requested from a single peer. This exposes a peer that lied, and
 * no honest peer is dropped for another's lie.
 */
export class BlockSync {
  readonly #options: SyncOptions;
  readonly #server: BlockServer;
  readonly #peers: SyncPeers;
  readonly #queue: BlockQueue;
  #state: ChainState;
  /** Commit of the last block of `#state`. All its signatures are verified. */
  #lastCommit: Commit | undefined;
  #mode: 'waiting' | 'syncing' | 'done' = 'waiting';
  #work: Work | undefined;
  /** The next requests are scheduled (`askAfter`). */
  #isHeldBack = false;
  #moved = false;
  #startedAt: Micros = 0;
  #statusAt: Micros = 0;
  /** Status interval near the end. It starts short and doubles, since the target may move faster than blocks arrive. */
  #nearEvery: Micros = TICK_MS * 1_000;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#server = new BlockServer(options.blocks);
    this.#peers = new SyncPeers(options.sizes);
    this.#queue = new BlockQueue(this.#peers, options.sizes);
    this.#state = options.state;
    this.#lastCommit = options.lastCommit;
    if (!options.enabled) this.#mode = 'done';
  }

  /** Consensus does not run while this is true. */
  get active(): boolean {
    return this.#mode !== 'done';
  }

  /** Highest height claimed by a peer that has the next block; 0 without one. */
  get target(): Height {
    return this.#peers.heightMax(this.#next());
  }

  /** Whether a block from this peer would be considered. */
  heeds(peer: PeerId): boolean {
    return this.active && this.#peers.find(peer) !== undefined;
  }

  /** Whether the answer of the application is for block sync. */
  owns(call: CallId): boolean {
    return this.#work?.call === call;
  }

  start(now: Micros, out: SyncOut): void {
    assert(this.#mode !== 'syncing', 'started twice');
    this.#startedAt = now;
    if (this.#mode === 'done') return;
    this.#mode = 'syncing';
    if (holdsPower(this.#state, this.#options.self, 1n)) this.#finish(out);
    else out.tickAfter(TICK_MS);
  }

  onPeerUp(peer: PeerId, now: Micros, out: SyncOut): void {
    this.#server.onPeerUp(peer, now, out);
    if (this.active && this.#peers.add(peer, now)) out.send([peer], { kind: 'statusRequest' });
  }

  onPeerDown(peer: PeerId, now: Micros, out: SyncOut): void {
    this.#server.onPeerDown(peer);
    if (!this.active) return;
    this.#forget(peer);
    if (this.#mode === 'syncing') this.#request(now, out);
  }

  onMessage(peer: PeerId, now: Micros, message: BlocksyncMessage, out: SyncOut): void {
    if (message.kind === 'blockRequest' || message.kind === 'statusRequest') {
      this.#server.onRequest(peer, now, message, out);
      return;
    }
    if (!this.active) return;
    if (message.kind === 'statusResponse') this.#onStatus(peer, now, message, out);
    else if (message.kind === 'noBlockResponse') this.#onDenial(peer, now, message.height, out);
    else this.#onBlock(peer, now, message.block, out);
    this.#go(now, out);
  }

  onTick(now: Micros, out: SyncOut): void {
    if (this.#mode !== 'syncing') return;
    out.tickAfter(TICK_MS);
    for (const { peer, reason } of this.#queue.overdue(now, this.#next())) {
      this.#forget(peer);
      this.#peers.giveUp(peer);
      out.drop(peer, reason);
    }
    if (this.#isCaughtUp(now)) {
      this.#finish(out);
      return;
    }
    this.#peers.forgive(now);
    const isNear = this.#next() + NEAR_END >= this.target;
    const isDue = now - this.#statusAt >= (isNear ? this.#nearEvery : STATUS_EVERY_MICROS);
    if (this.#peers.all.length > 0 && isDue) {
      this.#statusAt = now;
      if (isNear) this.#nearEvery = Math.min(2 * this.#nearEvery, STATUS_EVERY_MICROS);
      out.send(this.#peers.ids, { kind: 'statusRequest' });
    }
    this.#go(now, out);
  }

  onAsk(now: Micros, out: SyncOut): void {
    this.#isHeldBack = false;
    this.#go(now, out);
  }

  /** The application's answer to a question of ours. */
  onApp(now: Micros, call: CallId, reply: AppReply, out: SyncOut): void {
    const work = present(this.#work, 'an answer to our question');
    assert(work.call === call, 'the answer belongs to the open question');
    if (reply.kind === 'finalized') this.#onFinalized(work, reply.result, out);
    else {
      assert(reply.kind === 'committed', 'finalize and commit are all we ask');
      const { results, state } = present(work.done, 'commit follows finalize');
      this.#work = undefined;
      this.#state = state;
      this.#lastCommit = work.commit;
      this.#moved = true;
      const { blockId, arrived } = work;
      for (const liar of this.#queue.settle(state.lastBlockHeight, blockId)) {
        this.#ban(liar, now, `blocksync: sent a block ${state.lastBlockHeight} that was not decided`, out);
      }
      out.committed({ block: arrived.block, blockId, results, state, reply: reply.result });
      this.#go(now, out);
    }
  }

  #next(): Height {
    return this.#options.rules.nextHeight(this.#state);
  }

  #onStatus(
    peer: PeerId,
    now: Micros,
    { base, height }: Extract<BlocksyncMessage, { kind: 'statusResponse' }>,
    out: SyncOut,
  ): void {
    const known = this.#peers.find(peer);
    if (known === undefined) return;
    // ASA-2025-001: a peer that could lower its height could keep us waiting for blocks that it never had.
    if (known.claim !== undefined && (height < known.claim.height || base < known.claim.base)) {
      this.#ban(peer, now, `blocksync: height lowered from ${known.claim.height} to ${height}`, out);
      return;
    }
    known.claim = { base, height };
  }

  #onDenial(peer: PeerId, now: Micros, height: Height, out: SyncOut): void {
    const known = this.#peers.find(peer);
    if (known === undefined || !this.#queue.denied(known, height)) return;
    known.denials++;
    if (known.denials < DENIALS_MAX) return;
    this.#ban(peer, now, `blocksync: has no block ${height}, against its own status`, out);
  }

  #onBlock(peer: PeerId, now: Micros, block: Block, out: SyncOut): void {
    const known = this.#peers.find(peer);
    if (known === undefined) return;
    const { height } = block.header;
    if (!known.asked.has(height)) {
      this.#ban(peer, now, `blocksync: block ${height} was not asked for`, out);
      return;
    }
    const basic = validateBlockBasic(block);
    if (basic.ok) this.#queue.arrived(known, block);
    else this.#ban(peer, now, `blocksync: block ${height}: ${basic.error.message}`, out);
  }

  /** Applies the blocks that can be applied and requests more. */
  #go(now: Micros, out: SyncOut): void {
    if (this.#mode !== 'syncing') return;
    while (this.#work === undefined && this.#tryNext(now, out)) {}
    this.#request(now, out);
  }

  #request(now: Micros, out: SyncOut): void {
    for (const { peer, height } of this.#queue.wanted(now, this.#next())) {
      out.send([peer], { kind: 'blockRequest', height });
    }
    if (this.#isHeldBack || !this.#peers.all.some(({ allowance }) => allowance.isSpent(now))) return;
    this.#isHeldBack = true;
    out.askAfter(HELD_BACK_MS);
  }

  /** Judges the next pair of blocks. True if that settled something and there may be more to do. */
  #tryNext(now: Micros, out: SyncOut): boolean {
    const height = this.#next();
    const [first, second] = [this.#queue.at(height), this.#queue.at(height + 1)];
    if (first === undefined || second === undefined) return false;
    const { rules } = this.#options;
    const parts = PartSet.of(encodeBlock(first.block));
    const blockId = { hash: headerHash(first.block.header), parts: parts.header };
    const commit = second.block.lastCommit;
    const decided = rules.checkCommit(this.#state, blockId, commit);
    if (!decided.ok) {
      const liar = this.#queue.mismatch(height, first, second);
      if (liar !== undefined) {
        this.#ban(
          liar,
          now,
          `blocksync: blocks ${height} and ${height + 1} do not fit: ${decided.error}`,
          out,
        );
      }
      return true;
    }
    const checked = rules.checkBlock(this.#state, first.block, this.#lastCommit);
    if (!checked.ok) {
      // Two thirds of the validators signed it, so no peer is to blame: our own state is, or they are.
      out.halt(`height ${height}: the block that was decided is invalid here: ${checked.error}`);
      this.#mode = 'done';
      return false;
    }
    const call = this.#options.nextCall();
    this.#work = { call, arrived: first, blockId, parts, commit, done: undefined };
    const context = rules.context(this.#state, first.block);
    out.app(call, { kind: 'finalize', context, hash: blockId.hash, txs: first.block.txs });
    return true;
  }

  #onFinalized(work: Work, results: FinalizeReply, out: SyncOut): void {
    const { arrived, blockId, parts, commit } = work;
    const next = this.#options.rules.next(this.#state, blockId, arrived.block, results);
    if (!next.ok) {
      out.halt(`height ${this.#next()}: the application's answer is not usable: ${next.error.code}`);
      this.#mode = 'done';
      return;
    }
    const state = next.value;
    const call = this.#options.nextCall();
    this.#work = { ...work, call, done: { results, state } };
    const { block } = arrived;
    out.app(call, {
      kind: 'commit',
      block,
      blockId,
      parts: parts.parts(),
      seenCommit: commit,
      state,
      results,
    });
  }

  #ban(peer: PeerId, now: Micros, reason: string, out: SyncOut): void {
    this.#forget(peer);
    this.#peers.ban(peer, now);
    out.drop(peer, reason);
  }

  #forget(peer: PeerId): void {
    this.#queue.release(peer);
    this.#peers.remove(peer);
  }

  #isCaughtUp(now: Micros): boolean {
    if (this.#work !== undefined) return false;
    const peers = this.#peers.all;
    const answered = peers.filter((peer) => peer.claim !== undefined).length;
    const first = peers.reduce((min, peer) => Math.min(min, peer.since), now);
    if (answered === 0) {
      // Without our third of the power nothing is decided. So no peer is far ahead, and waiting would stop the chain.
      if (holdsPower(this.#state, this.#options.self, 3n)) return now - this.#startedAt >= GREETING_MICROS;
      return peers.length > 0 && now - first >= SILENCE_MICROS;
    }
    if (answered < peers.length && now - first < GREETING_MICROS) return false;
    return this.#next() >= this.target;
  }

  #finish(out: SyncOut): void {
    const next = this.#next();
    if (this.#peers.all.some(({ claim }) => claim !== undefined && claim.base > next)) {
      out.note('warn', `a peer no longer has block ${next}, which this node needs next`);
    }
    this.#mode = 'done';
    this.#queue.clear();
    out.done(this.#state, this.#lastCommit, this.#moved);
  }
}
