/** Signing with the node's own keys (dev accounts). A node without keys answers `unknown account`. */
import { renderError } from '../../../app/errors.ts';
import { decodeEthTx } from '../../../app/evm/ethTx.ts';
import { equalBytes, to0xHex } from '../../../lib/bytes.ts';
import { serverError } from '../../rpcError.ts';
import type { TransactionArgs } from '../callArgs.ts';
import { type EthMethod, method, optional } from '../method.ts';
import { ADDRESS, DATA, QUANTITY, QUANTITY_64, TRANSACTION, TYPED_DATA } from '../params.ts';
import { signDigest, signMessage } from '../personalMessage.ts';
import { pendingTxJson, unsignedTxJson } from '../render.ts';
import { encodeUnsigned, signTx } from '../signTx.ts';
import { checkPolicy, fillTx, secretOf, sendTransaction } from '../submit.ts';
import { typedDataHash } from '../typedData.ts';

/** geth's SignTransaction requires all fields that affect what is signed. */
function requireComplete({
  gas,
  gasPrice,
  maxFeePerGas,
  maxPriorityFeePerGas,
  nonce,
}: TransactionArgs): void {
  if (gas === undefined) throw serverError('gas not specified');
  if (gasPrice === undefined && (maxPriorityFeePerGas === undefined || maxFeePerGas === undefined))
    throw serverError('missing gasPrice or maxFeePerGas/maxPriorityFeePerGas');
  if (nonce === undefined) throw serverError('nonce not specified');
}

export const signingMethods: readonly EthMethod[] = [
  method({
    method: 'eth_sign',
    params: [ADDRESS, DATA],
    result: '65-byte signature',
    doc: 'Signs a message under the EIP-191 prefix; v is 27 or 28. Foreign address: -32000 `unknown account`.',
    run: ({ ctx }, address, message) => signMessage(message, secretOf(ctx, address), ctx.suite),
  }),
  // Wallet libraries (ethers, hardhat) use MetaMask's method name.
  ...['eth_signTypedData', 'eth_signTypedData_v4'].map((name) =>
    method({
      method: name,
      params: [ADDRESS, TYPED_DATA],
      result: '65-byte signature',
      doc: 'Signs typed data (EIP-712), an object or its JSON text; v is 27 or 28.',
      run: ({ ctx }, address, typed) => {
        const secret = secretOf(ctx, address);
        return to0xHex(signDigest(typedDataHash(typed, ctx.suite), secret, ctx.suite));
      },
    }),
  ),
  method({
    method: 'eth_signTransaction',
    params: [TRANSACTION],
    result: '{raw, tx}',
    doc: 'Signs without submitting. Gas, nonce and fees must be given.',
    run: async ({ ctx, services }, args) => {
      requireComplete(args);
      const secret = secretOf(ctx, args.from);
      const raw = signTx(await fillTx(ctx, args, services.oracle), secret, ctx.suite);
      const decoded = decodeEthTx(raw, ctx.suite);
      // The resulting transaction may exceed the size limit.
      if (!decoded.ok) throw serverError(renderError(decoded.error).ethMessage);
      const { tx } = decoded.value;
      checkPolicy(ctx, tx);
      return { raw: to0xHex(raw), tx: pendingTxJson(tx) };
    },
  }),
  method({
    method: 'eth_fillTransaction',
    params: [TRANSACTION],
    result: '{raw, tx}',
    doc: 'Fills nonce, gas and fees, for the caller to sign; the signature of `raw` is empty.',
    run: async ({ ctx, services }, args) => {
      const filled = await fillTx(ctx, args, services.oracle);
      const raw = encodeUnsigned(filled);
      return { raw: to0xHex(raw), tx: unsignedTxJson(filled, to0xHex(ctx.suite.keccak256(raw))) };
    },
  }),
  method({
    method: 'eth_pendingTransactions',
    params: [],
    result: 'transaction[]',
    doc: "Transactions of the node's own accounts that wait in the pool.",
    run: ({ ctx }) =>
      ctx.pool
        .content()
        .filter(({ sender }) => ctx.keys.addresses.some((own) => equalBytes(own, sender)))
        .flatMap(({ pending }) => pending.map(pendingTxJson)),
  }),
  method({
    method: 'eth_resend',
    params: [
      TRANSACTION,
      optional({ ...QUANTITY, name: 'gasPrice' }, undefined),
      optional({ ...QUANTITY_64, name: 'gasLimit' }, undefined),
    ],
    result: '32-byte hash',
    doc: 'Replaces a waiting transaction of an own account with a higher price or another gas limit.',
    run: async ({ ctx, services }, args, gasPrice, gas) => {
      if (args.nonce === undefined) throw serverError('missing transaction nonce in transaction spec');
      const { from, nonce } = args;
      const own = ctx.pool.content().find(({ sender }) => from !== undefined && equalBytes(sender, from));
      const waits = [...(own?.pending ?? []), ...(own?.queued ?? [])].some((tx) => tx.nonce === nonce);
      if (!waits) throw serverError(`transaction ${nonce} not found`);
      const priced =
        gasPrice === undefined || gasPrice === 0n
          ? args
          : { ...args, gasPrice, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
      return sendTransaction(
        ctx,
        { ...priced, gas: gas === undefined || gas === 0n ? args.gas : gas },
        services,
      );
    },
  }),
];
