import { type DecodeTx, decodeTx } from '../../core/app/tx/decodeTx.ts';
import { Memo } from '../memo.ts';
import { hashBytes } from '../world/rolling.ts';

/**
 * Reads equal transactions of one chain once for the whole cluster: each node is given each of them. What was read is a
 * value that no node changes; which bytes a node holds, and what it makes of them, stays its own.
 */
export function decodingTxsOnce(): DecodeTx {
  const memo = new Memo<ReturnType<DecodeTx>>();
  return (bytes, ...rest) => {
    const key = hashBytes(bytes, 0);
    const known = memo.find(key, bytes);
    if (known !== undefined) return known.answer;
    return memo.add(key, decodeTx(bytes, ...rest), bytes);
  };
}
