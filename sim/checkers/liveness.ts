import type { Process } from '../process.ts';
import type { Expectation } from '../scenario/scenario.ts';
import { type Checker, type CheckerContext, isTolerable } from './checker.ts';

type Liveness = Extract<Expectation, { kind: 'liveness' }>;

/** Virtual µs for one height when the scenario says `auto`: every proposer in turn may be silent or unlucky. */
const AUTO_ROUND_MICROS = 12_000_000;

/**
 * LIV: counted from the moment of stability (`gst`, or the start), every correct node decides so many heights in so
 * much time. Nodes that are down at the end and stay down are excused; so is everyone when a third is faulty.
 */
export function liveness(context: CheckerContext, wanted: Liveness): Checker {
  const name = 'liveness';
  let from = 0;
  const base = new Map<Process, number>();
  const done = new Map<Process, number>();
  const { world } = context;
  return {
    name,
    on(fact) {
      if (fact.kind === 'stable') {
        from = world.now;
        done.clear();
        for (const node of context.correct) base.set(node, node.decided);
      }
      if (fact.kind !== 'event' || fact.event.kind !== 'committed' || !fact.node.isCorrect) return;
      const { node } = fact;
      const heights = fact.event.block.header.height - (base.get(node) ?? 0);
      if (heights >= wanted.heights && !done.has(node)) done.set(node, world.now);
    },
    finish() {
      if (!isTolerable(context)) return;
      const within = wanted.within === 'auto' ? autoBound(context, wanted.heights) : wanted.within;
      for (const node of context.correct) {
        if (node.state === 'down' || node.state === 'halted') continue;
        const at = done.get(node);
        const seconds = (micros: number): string => `${micros / 1_000_000}s`;
        if (at === undefined) {
          context.fail(
            name,
            `${node.name} decided ${node.decided - (base.get(node) ?? 0)} heights, not ${wanted.heights}`,
          );
        } else if (at - from > within) {
          context.fail(
            name,
            `${node.name} took ${seconds(at - from)} for ${wanted.heights} heights, at most ${seconds(within)}`,
          );
        }
      }
    },
  };
}

/** Each height may need a round for every faulty proposer in a row, and one that works. */
function autoBound(context: CheckerContext, heights: number): number {
  const faulty = context.world.processes.length - context.correct.length;
  return heights * (faulty + 2) * AUTO_ROUND_MICROS;
}
