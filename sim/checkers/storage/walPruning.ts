import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** Until the block of a height is stored, the node has only its WAL of that height, and must not cut it. */
export const walPruning = (context: CheckerContext): Checker => ({
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
