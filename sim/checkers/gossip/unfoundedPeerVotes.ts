import type { BitSet } from '../../../core/lib/bitset.ts';
import type { PeerRoundReader } from '../../../core/rpc/context.ts';
import type { VoteType } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { isHindered } from '../mempool/txGossip.ts';
import { isGarbled } from './consensusGossip.ts';
import { type VotesInMessage, voteNumber, votesInMessage } from './votesInMessage.ts';

/** A message that a node has decided to send waits for the WAL, but leaves within this. */
export const LEAVE_MICROS = 100_000;
/** Rounds of a height that are examined. */
const ROUNDS_MAX = 16;
/** Heights for which a pair's messages are remembered: far more than a slow drive can hold back at once. */
const HEIGHTS_MAX = 128;
/** The check looks at every pair of nodes, which takes too long in larger clusters. */
const NODES_MAX = 12;

/** Votes of one height, by number (`voteNumber`). */
type Votes = Set<number>;

/**
 * Votes that two nodes have named to each other, by height. The height spoken of last is kept longest, not the highest:
 * a node with a new disk starts again far below.
 */
class Spoken {
  readonly #heights = new Map<number, Votes>();
  #newest = -1;
  #votes: Votes = new Set();

  of(height: number): Votes | undefined {
    return this.#heights.get(height);
  }

  add({ height, votes }: VotesInMessage): void {
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
 * If a correct node believes that a peer has a vote, then the peer has said so, or the node has sent it that vote: for
 * that very height, round and type. A belief taken over from another height would keep a vote from a peer that lacks
 * it.
 */
export function unfoundedPeerVotes({ world, scenario, correct, fail }: CheckerContext): Checker {
  const name = 'conduct';
  if (world.processes.length > NODES_MAX || isGarbled(scenario)) return { name };
  /** By the believing node, then by the peer. */
  const spoken = new Map(
    world.processes.map((node) => [
      node.name,
      new Map(world.processes.map((peer) => [peer.name, new Spoken()])),
    ]),
  );
  /** Beliefs that no message explains so far, by pair. */
  const doubts = new Map<string, { readonly vote: string; readonly since: number }>();
  const looked = new Map<Process, number>();
  const byName = new Map(correct.map((node) => [node.name, node]));
  /** The time up to which something held up the messages of a node. */
  const calm = new Map<Process, number>();

  /** The first believed vote that no message explains. */
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
    ...hearing(['fault', 'peer', 'contentSaid', 'roundStateSaid', 'claimSaid'], (fact) => {
      if (fact.kind === 'fault') {
        doubts.clear();
        return;
      }
      if (fact.kind === 'peer') {
        // A new connection starts with new beliefs, and messages still waiting on the old one are never sent.
        doubts.delete(pairOf(fact.node.name, fact.peer));
        return;
      }
      const { node, to, bytes } = fact;
      const said = votesInMessage(bytes);
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
