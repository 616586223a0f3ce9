import type { LinkFaults } from '../network/link.ts';
import type { CheckerContext } from './checker.ts';

type FrameFault = keyof Pick<LinkFaults, 'lossPpm' | 'dupPpm' | 'reorderPpm' | 'corruptPpm'>;

/** Such faults make an honest peer look like a liar, so a node may be right to drop it. */
export const hasFault = ({ scenario }: CheckerContext, fault: FrameFault): boolean =>
  scenario.network[fault] > 0 ||
  scenario.timeline.some(({ action }) => action.kind === 'link' && (action.faults[fault] ?? 0) > 0);

/** Whether frames may repeat or come out of order. No stream does that, so a node in block sync takes it for a lie. */
export const mayDisorder = (context: CheckerContext): boolean =>
  hasFault(context, 'dupPpm') || hasFault(context, 'reorderPpm');
