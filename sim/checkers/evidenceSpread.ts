import { decodeEvidenceMessage } from '../../core/codec/messages.ts';
import { evidenceHeight } from '../../core/evidence/verify.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import type { Evidence } from '../../core/types/evidence.ts';
import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import { believed } from './believed.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { Connections } from './connections.ts';
import { hasOddClocks } from './patience.ts';
import { mayExpire } from './proven.ts';
import { isSound } from './recoverable.ts';
import { evidenceName, keptEvidence } from './storedEvidence.ts';

/** Whoever is far enough is told at once, whoever gets there later at the tick after that. */
const TELL_MICROS = 2_500_000;
/** After a fault, the last write of a slow or full drive among it, all that it held up is said by then. */
const HELD_MICROS = 3_000_000;
/** Whoever has told of a piece is not told of it before then. */
const AGAIN_MICROS = 10_000_000;
/** So many pieces are told at a tick; where more wait some wait for another one. */
const WAITING_MAX = 16;
/** Between two ticks. */
const TURN_MICROS = 1_000_000;
/** Where more wait than this nobody is watched over. */
const PIECES_MAX = 64;

/** States before the present one that still count. */
const AROUND = 4;

interface Talk {
  /** What either has told the other. */
  readonly known: Set<string>;
  /** When the peer told the node of each piece that it was the first to tell of. */
  readonly heardAt: Map<string, number>;
  /** Since when the node owes the peer a piece, whatever comes next, with its height: the peer could judge it when it was found. */
  readonly owed: Map<string, readonly [since: number, height: number]>;
  /** Since when the node knows that the peer has the block to judge each piece by. */
  readonly ableSince: Map<string, number>;
  /** Where the peer was by what the node knew at the last look, and before that. */
  height: number;
  before: number;
  changedAt: number;
}

/**
 * Gossip of evidence: whoever is connected is told of each piece that waits for a block, as soon as it has the block to judge it by and
 * not before, nor when it is too old for it, nor right after it has told of it itself.
 */
