/** The mempool: its transactions by sender and nonce. */
import { toEip55 } from '../../../address/eip55.ts';
import type { EthTx } from '../../../app/chain.ts';
import { equalBytes } from '../../../lib/bytes.ts';
import { answerCharsMax } from '../../answerRoom.ts';
import type { PooledSender } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { quantity } from '../goHex.ts';
import { type EthMethod, method } from '../method.ts';
import { ADDRESS } from '../params.ts';
import { pendingTxJson } from '../render.ts';

/** Keyed by nonce in decimal. */
const byNonce = <T>(txs: readonly EthTx[], show: (tx: EthTx) => T): Record<string, T> =>
  Object.fromEntries(txs.map((tx) => [tx.nonce.toString(), show(tx)]));

function tree<T>(content: readonly PooledSender[], show: (tx: EthTx) => T) {
  const half = (which: 'pending' | 'queued') =>
    Object.fromEntries(
      content
        .filter((entry) => entry[which].length > 0)
        .map((entry) => [toEip55(entry.sender), byNonce(entry[which], show)]),
    );
  return { pending: half('pending'), queued: half('queued') };
}

/** Approximate characters of a transaction without its data. */
const TX_CHARS = 1000;

const charsOf = (content: readonly PooledSender[]): number =>
  content.reduce(
    (sum, { pending, queued }) =>
      [...pending, ...queued].reduce((size, { raw }) => size + TX_CHARS + 2 * raw.length, sum),
    0,
  );

/** geth's one-line text of a transaction. */
const inspected = ({ to, value, gasLimit, maxFeePerGas }: EthTx): string =>
  `${to === undefined ? 'contract creation' : toEip55(to)}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas} wei`;

export const txpoolMethods: readonly EthMethod[] = [
  method({
    method: 'txpool_status',
    params: [],
    result: '{pending, queued}',
    doc: 'Transactions that could be executed now, and those that wait for an earlier nonce.',
    run: ({ ctx }) => {
      const { pending, queued } = ctx.pool.stats();
      return { pending: quantity(pending), queued: quantity(queued) };
    },
  }),
  method({
    method: 'txpool_content',
    params: [],
    result: '{pending, queued}: {address: {nonce: transaction}}',
    doc: 'All Ethereum transactions of the pool.',
    run: ({ ctx }) => {
      const content = ctx.pool.content();
      if (charsOf(content) > answerCharsMax(ctx.limits))
        throw serverError('the pool is too large for one answer: use txpool_contentFrom');
      return tree(content, pendingTxJson);
    },
  }),
  method({
    method: 'txpool_contentFrom',
    params: [ADDRESS],
    result: '{pending, queued}: {nonce: transaction}',
    doc: 'The transactions of one sender.',
    run: ({ ctx }, address) => {
      const own = ctx.pool.content().find(({ sender }) => equalBytes(sender, address));
      return {
        pending: byNonce(own?.pending ?? [], pendingTxJson),
        queued: byNonce(own?.queued ?? [], pendingTxJson),
      };
    },
  }),
  method({
    method: 'txpool_inspect',
    params: [],
    result: '{pending, queued}: {address: {nonce: text}}',
    doc: 'All Ethereum transactions of the pool, one line each.',
    run: ({ ctx }) => tree(ctx.pool.content(), inspected),
  }),
];
