import { longestDelay } from '../network/delay.ts';
import { type LinkFaults, spoiltPpm } from '../network/link.ts';
import { PPM } from '../world/choices.ts';
import type { CheckerContext } from './checker.ts';

type FrameFault = keyof Pick<LinkFaults, 'lossPpm' | 'dupPpm' | 'reorderPpm' | 'corruptPpm'>;

/** Such faults make an honest peer look like a liar, so a node may be right to drop it. */
export const hasFault = ({ scenario }: CheckerContext, fault: FrameFault): boolean =>
  scenario.network[fault] > 0 ||
  scenario.timeline.some(({ action }) => action.kind === 'link' && (action.faults[fault] ?? 0) > 0);

/** Whether frames may repeat or come out of order. No stream does that, so a node in block sync takes it for a lie. */
export const mayDisorder = (context: CheckerContext): boolean =>
  hasFault(context, 'dupPpm') || hasFault(context, 'reorderPpm');

/** The longest delay of any message. Links changed for a while count, too. */
export const slowest = ({ network, timeline }: CheckerContext['scenario']): number =>
  Math.max(
    longestDelay(network.delay),
    ...timeline.flatMap(({ action }) =>
      action.kind === 'link' && action.faults.delay !== undefined ? [longestDelay(action.faults.delay)] : [],
    ),
  );

/** A peer that has stood still for so long is sent everything again: slightly above gossip's own wait. */
const AGAIN_MICROS = 2_500_000;
/** Odds against a message being lost so often that the bound is exceeded. */
const ONE_IN = 1_000_000_000;

/** Time that lost, damaged and torn-off messages may add to an exchange: as many repeats as those odds require. */
export function againMicros({ network, timeline }: CheckerContext['scenario']): number {
  const faults = [
    network,
    ...timeline.flatMap(({ action }) => (action.kind === 'link' ? [{ ...network, ...action.faults }] : [])),
  ];
  // A link that loses everything counts as cut, which the observer sees.
  const worst = Math.max(0, ...faults.map(spoiltPpm).filter((ppm) => ppm < PPM));
  let repeats = 0;
  for (let odds = 1; worst > 0 && odds < ONE_IN; odds *= PPM / worst) repeats++;
  return repeats * AGAIN_MICROS;
}
