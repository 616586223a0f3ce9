import { decodeEvidenceMessage } from '../../../core/codec/messages.ts';
import { evidenceHeight } from '../../../core/evidence/verify.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import type { Block } from '../../../core/types/block.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { Process } from '../../machine/process.ts';
import { type FactOf, hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';
import { peerRoundOf } from '../gossip/peerRoundOf.ts';
import { isPrompt } from '../progressCore.ts';
import { hasOddClocks } from '../timing/earlyTimeouts.ts';
import { mayExpire } from './duplicateVotes.ts';
import { EvidenceExchange } from './evidenceExchange.ts';
import { evidenceName, keptEvidence } from './storedEvidence.ts';

const NAME = 'conduct';

/** A peer that can judge a piece is told at once, and one that gets there later at the next tick. This bounds both. */
const TELL_MICROS = 2_500_000;
/** After a fault (the last write of a slow or full drive included), all messages that it held up have left by then. */
const HELD_MICROS = 3_000_000;
/** A peer that sent a piece is not sent it back before this has passed. */
const AGAIN_MICROS = 10_000_000;
/** A node sends at most so many pieces a tick; further ones wait for the next tick. */
const WAITING_MAX = 16;
/** Time between two ticks. */
const TURN_MICROS = 1_000_000;
/** With more waiting pieces than this, the node is not judged. */
const PIECES_MAX = 64;
/** Number of recent states of a node whose parameters count. */
const AROUND = 4;

interface Hearsay {
  readonly talk: EvidenceExchange;
  readonly pieces: ReadonlySet<string>;
}

/** The evidence that a node has to gossip, in its present life. */
class Stock {
  /** Evidence that waits for a block, by its name. */
  pieces = new Map<string, Evidence>();
  /** How many further pieces of earlier lives the node's store may have. They are sent first. */
  #others = 0;
  /** The most turns so far. */
  #turns = 0;

  get size(): number {
    return this.pieces.size + this.#others;
  }

  onStarted(kept: Map<string, Evidence>): void {
    this.#others = Math.max(0, this.size - kept.size);
    this.pieces = kept;
    this.#turns = 0;
  }

  /** Ticks that a piece may wait for others: a peer that has got some pieces gets the remaining ones first. */
  mostTurns(atOnceMax: number): number {
    this.#turns = Math.max(this.#turns, Math.ceil(this.size / atOnceMax) - 1);
    return this.#turns;
  }
}

/** Follows which node sent which piece to which peer, and reports pieces sent too early, late, often or never. */
class EvidenceSpread {
  static readonly TOPICS = [
    'fault',
    'started',
    'poolGossipSaid',
    'poolGossipHeard',
    'newEvidence',
    'committed',
    ...Connections.TOPICS,
  ] as const;
  readonly #context: CheckerContext;
  readonly #talks = new Connections(() => new EvidenceExchange());
  readonly #stocks = new Map<Process, Stock>();
  /** Nodes that may owe a peer a piece. Usually there are none. */
  readonly #owing = new Set<Process>();
  /** The pieces each node got in this event, and from which peer. Not kept while the node has a backlog. */
  readonly #hearsay = new Map<Process, Hearsay>();
  readonly #waitingMax: number;
  /** Whether clocks run normally: a node measures by its own clock when it may send a piece again. */
  readonly #areClocksSound: boolean;
  /** Whether no node is ever paused: messages that a paused node was about to send leave long after. */
  readonly #isTimely: boolean;
  /** Since when nothing has held up the messages of nodes. */
  #calmSince = 0;

  constructor(context: CheckerContext) {
    const { scenario } = context;
    this.#context = context;
    this.#waitingMax = Math.min(WAITING_MAX, scenario.engine.sizesMax ?? WAITING_MAX);
    this.#areClocksSound = !hasOddClocks(scenario);
    this.#isTimely = scenario.timeline.every(({ action }) => action.kind !== 'pause');
  }

  on(fact: FactOf<(typeof EvidenceSpread.TOPICS)[number]>): void {
    if (fact.kind === 'fault') {
      this.#calmSince = this.#context.world.now;
      return;
    }
    if (!fact.node.isCorrect) return;
    this.#talks.on(fact);
    switch (fact.kind) {
      case 'started':
        this.#stockOf(fact.node).onStarted(keptEvidence(this.#context, fact.node));
        return;
      case 'poolGossipSaid':
        if (fact.channel === CHANNELS.evidence) this.#onSaid(fact.node, fact.to, fact.bytes);
        return;
      case 'poolGossipHeard':
        if (fact.channel === CHANNELS.evidence) this.#onHeard(fact.node, fact.peer, fact.bytes);
        return;
      case 'event':
        if (fact.event.kind === 'newEvidence') this.#onFound(fact.node, fact.event.evidence);
        else this.#onCommitted(fact.node, fact.event.block);
        return;
    }
  }

  #onSaid(node: Process, to: readonly string[], bytes: Bytes): void {
    const decoded = decodeEvidenceMessage(bytes);
    if (!decoded.ok) return;
    for (const peer of to)
      for (const evidence of decoded.value) {
        const piece = evidenceName(evidence);
        this.#talks.get(node, peer)?.onTold(piece);
        this.#judgeEcho(node, peer, piece);
        this.#judgeMoment(node, peer, evidence);
      }
  }

  #judgeEcho(node: Process, peer: string, piece: string): void {
    const heardAt = this.#talks.get(node, peer)?.heardAt.get(piece) ?? Number.NEGATIVE_INFINITY;
    if (this.#areClocksSound && this.#context.world.now - heardAt < AGAIN_MICROS)
      this.#fail(`${node.name} tells ${peer} of evidence that ${peer} has told it`);
  }

  /** A piece is sent only to a peer that has the block to judge it by and for which it is not too old. */
  #judgeMoment(node: Process, peer: string, evidence: Evidence): void {
    const { world } = this.#context;
    const isHeldUp = !isPrompt(node) || world.now - this.#calmSince <= HELD_MICROS;
    if (!this.#isTimely || isHeldUp) return;
    const height = heightOf(node, peer);
    const lowest = this.#talks.get(node, peer)?.lowest(height, world) ?? height;
    if (ageAt(height, evidence) < 0 || ageAt(lowest, evidence) > Math.max(...this.#agesAt(node)))
      this.#fail(
        `${node.name} tells ${peer}, which is at height ${height}, of evidence of height ${evidenceHeight(evidence)}, which is too new or too old for it`,
      );
  }

  #onHeard(node: Process, peer: string, bytes: Bytes): void {
    const decoded = decodeEvidenceMessage(bytes);
    const talk = this.#talks.get(node, peer);
    const pieces = new Set((decoded.ok ? decoded.value : []).map(evidenceName));
    for (const piece of pieces) talk?.onTold(piece);
    if (talk !== undefined && node.node?.backlog() === 0) this.#hearsay.set(node, { talk, pieces });
    else this.#hearsay.delete(node);
  }

  /**
   * The peer that sent a new piece knows it. Every other peer that can judge it now must be told, even if it may soon
   * be too old for blocks.
   */
  #onFound(node: Process, evidence: Evidence): void {
    const piece = evidenceName(evidence);
    const stock = this.#stockOf(node);
    stock.pieces.set(piece, evidence);
    this.#noteTeller(node, piece);
    if (stock.size > this.#waitingMax) return;
    const { world } = this.#context;
    for (const [peer, talk] of this.#talks.of(node)) {
      const height = heightOf(node, peer);
      const isAble =
        talk.lowest(height, world) > evidenceHeight(evidence) &&
        ageAt(height, evidence) <= Math.min(...this.#agesAt(node));
      if (!isAble || talk.known.has(piece)) continue;
      talk.owed.set(piece, [world.now, evidenceHeight(evidence)]);
      this.#owing.add(node);
    }
  }

  #noteTeller(node: Process, piece: string): void {
    const hearsay = node.node?.backlog() === 0 ? this.#hearsay.get(node) : undefined;
    this.#hearsay.delete(node);
    // If the node dropped the piece meanwhile, it is new again, whichever peer sent it before.
    for (const talk of this.#talks.of(node).values()) talk.heardAt.delete(piece);
    if (hearsay?.pieces.has(piece) === true) hearsay.talk.heardAt.set(piece, this.#context.world.now);
  }

  #onCommitted(node: Process, { evidence: carried, header }: Block): void {
    const { pieces } = this.#stockOf(node);
    for (const piece of carried.map(evidenceName)) {
      pieces.delete(piece);
      for (const talk of this.#talks.of(node).values()) talk.owed.delete(piece);
    }
    for (const [piece, evidence] of pieces)
      if (mayExpire(this.#context, evidence, header)) pieces.delete(piece);
  }

  look(node: Process): void {
    this.#hearsay.delete(node);
    const { world, correct } = this.#context;
    const stock = this.#stockOf(node);
    // A slow clock, or one whose timers are late, makes each turn longer.
    const turnMicros = Math.max(TURN_MICROS, node.clock.timerMicros(TURN_MICROS / 1_000)) + node.clock.jitter;
    const tellMicros = TELL_MICROS - TURN_MICROS + (stock.mostTurns(this.#waitingMax) + 1) * turnMicros;
    if (!world.isAllCorrect && node.isCorrect) {
      this.#noteHeights(node);
      if (this.#owing.has(node)) this.#judgeOwing(node, tellMicros);
    }
    if (stock.pieces.size === 0 || stock.size > PIECES_MAX) return;
    if (!isPrompt(node)) this.#calmSince = world.now;
    const ageMax = Math.min(...this.#agesAt(node));
    for (const waiting of stock.pieces)
      for (const peer of correct)
        if (peer !== node) this.#judgeWait(node, peer, waiting, { tellMicros, ageMax });
  }

  #noteHeights(node: Process): void {
    for (const { id, round } of node.node?.rpc?.consensus?.peers() ?? [])
      this.#talks.get(node, id)?.onLook(round.height, this.#context.world.now);
  }

  #judgeOwing(node: Process, tellMicros: number): void {
    const { correct } = this.#context;
    for (const peer of correct) this.#judgeOwed(node, peer, tellMicros);
    const isOwing = correct.some(({ name }) => (this.#talks.get(node, name)?.owed.size ?? 0) > 0);
    if (!isOwing) this.#owing.delete(node);
  }

  #judgeOwed(node: Process, peer: Process, tellMicros: number): void {
    const { world } = this.#context;
    const { owed } = this.#talks.get(node, peer.name) ?? {};
    if (owed === undefined || owed.size === 0 || !world.network.joins(node.index, peer.index)) return;
    if (!isPrompt(node)) this.#calmSince = world.now;
    for (const [piece, [since, height]] of owed) {
      if (world.now - Math.max(since, this.#calmSince) <= tellMicros) continue;
      owed.delete(piece);
      this.#fail(
        `${node.name} has not told ${peer.name} of evidence of height ${height} that it found itself`,
      );
    }
  }

  #judgeWait(
    node: Process,
    peer: Process,
    [piece, evidence]: readonly [string, Evidence],
    { tellMicros, ageMax }: { readonly tellMicros: number; readonly ageMax: number },
  ): void {
    const { world } = this.#context;
    const talk = this.#talks.get(node, peer.name);
    if (talk === undefined || talk.known.has(piece) || !world.network.joins(node.index, peer.index)) return;
    const height = heightOf(node, peer.name);
    const age = ageAt(Math.max(height, node.node?.rs()?.height ?? 0), evidence);
    if (height <= evidenceHeight(evidence) || age > ageMax) {
      talk.ableSince.delete(piece);
      return;
    }
    const since = talk.ableSince.get(piece) ?? world.now;
    talk.ableSince.set(piece, since);
    const waited = world.now - Math.max(since, this.#calmSince);
    if (waited <= tellMicros) return;
    talk.known.add(piece);
    this.#fail(
      `${node.name} has not told ${peer.name} of evidence of height ${evidenceHeight(evidence)} for ${waited} µs, expected within ${Math.ceil(tellMicros)} µs`,
    );
  }

  /** Maximum ages of evidence, in blocks, by the parameters of the states that the node was at lately. */
  #agesAt(node: Process): readonly number[] {
    const { schedule } = this.#context.cluster;
    const last = (node.node?.rs()?.height ?? 0) + 1;
    return Array.from({ length: AROUND }, (_, back) => schedule.params(last - back).evidence.maxAgeNumBlocks);
  }

  #stockOf(node: Process): Stock {
    const stock = this.#stocks.get(node) ?? new Stock();
    this.#stocks.set(node, stock);
    return stock;
  }

  #fail(message: string): void {
    this.#context.fail(NAME, message);
  }
}

/**
 * Gossip of evidence. A correct node sends each connected peer every piece that waits for a block, as soon as the peer
 * has the block to judge it by. It does not send it before that, nor when the piece is too old for the peer, nor soon
 * after the peer has sent it. Excused: messages held up by a drive, a fault or a pause, and stocks of more than
 * `PIECES_MAX`.
 */
export function evidenceGossip(context: CheckerContext): Checker {
  const spread = new EvidenceSpread(context);
  return {
    name: NAME,
    ...hearing(EvidenceSpread.TOPICS, (fact) => spread.on(fact)),
    look: (node) => spread.look(node),
  };
}

/** Age of the evidence for a peer at this height, in blocks. */
const ageAt = (height: number, evidence: Evidence): number => height - 1 - evidenceHeight(evidence);

const heightOf = (node: Process, peer: string): number => peerRoundOf(node, peer)?.height ?? 0;
