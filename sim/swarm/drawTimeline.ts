import { POWER_LOSSES } from '../disk/powerLoss.ts';
import { CRASH_POINTS } from '../machine/life.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { type DrawnClient, isFeatured } from './drawClients.ts';
import type { Drawn } from './drawn.ts';
import { pick, seconds } from './pick.ts';

type Fault = (stream: ChoiceStream, drawn: Drawn) => object;

const LOSSY_LINK: Fault = (stream, { names }) => ({
  do: { link: { from: [pick(stream, names)], loss: `${10 + stream.choose(91)}%` } },
  for: seconds(stream, 1, 15),
});

const FAULTS: readonly Fault[] = [
  (stream, { names }) => ({ do: { partition: split(stream, names) }, for: seconds(stream, 1, 20) }),
  (stream, { names }) => ({
    do: { partition: split(stream, names), oneway: true },
    for: seconds(stream, 1, 15),
  }),
  (stream, { correct }) => ({
    do: { crash: pick(stream, correct), power_loss: pick(stream, POWER_LOSSES) },
    for: seconds(stream, 1, 10),
  }),
  (stream, { correct }) => ({
    do: {
      crash: pick(stream, correct),
      power_loss: pick(stream, POWER_LOSSES),
      point: pick(stream, CRASH_POINTS),
      count: 1 + stream.choose(20),
    },
    for: seconds(stream, 1, 10),
  }),
  (stream) => ({ do: { crash: 'all', power_loss: pick(stream, POWER_LOSSES) }, for: seconds(stream, 1, 5) }),
  (stream, { correct }) => ({ do: { pause: pick(stream, correct) }, for: seconds(stream, 1, 15) }),
  (stream, { names }) => ({ do: { clog: pick(stream, names) }, for: seconds(stream, 1, 10) }),
  LOSSY_LINK,
  (stream, { correct }) => ({
    do: {
      clock: { target: pick(stream, correct), skew: `${pick(stream, ['+', '-'])}${1 + stream.choose(5)}s` },
    },
  }),
  (stream, { correct }) => ({
    do: {
      clock: { target: pick(stream, correct), drift: `${pick(stream, ['', '-'])}${stream.choose(2000)}ppm` },
    },
  }),
  (stream, { correct }) => ({
    do: { clock: { target: pick(stream, correct), jitter: `${1 + stream.choose(500)}ms` } },
  }),
  (stream, { correct }) => ({
    do: { disk: { target: pick(stream, correct), fault: pick(stream, ['slow', 'full']) } },
    for: seconds(stream, 1, 10),
  }),
  (stream) => ({ do: { swizzle: 'all' }, for: seconds(stream, 2, 15) }),
  (stream, { correct }) => ({
    do: {
      upgrade: pick(stream, correct),
      to: '2.0.0',
      ...(stream.choose(2) === 1 ? { index: stream.choose(2) === 1 } : {}),
    },
    for: seconds(stream, 1, 5),
  }),
  (stream, { correct }) => ({ do: { rollback: pick(stream, correct) }, for: seconds(stream, 1, 5) }),
];

/** Two sides, neither empty when there are two nodes. */
function split(stream: ChoiceStream, names: readonly string[]): readonly (readonly string[])[] {
  const sides: [string[], string[]] = [[], []];
  for (const name of names) sides[stream.choose(2) as 0 | 1].push(name);
  return sides.filter((side) => side.length > 0);
}

/** @param isStream Frames are neither lost nor repeated. */
export function drawTimeline(drawn: Drawn, isStream: boolean): readonly object[] {
  const stream = drawn.choices.stream('timeline');
  const faults = isStream ? FAULTS.filter((fault) => fault !== LOSSY_LINK) : FAULTS;
  const count = pick(stream, [0, 1, 1, 2, 3, 5]);
  // The kinds of fault in this world: two or three, not a little of everything.
  const kinds = Array.from({ length: 3 }, () => pick(stream, faults));
  return Array.from({ length: count }, (_, i) => {
    const own = drawn.choices.stream(`timeline/${i}`);
    const at = `${own.choose(drawn.troubleSeconds * 10) / 10}s`;
    return { at, ...pick(own, kinds)(own, drawn) };
  });
}

/** Sometimes the last node without a vote leaves for good. Nobody hears of the chain through it alone. */
export function drawLeave(
  { choices, rarely, troubleSeconds }: Drawn,
  names: readonly string[],
): readonly object[] {
  const stream = choices.stream('leave');
  const name = names.at(-1);
  if (name === undefined || !rarely(stream, 4)) return [];
  return [{ at: seconds(stream, 1, 2 * troubleSeconds), do: { remove_node: name } }];
}

/** Sometimes an operator empties the pool of a node, unless a script relies on every transaction being taken. */
export function drawFlushes(
  { choices, rarely, correct, troubleSeconds }: Drawn,
  clients: readonly DrawnClient[],
): readonly object[] {
  const stream = choices.stream('flushes');
  if (clients.length === 0 || clients.some(isFeatured) || !rarely(stream, 8)) return [];
  return Array.from({ length: 1 + stream.choose(3) }, () => ({
    at: seconds(stream, 1, troubleSeconds),
    do: { flush_pool: pick(stream, correct) },
  }));
}

/** Half of the nodes without a vote join after a while. */
export function drawJoins({ choices, troubleSeconds }: Drawn, names: readonly string[]): readonly object[] {
  return names.flatMap((name) => {
    const stream = choices.stream(`join/${name}`);
    return stream.choose(2) === 0 ? [] : [{ at: seconds(stream, 1, troubleSeconds), do: { add_node: name } }];
  });
}
