import { unreachable } from '../../lib/assert.ts';
import type { MempoolRefusal } from '../../types/submit.ts';

/** The mempool's refusal as a code of codespace `sdk` and its log. */
export function refusalText(refusal: MempoolRefusal): { readonly code: number; readonly log: string } {
  switch (refusal.code) {
    case 'in-cache':
      return { code: 19, log: 'tx already in mempool' };
    case 'full':
      return { code: 20, log: `${refusal.txs} txs of ${refusal.txsMax}: mempool is full` };
    case 'too-large':
    case 'beyond-block':
      return { code: 21, log: `${refusal.bytes} bytes of ${refusal.bytesMax}: tx too large` };
    case 'replacement-underpriced':
      return { code: 13, log: 'replacement transaction underpriced: insufficient fee' };
    case 'lane-full':
      return { code: 20, log: `${refusal.message}: mempool is full` };
    case 'overdraft':
      return { code: 5, log: `${refusal.message}: insufficient funds` };
    default:
      return unreachable(refusal);
  }
}
