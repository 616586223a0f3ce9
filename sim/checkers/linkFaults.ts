import type { LinkFaults } from '../network/link.ts';
import type { CheckerContext } from './checker.ts';

type FrameFault = keyof Pick<LinkFaults, 'lossPpm' | 'dupPpm' | 'reorderPpm' | 'corruptPpm'>;

/** A damaged frame, one too many or one too few looks like a liar: a peer that drops it does right by what it can know. */
export const hasFault = ({ scenario }: CheckerContext, fault: FrameFault): boolean =>
  scenario.network[fault] > 0 ||
  scenario.timeline.some(({ action }) => action.kind === 'link' && (action.faults[fault] ?? 0) > 0);

/** Frames may come again, or after later ones, which a stream never does and whoever fetches blocks takes for a lie. */
export const mayDisorder = (context: CheckerContext): boolean =>
  hasFault(context, 'dupPpm') || hasFault(context, 'reorderPpm');
