import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { VoteType } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import { readMessage } from '../../network/readMessage.ts';
import { stepName } from '../../words.ts';
import type { Fact } from '../../world/facts.ts';
import { Connections } from '../connections.ts';

/** Claims of one node to one peer since they are connected, at one height, as `round/type`. */
interface Told {
  height: number;
  claims: Set<string>;
}

/** Claims of two thirds (VoteSetMaj23) that each node has sent to each peer. */
export class SentMaj23Claims {
  static readonly TOPICS = [...Connections.TOPICS, 'claimSaid'] as const;
  readonly #told = new Connections((): Told => ({ height: 0, claims: new Set() }));

  on(fact: Fact): void {
    this.#told.on(fact);
    if (fact.kind !== 'claimSaid') return;
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
   * A majority that the node has seen but not told to a peer at its height. Without the claim, the peer may count only
   * the other vote of an equivocator. The node owes claims for the round that the peer is in and for the polka of its
   * own valid value. While the node itself is in round 0, it owes them only to a peer that stands still, so the step is
   * part of the answer.
   */
  owed(node: Process, peer: Process): string | undefined {
    const [ours, theirs] = [node.node?.rs(), peer.node?.rs()];
    if (ours === undefined || theirs === undefined || ours.height !== theirs.height) return undefined;
    if (theirs.step === STEP.newHeight || theirs.step === STEP.commit) return undefined;
    const { height, round, step } = theirs;
    const standing = ours.round === 0 ? ` at step ${stepName(step)}` : '';
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
