import { POWER_LOSSES } from '../disk/powerLoss.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { STEPS } from './drawMoments.ts';
import type { Drawn } from './drawn.ts';
import { pick, seconds } from './pick.ts';

/** Changes of links that keep frames whole and in order, and then those that do not. */
const LINKS: readonly ((stream: ChoiceStream) => object)[] = [
  (stream) => ({ delay: pick(stream, ['300ms-2s', '20ms-30ms', '1s', '3s-5s']) }),
  (stream) => ({ rate: pick(stream, ['100kB/s', '20kB/s']) }),
];
const ROUGH_LINKS: readonly ((stream: ChoiceStream) => object)[] = [
  ...LINKS,
  (stream) => ({ dup: pick(stream, ['20%', '90%']), reorder: pick(stream, ['10%', '60%']) }),
  (stream) => ({ corrupt: pick(stream, ['1%', '10%']) }),
];
const TARGETS = ['proposer', 'random 1', 'random 2'];

/** Sometimes a fault hits a link, the proposer, random nodes, or a node in a certain step. */
export function drawStrikes(
  { choices, rarely, names, correct, troubleSeconds, before }: Drawn,
  isStream: boolean,
): readonly object[] {
  const stream = choices.stream('strikes');
  if (!rarely(stream, 4)) return [];
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
