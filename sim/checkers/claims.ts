import { STEP } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { VoteType } from '../../core/types/vote.ts';
import type { Process } from '../machine/process.ts';
import { readMessage } from '../network/readMessage.ts';
import type { Fact } from '../world/facts.ts';
import { Connections } from './connections.ts';

/** What one node has claimed to one peer since they are connected, at one height: `round/type`. */
interface Told {
  height: number;
  claims: Set<string>;
}

/** Which two thirds each node has told each peer of (VoteSetMaj23). */
export class Claims {
  /** What it is to be told of. */
  static readonly TOPICS = [...Connections.TOPICS, 'wordSaid'] as const;
  readonly #told = new Connections((): Told => ({ height: 0, claims: new Set() }));

  on(fact: Fact): void {
    this.#told.on(fact);
    if (fact.kind !== 'wordSaid') return;
    const decoded = readMessage(fact.bytes);
    if (!decoded.ok || decoded.value.kind !== 'voteSetMaj23') return;
    const { height, round, type } = decoded.value;
    for (const peer of fact.to) this.#at(fact.node, peer, height)?.add(`${round}/${type}`);
  }

  #at(node: Process, peer: string, height: number): Set<string> | undefined {
    const told = this.#told.get(node, peer);
    if (told !== undefined && told.height !== height) Object.assign(told, { height, claims: new Set() });
    return told?.claims;
  }

  /**
   * The two thirds that a node has seen, and has not told a peer of its height about, which may count the other vote of a liar without:
   * those of the round that the peer is in, and the polka of its own valid value. In its first round it owes them to who stands still.
   */
  owed(node: Process, peer: Process): string | undefined {
    const [ours, theirs] = [node.node?.rs(), peer.node?.rs()];
    if (ours === undefined || theirs === undefined || ours.height !== theirs.height) return undefined;
    if (theirs.step === STEP.newHeight || theirs.step === STEP.commit) return undefined;
    const { height, round, step } = theirs;
    const standing = ours.round === 0 ? ` at step ${step}` : '';
    const isOwed = (at: number, type: VoteType): boolean =>
      hasMajority(ours, at, type) && this.#at(node, peer.name, height)?.has(`${at}/${type}`) !== true;
    const { validRound } = ours;
    if (validRound >= 0 && isOwed(validRound, 'prevote'))
      return `the polka of round ${validRound} of ${height}${standing}`;
    const type = (['prevote', 'precommit'] as const).find((one) => isOwed(round, one));
    return type && `two thirds of the ${type}s of ${height}/${round}${standing}`;
  }
}

const hasMajority = (rs: RoundState, round: number, type: VoteType): boolean =>
  rs.votes(round, type)?.majority() !== undefined;
