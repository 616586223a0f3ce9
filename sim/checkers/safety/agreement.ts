import type { Bytes } from '../../../core/lib/bytes.ts';
import { equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { compareStores } from '../storage/compareStores.ts';

interface Decided {
  readonly node: string;
  readonly hash: Bytes;
}

/** AGR: no two correct nodes decide different blocks at one height, and no node decides twice. */
export function agreement(context: CheckerContext): Checker {
  const name = 'agreement';
  const decided = new Map<number, Decided>();
  return {
    name,
    ...hearing(['committed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { block, blockId } = fact.event;
      const { height } = block.header;
      const first = decided.get(height);
      if (first === undefined) decided.set(height, { node: fact.node.name, hash: blockId.hash });
      else if (!equalBytes(first.hash, blockId.hash)) {
        const [a, b] = [toHex(first.hash).slice(0, 12), toHex(blockId.hash).slice(0, 12)];
        context.fail(name, `height ${height}: ${first.node} decided ${a}, ${fact.node.name} decided ${b}`);
      }
    }),
  };
}

/** Every correct node has the same app hash at every height. At the end, the databases are compared, too. */
export function appHash(context: CheckerContext): Checker {
  const name = 'app_hash';
  const known = new Map<number, Decided>();
  return {
    name,
    ...hearing(['committed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { height } = fact.event.block.header;
      const hash = fact.event.results.appHash;
      const first = known.get(height);
      if (first === undefined) known.set(height, { node: fact.node.name, hash });
      else if (!equalBytes(first.hash, hash)) {
        context.fail(
          name,
          `height ${height}: app hash of ${fact.node.name} differs from that of ${first.node}`,
        );
      }
    }),
    finish: () => compareStores(context, name),
  };
}
