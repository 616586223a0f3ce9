import { toHex } from '../../core/lib/bytes.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { txHashOf } from './txHashes.ts';

/** What a pool has done with a block is seen so much later at most, when its drive is slow. */
const SEEN_MICROS = 500_000;

/** Of one life of a node, by the hash of the transaction in hex. */
class Known {
  /** Asked about, and not told of yet. */
  readonly open = new Map<string, number>();
  readonly toldAt = new Map<string, number>();
  /** In a block, with no question open: the pool has nothing more to ask about them. */
  readonly used = new Set<string>();
}

/**
 * POOL: a transaction that a node has seen in a block it knows for good (CometBFT's cache). It is not put to the application
 * again, whoever still sends it.
 */
export function usedTxs(context: CheckerContext): Checker {
  const name = 'records';
  const { world, suite } = context;
  const lives = new Map<object, Known>();
  return {
    name,
    ...hearing(['started', 'flushed', 'checkAsked', 'checkTold', 'committed'], (fact) => {
      const { node } = fact;
      if (!node.isCorrect) return;
      const known = lives.get(node) ?? new Known();
      lives.set(node, known);
      if (fact.kind === 'started') {
        lives.delete(node);
      } else if (fact.kind === 'flushed') {
        // Questions stay open.
        known.used.clear();
      } else if (fact.kind === 'event') {
        // While its drive kept it waiting, it has read of nothing that it was told.
        const isLate = node.disk.syncedBy(world.now) > world.now;
        for (const tx of fact.event.block.txs) {
          const key = toHex(txHashOf(tx, suite));
          const toldAt = known.toldAt.get(key) ?? Number.NEGATIVE_INFINITY;
          // The answer to what was asked before the block may have been that it is used, and then it is forgotten.
          const isSeen = !isLate && !known.open.has(key) && world.now - toldAt > SEEN_MICROS;
          if (isSeen) known.used.add(key);
          known.toldAt.delete(key);
        }
      } else {
        const key = toHex(txHashOf(fact.tx, suite));
        const open = (known.open.get(key) ?? 0) + (fact.kind === 'checkAsked' ? 1 : -1);
        if (open > 0) known.open.set(key, open);
        else known.open.delete(key);
        if (fact.kind === 'checkTold') known.toldAt.set(key, world.now);
        else if (known.used.has(key))
          context.fail(name, `${node.name} asks about ${key}, which it has seen in a block`);
      }
    }),
  };
}
