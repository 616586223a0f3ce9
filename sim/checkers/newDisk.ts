import type { Fact } from '../facts.ts';
import type { Process } from '../process.ts';
import type { CheckerContext } from './checker.ts';

/**
 * Whose disk was exchanged knows nothing of what it has signed: no code can keep it from signing that height again. Only where it
 * fetches old blocks first must it stay silent at heights below the newest that was decided when it began anew.
 */
export class NewDisks {
  readonly #context: CheckerContext;
  /** What other correct nodes had decided when the first life on a disk began. */
  readonly #began = new Map<Process, { readonly wipes: number; readonly decided: number }>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  on(fact: Fact): void {
    if (fact.kind !== 'started') return;
    const { wipes } = fact.node.disk;
    if (this.#began.get(fact.node)?.wipes === wipes) return;
    const decided = this.#context.correct.reduce(
      (most, one) => (one === fact.node ? most : Math.max(most, one.decided)),
      0,
    );
    this.#began.set(fact.node, { wipes, decided });
  }

  /** Whether it may sign twice at this height. */
  mayRepeat(node: Process, height: number): boolean {
    const { blockSync } = this.#context.scenario.engine;
    return node.disk.wipes > 0 && !(blockSync && height < (this.#began.get(node)?.decided ?? 0));
  }
}
