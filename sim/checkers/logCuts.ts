import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** The log of a height is what a node has of it until its block is stored: it is not cut before. */
export const logCuts = (context: CheckerContext): Checker => ({
  name: 'no_crash',
  ...hearing(['cut'], (fact) => {
    if (!fact.node.isCorrect) return;
    const { head } = fact.node;
    if (head < fact.height)
      context.fail(
        'no_crash',
        `${fact.node.name} cuts its log of height ${fact.height}, and has stored ${head}`,
      );
  }),
});
