import { type DecodeTx, decodeTx } from '../../core/app/tx/decodeTx.ts';
import { Memo } from '../memo.ts';
import { hashBytes } from '../world/rolling.ts';

/**
 * Decodes each transaction of a chain once for the whole cluster, since every node receives it. No node changes the
 * decoded value. Which bytes a node holds, and what it does with them, stays its own.
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
