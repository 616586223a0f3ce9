import { readCoverage } from '../../../core/events/index/indexer.ts';
import { present } from '../../../core/lib/assert.ts';
import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import { ChainReads } from '../../../core/store/chainReads.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { blockOfRecord, heightOfPosting, heightOfSeen } from './recordHeights.ts';

/**
 * A rollback leaves nothing of the height that it takes back, in the index and, if the block goes too, anywhere. Only
 * trie nodes and code may stay, which are found by their content. If the same block came again it would cover what is
 * left, but another one would not.
 */
export function rollbackLeftovers(context: CheckerContext): Checker {
  const name = 'app_hash';
  return {
    name,
    ...hearing(['rolledBack'], ({ node, isHard }) => {
      if (!node.isCorrect || node.disk.isDamaged) return;
      const left = leftOver(node, isHard);
      if (left !== undefined) context.fail(name, `${node.name} keeps ${left} after a rollback`);
    }),
  };
}

function leftOver({ disk: { kv } }: Process, isHard: boolean): string | undefined {
  const head = present(new ChainReads(kv).headPointer(), 'a head').height;
  const heightOf = (key: Bytes, value: Bytes): number =>
    heightOfPosting(key) ?? (isHard ? (heightOfSeen(key) ?? blockOfRecord(key, value)) : undefined) ?? 0;
  const indexed = readCoverage(kv);
  if (indexed !== undefined && indexed.to > head)
    return `an index up to ${indexed.to}, above its head ${head},`;
  const left = kv.entries().find(({ key, value }) => heightOf(key, value) > head);
  return left && `record ${toHex(left.key)} from above its head ${head}`;
}
