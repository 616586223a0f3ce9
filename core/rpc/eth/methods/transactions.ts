/** Transactions: lookup, calls, submission. */
import type { CallOptions, View } from '../../../app/chain.ts';
import { to0xHex } from '../../../lib/bytes.ts';
import type { RpcContext } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { createAccessList } from '../accessList.ts';
import { withView } from '../at.ts';
import type { BlockId } from '../blockId.ts';
import {
  blockOverridesFault,
  callFault,
  overridesFault,
  type TransactionArgs,
  toCallArgs,
} from '../callArgs.ts';
import { fillNamedFees } from '../feeDefaults.ts';
import { quantity } from '../goHex.ts';
import { type EthCall, type EthMethod, method, optional } from '../method.ts';
import {
  BLOCK,
  BLOCK_OVERRIDES,
  DATA,
  HASH,
  OVERRIDES,
  SIMULATION,
  TIMEOUT_MS,
  TRANSACTION,
} from '../params.ts';
import { accessListJson, logJson, receiptJson } from '../render.ts';
import { outcomeError } from '../revert.ts';
import { sendRawSync } from '../sendRawSync.ts';
import { heavily } from '../services.ts';
import { simulateBlocks } from '../simulate.ts';
import { sendRaw, sendTransaction } from '../submit.ts';
import { minedTx, shownTx } from '../transactions.ts';

/** Gas limit of a call: the requested one, but at most the node's cap. */
export const cappedGas = (ctx: RpcContext, asked: bigint | undefined): bigint =>
  asked === undefined || asked > ctx.limits.gasCap ? ctx.limits.gasCap : asked;

function checkCall(ctx: RpcContext, args: TransactionArgs, { state, block }: CallOptions): void {
  const fault =
    callFault(args, ctx.chain.evmChainId) ??
    blockOverridesFault(block) ??
    (state && overridesFault(state, (address) => ctx.evm.isPrecompile(address)));
  if (fault !== undefined) throw serverError(fault);
}

/** Checks the arguments like geth, then runs `question` on the requested state. */
export function askState<T>(
  request: EthCall,
  args: TransactionArgs,
  id: BlockId,
  options: CallOptions,
  question: (view: View, options: CallOptions) => Promise<T>,
): Promise<T> {
  checkCall(request.ctx, args, options);
  return Promise.resolve(withView(request, id, (view) => question(view, options)));
}

export const transactionMethods: readonly EthMethod[] = [
  method({
    method: 'eth_getTransactionByHash',
    params: [HASH],
    result: 'transaction or null',
    doc: 'A committed transaction, or one that waits in the pool (its block fields are null).',
    run: ({ ctx }, hash) => shownTx(ctx, hash),
  }),
  method({
    method: 'eth_getTransactionReceipt',
    params: [HASH],
    result: 'receipt or null',
    doc: 'The receipt of a committed transaction; null at once for any other.',
    run: ({ ctx }, hash) => {
      const mined = minedTx(ctx, hash);
      return mined === undefined ? null : receiptJson(mined.block, mined.index);
    },
  }),
  method({
    method: 'eth_call',
    params: [TRANSACTION, BLOCK, OVERRIDES, BLOCK_OVERRIDES],
    result: 'bytes',
    doc: 'Runs a call on a state without changing it. A revert: code 3 with the revert bytes in `data`.',
    run: async (request, args, id, state, block) => {
      const { evm } = request.ctx;
      const gas = cappedGas(request.ctx, args.gas);
      const outcome = await askState(request, args, id, { state, block }, (view, options) =>
        evm.call(view, toCallArgs(args, gas), options),
      );
      if (outcome.kind === 'returned') return to0xHex(outcome.data);
      throw outcomeError(outcome);
    },
  }),
  method({
    method: 'eth_estimateGas',
    params: [TRANSACTION, BLOCK, OVERRIDES, BLOCK_OVERRIDES],
    result: 'quantity',
    doc: 'Least gas limit with which the transaction succeeds. A revert: code 3.',
    run: async (request, args, id, state, block) => {
      const { ctx } = request;
      const outcome = await askState(request, args, id, { state, block }, (view, options) =>
        ctx.evm.estimateGas(view, toCallArgs(args, args.gas), ctx.limits.gasCap, options),
      );
      if (outcome.kind === 'gas') return quantity(outcome.gas);
      throw outcomeError(outcome);
    },
  }),
  method({
    method: 'eth_createAccessList',
    params: [TRANSACTION, BLOCK, OVERRIDES],
    result: '{accessList, gasUsed, error?}',
    doc: 'Accounts and slots that the transaction touches beyond those that are warm anyway (EIP-2930).',
    run: async (request, args, id, state) => {
      const { ctx, services } = request;
      const made = await askState(request, args, id, { state }, (view, options) => {
        const priced = fillNamedFees(ctx, args, services.oracle, view.height);
        return createAccessList(ctx, view, toCallArgs(priced, cappedGas(ctx, args.gas)), options);
      });
      const { accessList, gasUsed, error } = made;
      return {
        accessList: accessListJson(accessList),
        ...(error === undefined ? {} : { error }),
        gasUsed: quantity(gasUsed),
      };
    },
  }),
  method({
    method: 'eth_simulateV1',
    params: [SIMULATION, BLOCK],
    result: 'block[] with calls',
    doc: 'Runs calls in blocks that never were, on a state, with overrides of state and headers. Refusals: -38010 to -38026.',
    run: (call, { blocks, ...options }, block) =>
      heavily(call.ctx, () =>
        withView(call, block, (view) => simulateBlocks(call.ctx, view, blocks, options)),
      ),
  }),
  method({
    method: 'eth_getTransactionLogs',
    params: [HASH],
    result: 'log[]',
    doc: 'The logs of a committed transaction; empty for any other.',
    run: ({ ctx }, hash) => {
      const mined = minedTx(ctx, hash);
      const logs = mined?.block.receipts[mined.index]?.logs ?? [];
      return mined === undefined ? [] : logs.map((log) => logJson(mined.block, mined.index, log));
    },
  }),
  method({
    method: 'eth_sendRawTransactionSync',
    params: [DATA, optional(TIMEOUT_MS, undefined)],
    result: 'receipt',
    doc: 'Submits and waits for the receipt (EIP-7966), 20 s unless told, 60 s at most. Not in a block by then: code 4, with the hash in `data`.',
    run: ({ ctx }, raw, timeout) => sendRawSync(ctx, raw, timeout),
  }),
  method({
    method: 'eth_sendRawTransaction',
    params: [DATA],
    result: '32-byte hash',
    doc: 'Submits a signed transaction; answers when the pool has taken it. Refusals: -32000 in geth wording.',
    run: ({ ctx }, raw) => sendRaw(ctx, raw),
  }),
  method({
    method: 'eth_sendTransaction',
    params: [TRANSACTION],
    result: '32-byte hash',
    doc: 'Signs with a key of the node (dev accounts) and submits. Foreign sender: -32000 `unknown account`.',
    run: ({ ctx, services }, args) => sendTransaction(ctx, args, services),
  }),
];
