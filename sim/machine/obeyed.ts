import { assert } from '../../core/lib/assert.ts';
import type { Effect, Input, Machine } from '../../core/node/contract.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import { askText, timersOf } from './openCalls.ts';

const placeOf = ({ height, round, step }: RoundState): string => `${height}/${round}, step ${step}`;

const isOfConsensus = (input: Input): input is Extract<Input, { kind: 'timer' }> =>
  input.kind === 'timer' && input.key.machine === 'consensus';

/** A time-out that a machine waits for ends the wait when it comes (L57, L61, L65), and any other moves nothing. */
export function holdToTimers(machine: Machine, rs: RoundState, hasInterval: boolean): void {
  const step = machine.step.bind(machine);
  let isOver = false;
  machine.step = (now, input): readonly Effect[] => {
    const text = isOfConsensus(input) ? askText({ ...input, afterMs: 0 }) : undefined;
    const [before, waited] = [placeOf(rs), text === undefined ? [] : timersOf(rs, hasInterval)];
    const effects = step(now, input);
    // Whoever has stopped answers to nothing any more.
    isOver ||= effects.some(({ kind }) => kind === 'halt');
    if (text === undefined || isOver) return effects;
    const after = placeOf(rs);
    if (!waited.includes(text)) assert(after === before, `${text} takes it from ${before} to ${after}`);
    else assert(!timersOf(rs, hasInterval).includes(text), `at ${before} it goes on waiting past ${text}`);
    return effects;
  };
}
