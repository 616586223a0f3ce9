import { toHex } from '../../core/lib/bytes.ts';
import type { CallId, Effect, Input, SignAsk, TimerKey } from '../../core/node/contract.ts';
import type { AppAsk } from '../../core/types/app.ts';
import type { Conflict } from '../../core/types/evidence.ts';
import type { Height } from '../../core/types/ids.ts';
import { STEP } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';

/** Signatures that a node waits for at once. A node that asks for more gives up the oldest. */
const SIGNS_MAX = 16;

const signText = ({ kind, height, round, bytes }: SignAsk): string =>
  `the signature of its ${kind} of ${height}/${round} over ${toHex(bytes)}`;

export const conflictText = ({ voteA: { height, round, type, validatorIndex } }: Conflict): string =>
  `the offence of validator ${validatorIndex} in the ${type}s of ${height}/${round}`;

/** A call to the application, in words. A block that was executed and not stored is executed again. */
function appText(ask: AppAsk): string | undefined {
  switch (ask.kind) {
    case 'checkTx':
      return undefined;
    case 'propose':
      return `a block to propose at ${ask.context.height}`;
    case 'validate':
      return `a verdict on ${toHex(ask.hash)}`;
    case 'finalize':
      return `${toHex(ask.hash)} to be carried out`;
    case 'commit':
      return `${toHex(ask.blockId.hash)} to be carried out`;
  }
}

/** What an effect asks for that only an answer ends, in words; undefined for any other effect. */
export function askText(effect: Effect): string | undefined {
  if (effect.kind === 'sign') return signText(effect.ask);
  if (effect.kind === 'app') return appText(effect.ask);
  if (effect.kind !== 'timer' || effect.key.machine !== 'consensus') return undefined;
  return timerText(effect.key);
}

type ConsensusTimer = Extract<TimerKey, { machine: 'consensus' }>;

export const timerText = ({ kind, height, round }: Omit<ConsensusTimer, 'machine'>): string =>
  `the end of ${kind} ${height}/${round}`;

/** What consensus has asked for at its height and has no answer to yet. */
export class OpenCalls {
  readonly #signs = new Map<CallId, SignAsk>();
  #app: { readonly call: CallId; readonly text: string } | undefined;

  onInput(input: Input): void {
    if (input.kind === 'signed') this.#signs.delete(input.call);
    else if (input.kind === 'app' && this.#app?.call === input.call) this.#app = undefined;
  }

  onEffect(effect: Effect): void {
    if (effect.kind === 'sign') this.#onSign(effect.call, effect.ask);
    if (effect.kind !== 'app') return;
    const text = appText(effect.ask);
    if (text !== undefined) this.#app = { call: effect.call, text };
  }

  #onSign(call: CallId, ask: SignAsk): void {
    this.#signs.set(call, ask);
    if (this.#signs.size > SIGNS_MAX) this.#signs.delete(this.#signs.keys().next().value as CallId);
  }

  /** A height begins: nothing that was asked before concerns it. */
  onHeight(height: Height): void {
    for (const [call, ask] of this.#signs) if (ask.height < height) this.#signs.delete(call);
    this.#app = undefined;
  }

  texts(): readonly string[] {
    const signs = [...this.#signs.values()].map(signText);
    return this.#app === undefined ? signs : [...signs, this.#app.text];
  }
}

/** The timers that a node waits for at its position, in words. */
export function timersOf({ height, round, step, held }: RoundState, hasInterval: boolean): readonly string[] {
  const due: ConsensusTimer['kind'][] = [];
  if (step === STEP.newHeight) due.push('newHeight');
  if (step === STEP.newRound && hasInterval) due.push('emptyBlock');
  if (step === STEP.propose) due.push('propose');
  if (step === STEP.prevoteWait) due.push('prevote');
  if (step < STEP.commit && held.precommitTimer) due.push('precommit');
  return due.map((kind) => timerText({ kind, height, round }));
}
