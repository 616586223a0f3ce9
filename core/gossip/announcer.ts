import { encodeConsensusMessage } from '../codec/messages.ts';
import { equalPartSetHeader } from '../types/block.ts';
import type { Micros, PeerId } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import type { GossipOptions, GossipOut } from './contract.ts';
import { roundStepOf } from './roundStep.ts';

/** Tells peers about ourselves: where we stand and which block we collect. */
export class Announcer {
  readonly #options: GossipOptions;
  #told = { height: 0, round: -1, step: 0 };
  /** When we last told all peers, or resumed ticking. */
  toldAt: Micros = 0;

  constructor(options: GossipOptions) {
    this.#options = options;
  }

  /** No peer knows where we stand. */
  forget(): void {
    this.#told = { height: 0, round: -1, step: 0 };
  }

  /** Whether peers were told of our height and round. */
  get isRoundTold(): boolean {
    const { height, round } = this.#options.rs;
    return height === this.#told.height && round === this.#told.round;
  }

  get isStepTold(): boolean {
    return this.#options.rs.step === this.#told.step;
  }

  /** Tells all our peers. */
  tell(now: Micros, all: readonly PeerId[], out: GossipOut): void {
    const { height, round, step } = this.#options.rs;
    this.#told = { height, round, step };
    this.toldAt = now;
    if (all.length > 0) this.tellSome(now, all, out);
  }

  tellSome(now: Micros, to: readonly PeerId[], out: GossipOut): void {
    const message = roundStepOf(now, this.#options.rs, this.#options.initialHeight);
    out.send(to, message, encodeConsensusMessage(message));
  }

  /** True when no proposal has told peers which block we collect. */
  get isBlockUntold(): boolean {
    const { step, proposal, proposalParts: parts } = this.#options.rs;
    if (step === STEP.commit || proposal === undefined) return true;
    return parts !== undefined && !equalPartSetHeader(parts.header, proposal.blockId.parts);
  }

  /** We know of a block and hold only some of its parts. */
  get wantsParts(): boolean {
    return this.#options.rs.proposalParts?.isComplete() === false;
  }

  /** Tells peers which parts we hold of the block that we collect, as long as any part is missing. */
  tellParts(to: readonly PeerId[], out: GossipOut): void {
    const { height, round, step, proposalParts } = this.#options.rs;
    if (proposalParts?.isComplete() !== false) return;
    const { header: parts, bits } = proposalParts;
    const isCommit = step === STEP.commit;
    const message = { kind: 'newValidBlock', height, round, parts, bits, isCommit } as const;
    out.send(to, message, encodeConsensusMessage(message));
  }
}
