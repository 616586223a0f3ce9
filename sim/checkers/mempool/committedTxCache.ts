import { toHex } from '../../../core/lib/bytes.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { isSluggish } from '../timing/waitingTime.ts';
import { txHashOf } from './txHashes.ts';

/** With a slow drive, it may take so long until what the pool did about a block is seen. */
const SEEN_MICROS = 500_000;
/** A node remembers its last ten thousand transactions. This bound stays below that. */
const REMEMBERED = 9_000;

/** What one life of a node knows, by transaction hash in hex. */
class Known {
  /** Number of open questions to the application about each transaction. */
  readonly open = new Map<string, number>();
  readonly toldAt = new Map<string, number>();
  /**
   * Transactions in a block without an open question, and what `seen` was then. The pool must not ask about them again.
   */
  readonly used = new Map<string, number>();
  /** How many transactions the node has seen, some of them more than once. */
  seen = 0;
}

/**
 * POOL: a node remembers for long a transaction that it has seen in a block (CometBFT's cache). It does not put it to
 * the application again, whichever peer sends it. Excused after its operator has emptied the pool, and until the node has
 * done that.
 */
export function committedTxCache(context: CheckerContext): Checker {
  const name = 'records';
  const { world, suite, scenario } = context;
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
        // Open questions stay open.
        known.used.clear();
      } else if (fact.kind === 'event') {
        // While its drive makes the node wait, it has processed neither the application's answers nor its operator's wish.
        const isLate =
          node.isFlushing || node.disk.syncedBy(world.now) > world.now || isSluggish(node, scenario);
        for (const tx of fact.event.block.txs) {
          const key = toHex(txHashOf(tx, suite));
          const toldAt = known.toldAt.get(key) ?? Number.NEGATIVE_INFINITY;
          // A question from before the block may be answered with "already used", after which the pool forgets the
          // transaction.
          const isSeen = !isLate && !known.open.has(key) && world.now - toldAt > SEEN_MICROS;
          known.seen += 1;
          if (isSeen) known.used.set(key, known.seen);
          known.toldAt.delete(key);
        }
      } else {
        const key = toHex(txHashOf(fact.tx, suite));
        const open = (known.open.get(key) ?? 0) + (fact.kind === 'checkAsked' ? 1 : -1);
        if (open > 0) known.open.set(key, open);
        else known.open.delete(key);
        if (fact.kind === 'checkTold') {
          known.toldAt.set(key, world.now);
          return;
        }
        known.seen += 1;
        if (known.seen - (known.used.get(key) ?? Number.NEGATIVE_INFINITY) <= REMEMBERED)
          context.fail(
            name,
            `${node.name} asks its application to check transaction ${key} again, which it has lately seen in a block`,
          );
      }
    }),
  };
}
