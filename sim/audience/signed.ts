import { present } from '../../core/lib/assert.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import { eth } from '../checkers/questions.ts';
import { quantity } from '../clients/answers/answers.ts';
import type { Stage } from './stage.ts';

/** Above every nonce of the chain. */
const NONCE = 1_000_000;

/** A transaction that no block takes, from an account whose key the node holds. */
export async function signedByNode({ ctx }: Stage, index: number): Promise<string> {
  const from = to0xHex(present(ctx.keys.addresses[0], 'an account of the node'));
  const fields = { from, to: from, gas: quantity(21_000), gasPrice: '0x1', nonce: quantity(NONCE + index) };
  const { raw } = (await eth(ctx, 'eth_signTransaction', [fields])) as { readonly raw: string };
  return raw;
}
