import type { Height, Round } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import type { RoundState } from '../types/roundState.ts';
import type { Vote } from '../types/vote.ts';

/** Ticks into a round until we announce our steps, announce others' votes (HasVote), and forward others' votes. */
const STEP_TICKS = 1;
const SAY_TICKS = 2;
const FORWARD_TICKS = 3;
/** Each time this many validators add a tick: rounds take longer, and talk about votes grows with their cube. */
const VALIDATORS_A_TICK = 32;
/** Of that many validators, this many need not be our peers: nearly every author still reaches everyone. */
const STRANGERS_MAX = 3;
/** Most unannounced votes of others. Beyond this the oldest are dropped, since HasVote only saves duplicates. */
const UNSAID_MAX = 1024;

/**
 * Measures how long the current round has lasted. Where every validator is our peer, votes and parts reach everyone
 * from their authors. Announcing and forwarding them is for rounds in which that failed; in others it would only double
 * the traffic. With fewer peers than validators there is always someone to forward to.
 */
export class Pace {
  #height: Height = 0;
  #round: Round = -1;
  #begun = false;
  #ticks = 0;
  #unsaid: Vote[] = [];

  /** Another validator's vote was added. */
  note(vote: Vote): void {
    this.#unsaid.push(vote);
    if (this.#unsaid.length > UNSAID_MAX) this.#unsaid.shift();
  }

  tick(rs: RoundState): void {
    const begun = rs.step >= STEP.propose;
    if (rs.height !== this.#height) this.#unsaid = this.#unsaid.filter((vote) => vote.height === rs.height);
    if (rs.height !== this.#height || rs.round !== this.#round || begun !== this.#begun) this.#ticks = 0;
    else this.#ticks += 1;
    this.#height = rs.height;
    this.#round = rs.round;
    this.#begun = begun;
  }

  /** Whether to announce a new step within the round. */
  tellsStep(peers: number, rs: RoundState): boolean {
    return this.#isDue(STEP_TICKS, peers, rs);
  }

  /** The votes to announce now. Each is returned once. */
  say(peers: number, rs: RoundState): readonly Vote[] {
    if (this.#unsaid.length === 0 || !this.#isDue(SAY_TICKS, peers, rs)) return [];
    const votes = this.#unsaid;
    this.#unsaid = [];
    return votes;
  }

  /**
   * Whether to forward others' votes and parts. In a large mesh not between heights: nobody announces then which votes
   * of the last commit it has, so each peer would send nearly all of them, for the few signatures that may be missing.
   */
  forwards(peers: number, rs: RoundState): boolean {
    if (largeness(rs) > 0 && !this.#begun && isMesh(peers, rs)) return false;
    return this.#isDue(FORWARD_TICKS, peers, rs);
  }

  /** Whether a peer one height behind gets the decided block from us. */
  supplies(peers: number, rs: RoundState): boolean {
    return this.#isDue(0, peers, rs);
  }

  #isDue(ticks: number, peers: number, rs: RoundState): boolean {
    if (!isMesh(peers, rs)) return true;
    const past = rs.height === this.#height ? this.#ticks : 0;
    return past >= ticks + largeness(rs);
  }
}

/** The number of validators in units of VALIDATORS_A_TICK, rounded down; 0 for a small set. */
const largeness = ({ validators: { validators } }: RoundState): number =>
  Math.floor(validators.length / VALIDATORS_A_TICK);

/** Whether we have as many peers as there are other validators. In a large set a few may be missing. */
export const isMesh = (peers: number, rs: RoundState): boolean =>
  rs.validators.validators.length - 1 - peers <= STRANGERS_MAX * largeness(rs);
