import type { ChoiceStream } from '../choices.ts';
import { POWER_LOSSES } from '../disk/powerLoss.ts';
import { CRASH_POINTS } from '../life.ts';
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
  // Which kinds this world knows at all: two or three, not a little of everything.
  const kinds = Array.from({ length: 3 }, () => pick(stream, faults));
  return Array.from({ length: count }, (_, i) => {
    const own = drawn.choices.stream(`timeline/${i}`);
    const at = `${own.choose(drawn.troubleSeconds * 10) / 10}s`;
    return { at, ...pick(own, kinds)(own, drawn) };
  });
}

/** Changes of links that leave frames in order and whole; then those that do not. */
const LINKS: readonly ((stream: ChoiceStream) => object)[] = [
  (stream) => ({ delay: pick(stream, ['300ms-2s', '20ms-30ms', '1s', '3s-5s']) }),
  (stream) => ({ rate: pick(stream, ['100kB/s', '20kB/s']) }),
];
const ROUGH_LINKS: readonly ((stream: ChoiceStream) => object)[] = [
  ...LINKS,
  (stream) => ({ dup: pick(stream, ['20%', '90%']), reorder: pick(stream, ['10%', '60%']) }),
  (stream) => ({ corrupt: pick(stream, ['1%', '10%']) }),
];
const STEPS = ['propose', 'prevote', 'precommit', 'commit'];
const TARGETS = ['proposer', 'random 1', 'random 2'];

/** Now and then something hits a link, or whoever is in a certain step. */
export function drawStrikes(
  { choices, names, correct, troubleSeconds, before }: Drawn,
  isStream: boolean,
): readonly object[] {
  const stream = choices.stream('strikes');
  if (stream.choose(4) < 3) return [];
  return Array.from({ length: 1 + stream.choose(3) }, (_, i) => {
    const own = choices.stream(`strikes/${i}`);
    const at = `${own.choose(troubleSeconds * 10) / 10}s`;
    const during = seconds(own, 1, 15);
    switch (own.choose(3)) {
      case 0: {
        const to = names.filter(() => own.choose(2) === 1);
        const ends = { from: [pick(own, names)], ...(to.length === 0 ? {} : { to }) };
        return {
          at,
          do: { link: { ...ends, ...pick(own, isStream ? LINKS : ROUGH_LINKS)(own) } },
          for: during,
        };
      }
      case 1:
        return { at, do: { [pick(own, ['pause', 'clog'])]: pick(own, TARGETS) }, for: during };
      default: {
        const who = pick(own, correct);
        const when = { height: before + 1 + own.choose(6), step: pick(own, STEPS) };
        const crash = { crash: who, power_loss: pick(own, POWER_LOSSES) };
        return { when, on: who, do: crash, for: seconds(own, 1, 8) };
      }
    }
  });
}

/** Half of the nodes without a vote come when the others have been there for a while. */
export function drawJoins({ choices, troubleSeconds }: Drawn, names: readonly string[]): readonly object[] {
  return names.flatMap((name) => {
    const stream = choices.stream(`join/${name}`);
    return stream.choose(2) === 0 ? [] : [{ at: seconds(stream, 1, troubleSeconds), do: { add_node: name } }];
  });
}
