import { toHex } from '../../../core/lib/bytes.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Vote } from '../../../core/types/vote.ts';

/** By then the node has processed a vote that it heard. */
const HEARD_MICROS = 30_000;
/** A node need not keep evidence of more offences than these. */
const OFFENCES_MAX = 500;

/** Evidence that a node owes: one validator signed two conflicting votes, and the node has heard both. */
interface Debt {
  readonly height: number;
  readonly text: string;
  /** The node's height when it heard the second vote, and the time. */
  readonly at: { readonly height: number; readonly micros: number };
  readonly from: string;
  isSure: boolean;
}

/** The evidence that a node has to propose at a height. */
export interface EvidenceToPropose {
  readonly height: number;
  readonly pieces: readonly Evidence[];
}

/** What one node knows of offences in its present life. */
export class DueEvidence {
  readonly #debts = new Map<string, Debt>();
  readonly #reported = new Set<string>();
  /** Peers that the node dropped and is not connected with again. It ignores what still arrives from them. */
  readonly #gone = new Set<string>();
  /** Evidence that no block carries yet, by its name. */
  readonly #waiting: Map<string, Evidence>;
  /** The evidence that waited when the node came to a height. The height at which its life began is left out. */
  #offered: EvidenceToPropose | undefined;
  #begun: number | undefined;

  /** How many offences it knew of in earlier lives. Its pool may still be full of them. */
  readonly #earlier: number;

  constructor(kept: Map<string, Evidence>, before?: DueEvidence) {
    this.#waiting = kept;
    this.#earlier = before?.offences ?? 0;
  }

  get offences(): number {
    return this.#earlier + this.#reported.size;
  }

  get offered(): EvidenceToPropose | undefined {
    return this.#offered;
  }

  get hasDebts(): boolean {
    return this.#debts.size > 0;
  }

  /** Whether a conflicting vote from this peer makes the node owe evidence that it neither owes nor has yet. */
  isNews(from: string, vote: Vote): boolean {
    const key = keyOf(vote);
    return !this.#gone.has(from) && !this.#debts.has(key) && !this.#reported.has(key);
  }

  onSecond(from: string, vote: Vote, at: Debt['at']): void {
    const { height, round, type, validatorIndex } = vote;
    const text = `the two ${type}s of validator ${validatorIndex} at ${height}/${round}`;
    this.#debts.set(keyOf(vote), { height, text, at, from, isSure: false });
  }

  onDropped(peer: string): void {
    this.#gone.add(peer);
    for (const [key, debt] of this.#debts) if (debt.from === peer && !debt.isSure) this.#debts.delete(key);
  }

  onConnected(peer: string): void {
    this.#gone.delete(peer);
  }

  onMoved(height: number): void {
    this.#begun ??= height;
    if (height > this.#begun && this.#offered?.height !== height)
      this.#offered = { height, pieces: [...this.#waiting.values()] };
  }

  onFound(name: string, evidence: Evidence): void {
    this.#waiting.set(name, evidence);
    this.#report(evidence);
  }

  onCarried(name: string, evidence: Evidence): void {
    this.#waiting.delete(name);
    this.#report(evidence);
  }

  #report(evidence: Evidence): void {
    if (evidence.kind !== 'duplicate-vote') return;
    const key = keyOf(evidence.voteA);
    this.#reported.add(key);
    this.#debts.delete(key);
  }

  /**
   * A debt becomes sure if the node still accepted votes of that height once it had time to process this one. If the
   * node moved on first, it may have ignored the vote, so the debt is dropped.
   */
  settle({ height, step }: RoundState, now: number): void {
    for (const [key, debt] of this.#debts) {
      if (debt.isSure || now - debt.at.micros < HEARD_MICROS) continue;
      const isStillOpen = debt.height === height || step === STEP.newHeight;
      if (debt.at.height === height && isStillOpen) debt.isSure = true;
      else this.#debts.delete(key);
    }
  }

  expire(mayExpire: (piece: Evidence) => boolean): void {
    for (const [name, piece] of this.#waiting) if (mayExpire(piece)) this.#waiting.delete(name);
  }

  /** Removes and returns the debts that are due now that the block of this height is stored. */
  takeOverdue(height: number): readonly Debt[] {
    const overdue: Debt[] = [];
    for (const [key, debt] of this.#debts) {
      if (!debt.isSure) this.#debts.delete(key);
      if (!debt.isSure || debt.height >= height || this.offences > OFFENCES_MAX) continue;
      this.#debts.delete(key);
      overdue.push(debt);
    }
    return overdue;
  }
}

const keyOf = ({ height, round, type, validatorAddress }: Vote): string =>
  `${height}/${round}/${type}/${toHex(validatorAddress)}`;
