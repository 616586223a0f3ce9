import type { BitSet } from '../../core/lib/bitset.ts';
import type { PeerRoundReader } from '../../core/rpc/context.ts';
import type { VoteType } from '../../core/types/vote.ts';
import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { isHindered } from './poolSpread.ts';
import { type SaidVotes, saidVotes, voteNumber } from './saidVotes.ts';
import { isGarbled } from './spread.ts';

/** What a node has decided to say waits for its log: it leaves within this. */
export const LEAVE_MICROS = 100_000;
/** Rounds of a height that are looked at. */
const ROUNDS_MAX = 16;
/** Heights of which two remember what they said: far more than what a slow drive holds back may speak of at once. */
const HEIGHTS_MAX = 128;
/** Each node is asked about each of its peers: among many that is too much. */
const NODES_MAX = 12;

/** Votes by number (`voteNumber`), of a height. */
type Votes = Set<number>;

/** What two have said to each other, by height: the one spoken of last is the last, and remembered longest, for whoever has a new disk is far below where it was. */
class Spoken {
  readonly #heights = new Map<number, Votes>();
  #newest = -1;
  #votes: Votes = new Set();

  of(height: number): Votes | undefined {
    return this.#heights.get(height);
  }

  add({ height, votes }: SaidVotes): void {
    if (height !== this.#newest) this.#turnTo(height);
    for (const vote of votes) this.#votes.add(vote);
  }

  #turnTo(height: number): void {
    this.#newest = height;
    this.#votes = this.#heights.get(height) ?? new Set();
    this.#heights.delete(height);
    this.#heights.set(height, this.#votes);
    const [oldest] = this.#heights.keys();
    if (oldest !== undefined && this.#heights.size > HEIGHTS_MAX) this.#heights.delete(oldest);
  }
}

/**
 * What a correct node believes that another has of votes, the other has said, or it has told it itself: of that very height, round and
 * kind. A belief that is of another height keeps from the peer what it lacks.
 */
export function beliefs({ world, scenario, correct, fail }: CheckerContext): Checker {
  const name = 'conduct';
  if (world.processes.length > NODES_MAX || isGarbled(scenario)) return { name };
  /** By who believes, and of whom. */
  const spoken = new Map(
    world.processes.map((node) => [
      node.name,
      new Map(world.processes.map((peer) => [peer.name, new Spoken()])),
    ]),
  );
  /** What nothing explains by now, by pair. */
  const doubts = new Map<string, { readonly vote: string; readonly since: number }>();
  const looked = new Map<Process, number>();
  const byName = new Map(correct.map((node) => [node.name, node]));
  /** Since when nothing holds up what a node says. */
  const calm = new Map<Process, number>();

  /** One that nothing that was said explains. */
  const unfounded = (
    known: Votes | undefined,
    height: number,
    round: number,
    type: VoteType,
    bits: BitSet | undefined,
  ): string | undefined => {
    if (bits === undefined) return undefined;
    for (let i = 0; i < bits.size; i++)
      if (bits.has(i) && known?.has(voteNumber(round, type, i)) !== true)
        return `${height}/${round}/${type} of validator ${i}`;
    return undefined;
  };

  const judge = (node: Process, peer: Process, round: PeerRoundReader): void => {
    const said = spoken.get(node.name)?.get(peer.name);
    const { height, lastCommitRound, lastCommit } = round;
    const known = said?.of(height);
    let vote = unfounded(said?.of(height - 1), height - 1, lastCommitRound, 'precommit', lastCommit);
    for (let r = 0; r < ROUNDS_MAX; r++)
      for (const type of ['prevote', 'precommit'] as const)
        vote ??= unfounded(known, height, r, type, round.votes(r, type));
    const pair = pairOf(node.name, peer.name);
    const before = doubts.get(pair);
    if (vote === undefined) doubts.delete(pair);
    else if (before?.vote !== vote) doubts.set(pair, { vote, since: world.now });
    else if (world.now - before.since > LEAVE_MICROS)
      fail(name, `${node.name} believes that ${peer.name} has ${vote}, of which neither has told the other`);
  };

  return {
    name,
    ...hearing(['fault', 'peer', 'contentSaid', 'standingSaid', 'wordSaid'], (fact) => {
      if (fact.kind === 'fault') {
        doubts.clear();
        return;
      }
      if (fact.kind === 'peer') {
        // Of a new connection other things are believed, and what the old one had yet to say is never said.
        doubts.delete(pairOf(fact.node.name, fact.peer));
        return;
      }
      const { node, to, bytes } = fact;
      const said = saidVotes(bytes);
      if (said === undefined) return;
      for (const peer of to) {
        spoken.get(peer)?.get(node.name)?.add(said);
        if (said.isGiven) spoken.get(node.name)?.get(peer)?.add(said);
      }
    }),
    look(node) {
      if (isHindered(node)) calm.set(node, world.now);
      const calmAt = Math.max(calm.get(node) ?? 0, node.disk.lateUntil);
      if (!node.isCorrect || world.now - Math.max(calmAt, looked.get(node) ?? 0) < LEAVE_MICROS) return;
      looked.set(node, world.now);
      for (const { id, round } of node.node?.rpc?.consensus?.peers() ?? []) {
        const peer = byName.get(id);
        if (peer !== undefined) judge(node, peer, round);
      }
    },
  };
}

const pairOf = (node: string, peer: string): string => `${node}/${peer}`;
