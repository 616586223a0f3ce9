/** Reads accounts, code and storage at a height. */
import { to0xHex } from '../../../lib/bytes.ts';
import { isPending, withView } from '../at.ts';
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
    run: (call, address, block) =>
      withView(call, block, (view) => quantity(view.account(address)?.balance ?? 0n)),
  }),
  method({
    method: 'eth_getTransactionCount',
    params: [ADDRESS, BLOCK],
    result: 'quantity',
    doc: 'Nonce of the account; `pending` counts what waits in the pool.',
    run: (call, address, block) =>
      isPending(block)
        ? quantity(pendingNonce(call.ctx, address))
        : withView(call, block, (view) => quantity(view.account(address)?.nonce ?? 0n)),
  }),
  method({
    method: 'eth_getCode',
    params: [ADDRESS, BLOCK],
    result: 'bytes',
    doc: 'Contract code; for a delegated account its EIP-7702 designation.',
    run: (call, address, block) => withView(call, block, (view) => to0xHex(view.code(address))),
  }),
  method({
    method: 'eth_getStorageAt',
    params: [ADDRESS, text('slot'), BLOCK],
    result: '32 bytes',
    doc: 'One storage slot; zero when unset.',
    run: (call, address, key, block) => {
      const { slot } = readStorageKey(key);
      return withView(call, block, (view) => to0xHex(view.storage(address, slot)));
    },
  }),
];
