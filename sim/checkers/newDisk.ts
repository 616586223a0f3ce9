import { decodeBlocksyncMessage } from '../../core/codec/messages.ts';
import type { Process } from '../machine/process.ts';
import type { Fact } from '../world/facts.ts';
import type { CheckerContext } from './checker.ts';
import { mayDisorder } from './linkFaults.ts';

/**
 * Whose disk was exchanged knows nothing of what it has signed: no code can keep it from signing that height again. Only where it
 * fetches old blocks first must it stay silent at heights below what its correct peers had when it had caught up with them,
 * and where streams are streams: else it may have taken them all for liars.
 */
export class NewDisks {
  /** What it is to be told of. */
  static readonly TOPICS = ['started', 'peer', 'syncHeard'] as const;
  readonly #context: CheckerContext;
  /** Heads that correct peers have told a node that fetches blocks; as it leaves off, they stay. */
  readonly #claims = new Map<Process, Map<string, number>>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  on(fact: Fact): void {
    if (fact.kind === 'started') this.#claims.set(fact.node, new Map());
    if (fact.kind !== 'peer' && fact.kind !== 'syncHeard') return;
    const claims = this.#claims.get(fact.node);
    if (claims === undefined || fact.node.node?.isSyncing() !== true) return;
    if (fact.kind === 'peer') {
      if (!fact.isUp) claims.delete(fact.peer);
    } else if (this.#context.correct.some(({ name }) => name === fact.peer)) {
      const decoded = decodeBlocksyncMessage(fact.bytes);
      if (decoded.ok && decoded.value.kind === 'statusResponse') claims.set(fact.peer, decoded.value.height);
    }
  }

  /** Whether it may sign twice at this height. */
  mayRepeat(node: Process, height: number): boolean {
    const { blockSync } = this.#context.scenario.engine;
    const known = Math.max(0, ...(this.#claims.get(node)?.values() ?? []));
    const isHeld = blockSync && height < known && !mayDisorder(this.#context);
    return node.disk.wipes > 0 && !isHeld;
  }
}
