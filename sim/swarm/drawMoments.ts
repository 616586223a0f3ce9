import type { ChoiceStream } from '../world/choices.ts';
import type { Drawn } from './drawn.ts';
import { pick, seconds } from './pick.ts';

type Moment = (stream: ChoiceStream, drawn: Drawn) => object;

export const STEPS = ['propose', 'prevote', 'precommit', 'commit'];
const EVENTS = ['crashed', 'started', 'halted'];
const LATER = ['0s', '1ms', '300ms', '2s'];

const eventOf: Moment = (stream, { correct }) => ({
  event: `${pick(stream, EVENTS)}(${pick(stream, correct)})`,
});
const heightOf = (stream: ChoiceStream, { before }: Drawn): number => before + 1 + stream.choose(6);

/** Conditions for an entry of the timeline, in place of a time. */
const MOMENTS: readonly Moment[] = [
  (stream, drawn) => ({ when: eventOf(stream, drawn) }),
  (stream, drawn) => ({ after: eventOf(stream, drawn), at: pick(stream, LATER) }),
  (stream, drawn) => ({ after: { height: heightOf(stream, drawn) }, at: pick(stream, LATER) }),
  (stream) => ({ every: seconds(stream, 1, 10), times: 1 + stream.choose(4) }),
  (stream) => ({ chance: pick(stream, ['2%', '20%']), times: 1 + stream.choose(3) }),
  (stream, { correct }) => ({ when: { round: pick(stream, [1, 2]) }, on: pick(stream, correct) }),
  (stream, drawn) => ({
    when: { height: heightOf(stream, drawn), round: 0, step: pick(stream, STEPS) },
    on: pick(stream, drawn.correct),
  }),
];

/** Sometimes half of the entries wait for an event, repeat, or happen by chance. */
export function drawMoments(drawn: Drawn, timeline: readonly object[]): readonly object[] {
  const stream = drawn.choices.stream('moments');
  if (!drawn.rarely(stream, 5)) return timeline;
  return timeline.map((entry) => {
    if (stream.choose(2) === 0) return entry;
    const { at: _, when: __, on: ___, ...what } = entry as Record<string, unknown>;
    return { ...pick(stream, MOMENTS)(stream, drawn), ...what };
  });
}

/** Conditions of a lie, and audiences, that depend on what happens. */
const OCCASIONS: readonly Moment[] = [
  (stream, drawn) => ({ when: { ...eventOf(stream, drawn), for: seconds(stream, 1, 20) } }),
  (stream, drawn) => ({ when: { ...eventOf(stream, drawn), after: pick(stream, LATER) } }),
  (stream) => ({ when: { step: pick(stream, STEPS) } }),
  (stream) => ({ when: { every: seconds(stream, 1, 5), times: 1 + stream.choose(6) } }),
  (stream) => ({ when: { at: seconds(stream, 1, 10), for: seconds(stream, 1, 20) } }),
  () => ({ to: 'proposer' }),
  (stream) => ({ to: `random ${pick(stream, [1, 2])}` }),
];

/** Sometimes the lies of a node get such conditions. */
export function drawOccasions<T extends object>(drawn: Drawn, who: string, lies: readonly T[]): readonly T[] {
  const stream = drawn.choices.stream(`occasions/${who}`);
  if (!drawn.rarely(stream, 5)) return lies;
  return lies.map((lie) => ({ ...lie, ...pick(stream, OCCASIONS)(stream, drawn) }));
}
