import type { ConsensusInput, ConsensusNotice, Out } from '../consensus/contract.ts';
import type { LogError } from '../consensus/log.ts';
import type { Consensus } from '../consensus/machine.ts';
import { txRoomBytes } from '../consensus/params.ts';
import type { EvidenceGossip, EvidenceGossipOut } from '../evidence/evidenceGossip.ts';
import type { EvidencePool } from '../evidence/pool.ts';
import { evidenceHeight } from '../evidence/verify.ts';
import type { GossipOut } from '../gossip/contract.ts';
import type { Gossip } from '../gossip/gossip.ts';
import { present, unreachable } from '../lib/assert.ts';
import type { Result } from '../lib/result.ts';
import { SteadyClock } from '../lib/steadyClock.ts';
import type { Mempool } from '../mempool/mempool.ts';
import type { MempoolOut } from '../mempool/mempoolOut.ts';
import type { RelayOut, TxRelay } from '../p2p/txRelay.ts';
import type { BlockSync } from '../sync/blockSync.ts';
import type { SyncedBlock, SyncOut } from '../sync/contract.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Height, Micros, PeerId } from '../types/ids.ts';
import { type MessageSinks, routeMessage, routeWhileSyncing } from './consensusMessages.ts';
import { CHANNELS, type Effect, type Input, type LogRecord, type Machine } from './contract.ts';
import { evidenceVerdict } from './evidenceVerdict.ts';
import { channelOf, type FrameDecoder, isBlock, type PeerMessage } from './ingress.ts';
import { syncOutOf } from './syncOut.ts';

/** The machines of one node. Only this file knows all of them; they do not know each other. */
export interface NodeParts {
  readonly consensus: Consensus;
  readonly gossip: Gossip;
  readonly mempool: Mempool;
  readonly txRelay: TxRelay;
  readonly evidence: EvidencePool;
  readonly evidenceGossip: EvidenceGossip;
  readonly sync: BlockSync;
  readonly initialHeight: Height;
  readonly decodeFrame: FrameDecoder;
}

const NOTHING: readonly Effect[] = [];

/** Routes inputs to machines and messages between machines, and collects their effects in order. */
export class NodeMachine implements Machine {
  readonly parts: NodeParts;
  readonly #out: Effect[] = [];
  readonly #notices: ConsensusNotice[] = [];
  readonly #gossipOut: GossipOut;
  readonly #mempoolOut: MempoolOut;
  readonly #relayOut: RelayOut;
  readonly #consensusOut: Out;
  readonly #evidenceOut: EvidenceGossipOut;
  readonly #syncOut: SyncOut;
  readonly #sinks: MessageSinks;
  /** Wall-clock time for consensus, which signs times. It may jump; whatever only waits uses `#now`. */
  #wall: Micros = 0;
  readonly #steady = new SteadyClock();
  #now: Micros = 0;
  /** The last height for which consensus was told that transactions are waiting. */
  #toldOfTxs: Height = 0;
  #halted = false;

