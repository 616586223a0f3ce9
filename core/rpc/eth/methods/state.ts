/** Reads of accounts, code and storage at a height. */
import { to0xHex } from '../../../lib/bytes.ts';
import { viewOf } from '../blockId.ts';
import { quantity } from '../goHex.ts';
import { type EthMethod, method } from '../method.ts';
import { ADDRESS, BLOCK, text } from '../params.ts';
import { readStorageKey } from '../storageKey.ts';
import { pendingNonce } from '../submit.ts';

export const stateMethods: readonly EthMethod[] = [
  method({
    method: 'eth_getBalance',
    params: [ADDRESS, BLOCK],
    result: 'quantity',
    doc: 'Native balance in wei. An unknown block: -32000 `header not found`.',
    run: ({ ctx }, address, block) => quantity(viewOf(ctx.chain, block).account(address)?.balance ?? 0n),
  }),
  method({
    method: 'eth_getTransactionCount',
    params: [ADDRESS, BLOCK],
    result: 'quantity',
    doc: 'Nonce of the account; `pending` counts what waits in the pool.',
    run: ({ ctx }, address, block) => {
      const pending = block.kind === 'tag' && block.tag === 'pending';
      return quantity(
        pending ? pendingNonce(ctx, address) : (viewOf(ctx.chain, block).account(address)?.nonce ?? 0n),
      );
    },
  }),
  method({
    method: 'eth_getCode',
    params: [ADDRESS, BLOCK],
    result: 'bytes',
    doc: 'Contract code; for a delegated account its EIP-7702 designation.',
    run: ({ ctx }, address, block) => to0xHex(viewOf(ctx.chain, block).code(address)),
  }),
  method({
    method: 'eth_getStorageAt',
    params: [ADDRESS, text('slot'), BLOCK],
    result: '32 bytes',
    doc: 'One storage slot; zero when unset.',
    run: ({ ctx }, address, key, block) => {
      const { slot } = readStorageKey(key);
      return to0xHex(viewOf(ctx.chain, block).storage(address, slot));
    },
  }),
];
