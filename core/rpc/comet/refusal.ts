import { unreachable } from '../../lib/assert.ts';
import type { MempoolRefusal } from '../../types/submit.ts';

/** Error texts of CometBFT's mempool/errors.go. Refusals that CometBFT does not know have our own texts. */
export function refusalText(refusal: MempoolRefusal): string {
  switch (refusal.code) {
    case 'in-cache':
      return 'tx already exists in cache';
    case 'full': {
      const { txs, txsMax, bytes, bytesMax } = refusal;
      return `mempool is full: number of txs ${txs} (max: ${txsMax}), total txs bytes ${bytes} (max: ${bytesMax})`;
    }
    case 'too-large':
      return `Tx too large. Max size is ${refusal.bytesMax}, but got ${refusal.bytes}`;
    case 'beyond-block':
      return `tx pre check: tx size is too big: ${refusal.bytes}, max: ${refusal.bytesMax}`;
    case 'replacement-underpriced':
      return 'replacement transaction underpriced';
    case 'lane-full':
    case 'overdraft':
      return refusal.message;
    default:
      return unreachable(refusal);
  }
}