export function evidenceSpread(context: CheckerContext): Checker {
  const name = 'conduct';
  const { world, cluster, correct } = context;
  const talks = new Connections(newTalk);
  /** Who may owe somebody a piece: mostly nobody. */
  const owing = new Set<Process>();
  /** What each node has been told in this event, and by whom, unless it waits for something else to be done with. */
  const hearsay = new Map<Process, { readonly talk: Talk | undefined; readonly keys: ReadonlySet<string> }>();
  /** Of each node, in its present life. */
  const waiting = new Map<Process, Map<string, Evidence>>();
  /** How many more a node's store may have from earlier lives: they are told first. */
  const others = new Map<Process, number>();
  const waitingMax = Math.min(WAITING_MAX, context.scenario.engine.sizesMax ?? WAITING_MAX);
  /** The most of each node in its present life. */
  const turnsOf = new Map<Process, number>();
  let calm = 0;
  const heightOf = (node: Process, peer: string): number => believed(node, peer)?.height ?? 0;
  /** Ticks that a piece may wait for those before it: whoever was told of some is told of the others first. */
  const mostTurns = (node: Process, count: number): number => {
    const most = Math.max(turnsOf.get(node) ?? 0, Math.ceil(count / waitingMax) - 1);
    turnsOf.set(node, most);
    return most;
  };
  /** Ages that evidence may have by the states that a node was at lately, blocks. */
  const agesAt = (node: Process): readonly number[] => {
    const last = (node.node?.rs()?.height ?? 0) + 1;
    return Array.from(
      { length: AROUND },
      (_, back) => cluster.schedule.params(last - back).evidence.maxAgeNumBlocks,
    );
  };
  // What a paused node was about to say leaves it long after.
  /** A node tells again by its own clock. */
  const areClocksSound = !hasOddClocks(context.scenario);
  const isTimely = context.scenario.timeline.every(({ action }) => action.kind !== 'pause');
  const note = (node: Process): void => {
    for (const { id, round } of node.node?.rpc?.consensus?.peers() ?? []) {
      const talk = talks.get(node, id);
      if (talk === undefined || talk.height === round.height) continue;
      Object.assign(talk, { before: talk.height, height: round.height, changedAt: world.now });
    }
  };
  /** Where the node may have seen the peer when it decided what it says now: between two writes of the log it hears a lot. */
  const lowest = (node: Process, peer: string, height: number): number => {
    const talk = talks.get(node, peer);
    if (talk === undefined) return height;
    const isNews = world.now - talk.changedAt <= world.latencies.sync.high;
    return Math.min(isNews ? talk.before : talk.height, talk.height, height);
  };
  const said = (node: Process, to: readonly string[], bytes: Bytes): void => {
    const decoded = decodeEvidenceMessage(bytes);
    if (!decoded.ok) return;
    for (const peer of to)
      for (const evidence of decoded.value) {
        const key = evidenceName(evidence);
        const talk = talks.get(node, peer);
        talk?.known.add(key);
        talk?.owed.delete(key);
        const heardAt = talk?.heardAt.get(key) ?? Number.NEGATIVE_INFINITY;
        if (areClocksSound && world.now - heardAt < AGAIN_MICROS)
          context.fail(name, `${node.name} tells ${peer} of evidence that it has from there`);
        const height = heightOf(node, peer);
        const ageAt = (one: number): number => one - 1 - evidenceHeight(evidence);
        const isHeldUp =
          !isSound(node.disk) || node.pace.sync !== undefined || world.now - calm <= HELD_MICROS;
        if (!isTimely || isHeldUp) continue;
        if (ageAt(height) < 0 || ageAt(lowest(node, peer, height)) > Math.max(...agesAt(node)))
          context.fail(
            name,
            `${node.name} tells ${peer} at ${height} of evidence of ${evidenceHeight(evidence)}`,
          );
      }
  };
  const judge = (
    node: Process,
    peer: Process,
    [key, evidence]: readonly [string, Evidence],
    turns: number,
  ): void => {
    const talk = talks.get(node, peer.name);
    if (talk === undefined || talk.known.has(key) || !world.network.joins(node.index, peer.index)) return;
    const height = heightOf(node, peer.name);
    const age = Math.max(height, node.node?.rs()?.height ?? 0) - 1 - evidenceHeight(evidence);
    if (height <= evidenceHeight(evidence) || age > Math.min(...agesAt(node))) {
      talk.ableSince.delete(key);
      return;
    }
    const since = talk.ableSince.get(key) ?? world.now;
    talk.ableSince.set(key, since);
    const waited = world.now - Math.max(since, calm);
    if (waited <= TELL_MICROS + turns * TURN_MICROS) return;
    talk.known.add(key);
    context.fail(
      name,
      `${node.name} has not told ${peer.name} of evidence of ${evidenceHeight(evidence)} for ${waited} µs`,
    );
  };
  const judgeOwed = (node: Process, peer: Process, turns: number): boolean => {
    const { owed } = talks.get(node, peer.name) ?? {};
    if (owed === undefined || owed.size === 0) return false;
    if (!world.network.joins(node.index, peer.index)) return true;
    if (!isSound(node.disk) || node.pace.sync !== undefined) calm = world.now;
    for (const [key, [since, height]] of owed) {
      if (world.now - Math.max(since, calm) <= TELL_MICROS + turns * TURN_MICROS) continue;
      owed.delete(key);
      context.fail(name, `${node.name} has not told ${peer.name} of evidence of ${height} that it found`);
    }
    return owed.size > 0;
  };
  /** Whoever told of what is new knows it; whoever else can judge it now is told, though it may be too old for blocks soon. */
  const found = (node: Process, evidence: Evidence): void => {
    const key = evidenceName(evidence);
    const pieces = waiting.get(node) ?? new Map<string, Evidence>();
    waiting.set(node, pieces.set(key, evidence));
    const { talk: teller, keys } = (node.node?.backlog() === 0 ? hearsay.get(node) : undefined) ?? {};
    hearsay.delete(node);
    // What was dropped meanwhile is new again, whoever told of it before.
    for (const talk of talks.of(node).values()) talk.heardAt.delete(key);
    if (keys?.has(key) === true) teller?.heardAt.set(key, world.now);
    if (pieces.size + (others.get(node) ?? 0) > waitingMax) return;
    for (const [peer, talk] of talks.of(node)) {
      const height = heightOf(node, peer);
      const isAble =
        lowest(node, peer, height) > evidenceHeight(evidence) &&
        height - 1 - evidenceHeight(evidence) <= Math.min(...agesAt(node));
      if (!isAble || talk.known.has(key)) continue;
      talk.owed.set(key, [world.now, evidenceHeight(evidence)]);
      owing.add(node);
    }
  };
  return {
    name,
    ...hearing(
      ['fault', 'started', 'rumourSaid', 'rumourHeard', 'newEvidence', 'committed', ...Connections.TOPICS],
      (fact) => {
        if (fact.kind === 'fault') {
          calm = world.now;
          return;
        }
        if (!fact.node.isCorrect) return;
        const { node } = fact;
        talks.on(fact);
        if (fact.kind === 'started') {
          const before = (others.get(node) ?? 0) + (waiting.get(node)?.size ?? 0);
          const kept = keptEvidence(context, node);
          waiting.set(node, kept);
          others.set(node, Math.max(0, before - kept.size));
          turnsOf.delete(node);
        } else if (fact.kind === 'rumourSaid' && fact.channel === CHANNELS.evidence)
          said(node, fact.to, fact.bytes);
        else if (fact.kind === 'rumourHeard' && fact.channel === CHANNELS.evidence) {
          const decoded = decodeEvidenceMessage(fact.bytes);
          const talk = talks.get(node, fact.peer);
          const keys = new Set((decoded.ok ? decoded.value : []).map(evidenceName));
          for (const key of keys) {
            talk?.known.add(key);
            talk?.owed.delete(key);
          }
          if (node.node?.backlog() === 0) hearsay.set(node, { talk, keys });
          else hearsay.delete(node);
        } else if (fact.kind === 'event' && fact.event.kind === 'newEvidence')
          found(node, fact.event.evidence);
        else if (fact.kind === 'event' && fact.event.kind === 'committed') {
          const { evidence: carried, header } = fact.event.block;
          const pieces = waiting.get(node) ?? new Map<string, Evidence>();
          for (const evidence of carried) {
            pieces.delete(evidenceName(evidence));
            for (const talk of talks.of(node).values()) talk.owed.delete(evidenceName(evidence));
          }
          for (const [key, evidence] of pieces) if (mayExpire(context, evidence, header)) pieces.delete(key);
        }
      },
    ),
    look(node) {
      hearsay.delete(node);
      const pieces = waiting.get(node) ?? new Map<string, Evidence>();
      const count = pieces.size + (others.get(node) ?? 0);
      const turns = mostTurns(node, count);
      if (!world.isAllCorrect && node.isCorrect) {
        note(node);
        const isOwing = owing.has(node) && correct.map((peer) => judgeOwed(node, peer, turns)).includes(true);
        if (!isOwing) owing.delete(node);
      }
      if (pieces.size === 0 || count > PIECES_MAX) return;
      if (!isSound(node.disk) || node.pace.sync !== undefined) calm = world.now;
      for (const piece of pieces)
        for (const peer of correct) if (peer !== node) judge(node, peer, piece, turns);
    },
  };
}

const newTalk = (): Talk => ({
  known: new Set(),
  heardAt: new Map(),
  owed: new Map(),
  ableSince: new Map(),
  height: 0,
  before: 0,
  changedAt: 0,
});