  constructor(parts: NodeParts) {
    this.parts = parts;
    const out = this.#out;
    const notices = this.#notices;
    this.#consensusOut = {
      effect: (effect: Effect): void => void out.push(this.#withEvidence(effect)),
      notice: (notice: ConsensusNotice): void => {
        // Handled at once, because consensus may start the next height and propose from the pools in this very step.
        if (notice.kind === 'committed') this.#onNotice(notice);
        else notices.push(notice);
      },
    };
    this.#gossipOut = {
      send: (to, message, bytes) => out.push({ kind: 'send', to, channel: channelOf(message), bytes }),
      tickAfter: (afterMs) => out.push({ kind: 'timer', key: { machine: 'gossip', kind: 'tick' }, afterMs }),
    };
    this.#mempoolOut = {
      check: (call, ask) => out.push({ kind: 'app', call, ask }),
      reply: (call, result) => out.push({ kind: 'reply', call, result }),
      pending: (tx) =>
        out.push({ kind: 'publish', event: { kind: 'pendingTx', tx: tx.bytes, ethHash: tx.lane.ethHash } }),
      gossip: (tx) => parts.txRelay.offer(tx),
      heard: (peer, key) => parts.txRelay.onHeard(peer, key),
      tickAfter: (afterMs) => out.push({ kind: 'timer', key: { machine: 'mempool', kind: 'tick' }, afterMs }),
    };
    this.#relayOut = {
      send: (peer, bytes) => out.push({ kind: 'send', to: [peer], channel: CHANNELS.mempool, bytes }),
      tickAfter: (afterMs, turn) =>
        out.push({ kind: 'timer', key: { machine: 'txRelay', kind: 'tick', turn }, afterMs }),
    };
    this.#evidenceOut = {
      send: (to, _evidence, bytes) => out.push({ kind: 'send', to, channel: CHANNELS.evidence, bytes }),
      tickAfter: (afterMs) =>
        out.push({ kind: 'timer', key: { machine: 'evidence', kind: 'tick' }, afterMs }),
    };
    this.#syncOut = syncOutOf({
      effect: (effect) => out.push(this.#withEvidence(effect)),
      drop: (peer, reason) => this.#drop(peer, reason),
      committed: (synced) => this.#onCommitted(synced),
      done: (state, lastCommit, moved) => {
        if (moved) parts.consensus.adopt(state, present(lastCommit, 'the last synced block has a commit'));
        this.#beginConsensus();
      },
    });
    this.#sinks = {
      gossip: parts.gossip,
      gossipOut: this.#gossipOut,
      initialHeight: parts.initialHeight,
      consensus: (input) => this.#consensus(input),
      drop: (peer, reason) => this.#drop(peer, reason),
    };
    parts.evidence.listen((evidence: Evidence) =>
      out.push({
        kind: 'publish',
        event: { kind: 'newEvidence', height: evidenceHeight(evidence), evidence },
      }),
    );
    if (parts.sync.active) parts.gossip.silence();
  }

  #start(now: Micros): void {
    const { sync, consensus, evidence } = this.parts;
    if (!sync.active) {
      sync.start(now, this.#syncOut);
      this.#consensus({ kind: 'start' });
      return;
    }
    // Block sync may pass the logged height before consensus could report its conflicts.
    for (const conflict of consensus.conflicts) evidence.onConflict(conflict);
    sync.start(now, this.#syncOut);
  }

  #beginConsensus(): void {
    this.#consensus({ kind: 'start' });
    this.parts.gossip.speak(this.#now, this.#gossipOut);
  }

  /** Rebuilds the current height from the log: handles the recorded inputs without their effects. */
  replay(records: readonly LogRecord[]): Result<number, LogError> {
    return this.parts.consensus.replay(records);
  }

  step(wall: Micros, input: Input): readonly Effect[] {
    if (this.#halted) return NOTHING;
    this.#out.length = 0;
    this.#wall = wall;
    this.#now = this.#steady.at(wall);
    const now = this.#now;
    this.#dispatch(now, input);
    this.#settle();
    this.parts.gossip.flush(now, this.#gossipOut);
    this.parts.evidenceGossip.flush(now, this.#evidenceOut);
    this.parts.txRelay.flush(this.#relayOut);
    if (this.#out.length === 0) return NOTHING;
    const effects = this.#out.slice();
    for (const { kind } of effects) if (kind === 'halt') this.#halted = true;
    return effects;
  }

  #dispatch(now: Micros, input: Input): void {
    const { gossip, mempool, txRelay, evidence, evidenceGossip, sync } = this.parts;
    switch (input.kind) {
      case 'start':
        this.#start(now);
        return;
      case 'peerUp':
        gossip.onPeerUp(now, input.peer, this.#gossipOut);
        txRelay.onPeerUp(input.peer, mempool.txs());
        evidenceGossip.onPeerUp(input.peer);
        sync.onPeerUp(input.peer, now, this.#syncOut);
        return;
      case 'peerDown':
        gossip.onPeerDown(input.peer);
        txRelay.onPeerDown(input.peer);
        evidenceGossip.onPeerDown(input.peer);
        sync.onPeerDown(input.peer, now, this.#syncOut);
        return;
      case 'frame':
        this.#onFrame(now, input);
        return;
      case 'unsent':
        if (input.channel === CHANNELS.mempool) txRelay.onUnsent(input.peer, input.bytes);
        return;
      case 'timer':
        this.#onTimer(now, input);
        return;
      case 'signed':
        this.#consensus(input);
        return;
      case 'app':
        if (input.reply.kind === 'checked')
          mempool.onChecked(input.call, input.reply.result, this.#mempoolOut);
        else if (sync.owns(input.call)) sync.onApp(now, input.call, input.reply, this.#syncOut);
        else this.#consensus(input);
        return;
      case 'submit':
        mempool.submit(input.tx, input.call, this.#mempoolOut);
        return;
      case 'evidence': {
        const result = evidenceVerdict(input.evidence, evidence.add(input.evidence));
        this.#out.push({ kind: 'reply', call: input.call, result });
        return;
      }
      case 'flushPool':
        mempool.flush();
        this.#out.push({ kind: 'reply', call: input.call, result: { kind: 'flushed' } });
        return;
      default:
        unreachable(input);
    }
  }

  #consensus(input: ConsensusInput): void {
    this.parts.consensus.step(this.#wall, input, this.#consensusOut);
  }

  #onTimer(now: Micros, input: Extract<Input, { kind: 'timer' }>): void {
    const { key } = input;
    const { gossip, mempool, txRelay, evidenceGossip, sync } = this.parts;
    if (key.machine === 'consensus') this.#consensus({ kind: 'timer', key });
    else if (key.machine === 'gossip') gossip.onTick(now, this.#gossipOut);
    else if (key.machine === 'mempool') mempool.onTick(now, this.#mempoolOut);
    else if (key.machine === 'txRelay') txRelay.onTick(key.turn, this.#relayOut);
    else if (key.machine === 'evidence') evidenceGossip.onTick(now, this.#evidenceOut);
    else if (key.kind === 'ask') sync.onAsk(now, this.#syncOut);
    else sync.onTick(now, this.#syncOut);
  }

  #onFrame(now: Micros, input: Extract<Input, { kind: 'frame' }>): void {
    if (this.parts.gossip.peerRound(input.peer) === undefined) return;
    // Unneeded blocks are not decoded: a peer could keep us busy with unrequested ones of a million transactions.
    if (isBlock(input.channel, input.bytes) && !this.parts.sync.heeds(input.peer)) return;
    const decoded = this.parts.decodeFrame(input.channel, input.bytes);
    if (decoded.ok) this.#onMessage(now, input.peer, decoded.value);
    else this.#drop(input.peer, decoded.error);
  }

  #onMessage(now: Micros, peer: PeerId, message: PeerMessage): void {
    switch (message.channel) {
      case 'consensus':
        if (this.parts.sync.active) routeWhileSyncing(this.#sinks, now, peer, message.message);
        else routeMessage(this.#sinks, now, peer, message.message);
        return;
      case 'blocksync':
        this.parts.sync.onMessage(peer, now, message.message, this.#syncOut);
        return;
      case 'mempool':
        this.parts.mempool.onTxs(message.txs, peer, this.#mempoolOut);
        return;
      case 'evidence':
        for (const evidence of message.evidence) {
          const added = this.parts.evidence.add(evidence);
          this.parts.evidenceGossip.noteFrom(peer, evidence, now);
          if (added.ok) continue;
          // Each piece costs signature checks, so the pieces after an invalid one are ignored.
          this.#drop(peer, `evidence: ${added.error.message}`);
          return;
        }
        return;
      default:
        unreachable(message);
    }
  }

  /** Delivers consensus notices until none is left, and tells consensus when transactions are waiting. */
  #settle(): void {
    const { consensus, mempool, sync } = this.parts;
    for (;;) {
      for (let notice = this.#notices.shift(); notice !== undefined; notice = this.#notices.shift()) {
        this.#onNotice(notice);
      }
      if (sync.active) return;
      if (this.#toldOfTxs >= consensus.rs.height || !mempool.hasExecutable()) return;
      this.#toldOfTxs = consensus.rs.height;
      this.#consensus({ kind: 'txsAvailable' });
    }
  }

  /** Tells the pools of a new block, whether it came from consensus or from block sync. */
  #onCommitted({ block, state, reply }: Pick<SyncedBlock, 'block' | 'state' | 'reply'>): void {
    const { evidence, mempool } = this.parts;
    evidence.onCommitted(block, state);
    mempool.setRoomBytes(txRoomBytes(state));
    mempool.onCommitted(this.#now, block.txs, reply, this.#mempoolOut);
  }

  #onNotice(notice: ConsensusNotice): void {
    const { gossip, evidence } = this.parts;
    switch (notice.kind) {
      case 'voteAdded':
        gossip.onVoteAdded(notice.vote, this.#gossipOut);
        return;
      case 'proposalSet':
        if (notice.peer === undefined) gossip.onOwnProposal(this.#gossipOut);
        return;
      case 'validBlock':
        gossip.onValidBlock(this.#now, this.#gossipOut);
        return;
      case 'conflict':
        evidence.onConflict(notice.conflict);
        return;
      case 'committed':
        this.#onCommitted(notice);
        return;
      case 'punish':
        this.#drop(notice.peer, notice.reason);
        return;
      default:
        unreachable(notice);
    }
  }

  /** Adds the evidence marks to the batch that commits the block. */
  #withEvidence(effect: Effect): Effect {
    if (effect.kind !== 'app' || effect.ask.kind !== 'commit') return effect;
    const extraOps = this.parts.evidence.commitOps(effect.ask.block);
    return extraOps.length === 0 ? effect : { ...effect, ask: { ...effect.ask, extraOps } };
  }

  #drop(peer: PeerId, reason: string): void {
    this.#out.push({ kind: 'drop', peer, reason });
  }
}
