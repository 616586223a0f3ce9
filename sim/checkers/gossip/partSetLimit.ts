import { BLOCK_PARTS_MAX } from '../../../core/codec/limits.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** Whatever a peer claims about a block, a correct node reserves room for no more parts than a block may have. */
export function partSetLimit(context: CheckerContext): Checker {
  const name = 'conduct';
  const heard = new Set<Process>();
  return {
    name,
    ...hearing(['byzantineFrameHeard'], (fact) => {
      if (fact.node.isCorrect) heard.add(fact.node);
    }),
    look(node) {
      if (!heard.delete(node)) return;
      for (const { id, round } of node.node?.rpc?.consensus?.peers() ?? []) {
        const size = round.parts?.size ?? 0;
        if (size > BLOCK_PARTS_MAX)
          context.fail(
            name,
            `${node.name} makes room for ${size} parts of a block that ${id} tells of, expected at most ${BLOCK_PARTS_MAX}`,
          );
      }
    },
  };
}
