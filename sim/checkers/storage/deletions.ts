import { to0xHex } from '../../../core/lib/bytes.ts';
import { decodeUtf8 } from '../../../core/lib/utf8.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** A batch deletes only keys that exist, each once. After deleting a wrong key, the right one would stay for ever. */
export function deletions(context: CheckerContext): Checker {
  const name = 'conduct';
  return {
    name,
    ...hearing(['missingKeyDeleted'], ({ node, key }) => {
      if (!node.isCorrect || node.disk.isDamaged) return;
      context.fail(
        name,
        `${node.name} deletes ${decodeUtf8(key) ?? to0xHex(key)}, which is not in its database`,
      );
    }),
  };
}
