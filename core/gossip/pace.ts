import type { Height, Round } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import type { RoundState } from '../types/roundState.ts';
import type { Vote } from '../types/vote.ts';

/** Ticks into a round after which we tell of steps, say which of others' votes we have, and forward them. */
const STEP_TICKS = 1;
const SAY_TICKS = 2;
const FORWARD_TICKS = 3;
/** So many validators take a tick longer over a round; what each may then tell each about each is their cube. */
const VALIDATORS_A_TICK = 32;
/** Of so many validators these need not be our peers for all to be reached by nearly every author. */
const STRANGERS_MAX = 3;
/** Votes of others not yet spoken of; beyond, the oldest are let go: HasVote only saves duplicates. */
const UNSAID_MAX = 1024;

/**
 * How long the present round has been going on. Where every validator is our peer, a vote or part reaches everyone
 * from its author; telling of it and forwarding it is for the rounds in which that failed, and would only double the
 * traffic of the others. With fewer peers than validators there is always someone to forward to.
 */
export class Pace {
  #height: Height = 0;
  #round: Round = -1;
  #begun = false;
  #ticks = 0;
  #unsaid: Vote[] = [];

  /** A vote of another's was added. */
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

  /** A new step is worth a message of its own. */
  tellsStep(peers: number, rs: RoundState): boolean {
    return this.#isDue(STEP_TICKS, peers, rs);
  }

  /** The votes to speak of now, each once. */
  say(peers: number, rs: RoundState): readonly Vote[] {
    if (this.#unsaid.length === 0 || !this.#isDue(SAY_TICKS, peers, rs)) return [];
    const votes = this.#unsaid;
    this.#unsaid = [];
    return votes;
  }

  /**
   * Between heights nobody says which votes of the last commit it has. Of many peers each would send nearly all of them,
   * for the few signatures that it may add.
   */
  forwards(peers: number, rs: RoundState): boolean {
    if (largeness(rs) > 0 && !this.#begun && isMesh(peers, rs)) return false;
    return this.#isDue(FORWARD_TICKS, peers, rs);
  }

  /** One height behind, a peer gets what was decided. */
  supplies(peers: number, rs: RoundState): boolean {
    return this.#isDue(0, peers, rs);
  }

  #isDue(ticks: number, peers: number, rs: RoundState): boolean {
    if (!isMesh(peers, rs)) return true;
    const past = rs.height === this.#height ? this.#ticks : 0;
    return past >= ticks + largeness(rs);
  }
}

/** How many times as many validators there are as take no longer than a few. */
const largeness = ({ validators: { validators } }: RoundState): number =>
  Math.floor(validators.length / VALIDATORS_A_TICK);

/** Every validator is our peer; of many, as good as every one. */
export const isMesh = (peers: number, rs: RoundState): boolean =>
  rs.validators.validators.length - 1 - peers <= STRANGERS_MAX * largeness(rs);
