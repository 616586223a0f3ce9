/** The mutable state that rules and handlers work on, and the functions through which they emit effects. */
import type { VoteVerifier } from '../codec/verifySignature.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import type { Effect } from '../node/contract.ts';
import type { Micros, Millis, Round } from '../types/ids.ts';
import { STEP } from '../types/messages.ts';
import type { NodeEvent, RoundStateEvent, StepName } from '../types/nodeEvent.ts';
import type { ConsensusConfig, ConsensusDeps, ConsensusOptions, ConsensusTimerKey, Out } from './contract.ts';
import type { HeightState } from './heightState.ts';
import { encodeLogRecord, type LogEntry } from './log.ts';

export interface Engine {
  readonly config: ConsensusConfig;
  readonly suite: CryptoSuite;
  readonly verifyVote: VoteVerifier;
  readonly validator: ConsensusOptions['validator'];
  readonly deps: ConsensusDeps;
  s: HeightState;
  /** Time of the current input, and the receiver of its effects and notices. */
  now: Micros;
  out: Out;
  /** True during replay: log entries are not persisted again, and their signatures are not verified again. */
  replaying: boolean;
  /** Why the machine has stopped for good. */
  halted: string | undefined;
}

const STEP_NAMES: readonly StepName[] = [
  'RoundStepNewHeight',
  'RoundStepNewRound',
  'RoundStepPropose',
  'RoundStepPrevote',
  'RoundStepPrevoteWait',
  'RoundStepPrecommit',
  'RoundStepPrecommitWait',
  'RoundStepCommit',
];

const stepName = (step: number): StepName => STEP_NAMES[step - 1] as StepName;

export const roundEvent = ({ s }: Engine): RoundStateEvent => ({
  height: s.height,
  round: s.round,
  step: stepName(s.step),
});

type RoundEventName = Extract<NodeEvent, { kind: 'round' }>['name'];

export function emit(e: Engine, effect: Effect): void {
  if (!e.replaying) e.out.effect(effect);
}

export const publish = (e: Engine, event: NodeEvent): void => emit(e, { kind: 'publish', event });

export const publishRound = (e: Engine, name: RoundEventName): void =>
  publish(e, { kind: 'round', name, at: roundEvent(e) });

/** Makes an input durable before any consequence of it leaves this node. */
export function persist(e: Engine, entry: LogEntry): void {
  if (!e.replaying) emit(e, { kind: 'persist', record: encodeLogRecord(e.s.height, e.now, entry) });
}

export function enterStep(e: Engine, step: number): void {
  e.s.step = step;
  publishRound(e, 'NewRoundStep');
}

export const setTimer = (e: Engine, kind: ConsensusTimerKey['kind'], round: Round, afterMs: Millis): void =>
  emit(e, { kind: 'timer', key: { machine: 'consensus', kind, height: e.s.height, round }, afterMs });

export function halt(e: Engine, reason: string): void {
  e.halted = reason;
  emit(e, { kind: 'halt', reason });
}

/** Before prevote in the paper's sense: we have not voted in this round. */
export const isBeforePrevote = (s: HeightState): boolean => s.step <= STEP.propose;
/** step_p = prevote. */
export const isPrevoting = (s: HeightState): boolean =>
  s.step === STEP.prevote || s.step === STEP.prevoteWait;
/** No commit is known yet. */
export const isOpen = (s: HeightState): boolean => s.step < STEP.commit;
