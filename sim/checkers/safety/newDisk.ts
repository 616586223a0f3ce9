import { decodeBlocksyncMessage } from '../../../core/codec/messages.ts';
import type { Process } from '../../machine/process.ts';
import type { Fact } from '../../world/facts.ts';
import type { CheckerContext } from '../checker.ts';
import { mayDisorder } from '../linkFaults.ts';

/**
 * A node with a new disk does not know what it has signed, and no code can keep it from signing such a height again.
 * With block sync, however, it must stay silent below the heads of its correct peers, which it has caught up with. That
 * holds only where links deliver in order and once; otherwise the node may have dropped those peers as liars.
 */
export class NewDisks {
  static readonly TOPICS = ['started', 'peer', 'syncHeard', 'dropped'] as const;
  readonly #context: CheckerContext;
  /** Heads that correct peers have announced to a node in block sync. They stay when block sync ends. */
  readonly #claims = new Map<Process, Map<string, number>>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  on(fact: Fact): void {
    if (fact.kind === 'started') this.#claims.set(fact.node, new Map());
    // A node may begin consensus at once when it has given up the last peer that has claimed more.
    if (fact.kind === 'dropped' && isOfBlockSync(fact.reason)) this.#claims.get(fact.node)?.delete(fact.peer);
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

  /** Whether the node may sign twice at this height. */
  mayRepeat(node: Process, height: number): boolean {
    const { blockSync } = this.#context.scenario.engine;
    const known = Math.max(0, ...(this.#claims.get(node)?.values() ?? []));
    const isHeld = blockSync && height < known && !mayDisorder(this.#context);
    return node.disk.wipes > 0 && !isHeld;
  }
}

const isOfBlockSync = (reason: string): boolean => reason.startsWith('blocksync: ');
