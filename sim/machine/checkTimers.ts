import { assert } from '../../core/lib/assert.ts';
import type { Effect, Input, Machine } from '../../core/node/contract.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import { timersOf, timerText } from './openCalls.ts';

const placeOf = ({ height, round, step }: RoundState): string => `${height}/${round}, step ${step}`;

/** The consensus time-out that this input is, in words; undefined for any other input. */
const timeOutOf = (input: Input): string | undefined =>
  input.kind === 'timer' && input.key.machine === 'consensus' ? timerText(input.key) : undefined;

/**
 * Checks that a time-out that a machine waits for ends that wait (L57, L61, L65), and that any other changes nothing.
 */
export function checkTimers(machine: Machine, rs: RoundState, hasInterval: boolean): void {
  const step = machine.step.bind(machine);
  let isOver = false;
  const stepped: Machine['step'] = (now, input) => {
    const effects = step(now, input);
    // A machine that has halted answers to nothing any more.
    isOver ||= effects.some(({ kind }) => kind === 'halt');
    return effects;
  };
  machine.step = (now, input): readonly Effect[] => {
    const text = timeOutOf(input);
    if (text === undefined) return stepped(now, input);
    const [before, waited] = [placeOf(rs), timersOf(rs, hasInterval)];
    const effects = stepped(now, input);
    if (isOver) return effects;
    const after = placeOf(rs);
    if (!waited.includes(text)) assert(after === before, `${text} takes it from ${before} to ${after}`);
    else assert(!timersOf(rs, hasInterval).includes(text), `at ${before} it goes on waiting past ${text}`);
    return effects;
  };
}
