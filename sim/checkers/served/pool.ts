import { toEip55 } from '../../../core/address/eip55.ts';
import type { EthTx } from '../../../core/app/chain.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Hash } from '../../../core/types/ids.ts';
import { difference, type Fields, quantity } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, namesOf, someOf, unlike, withoutLimits } from '../questions.ts';

/**
 * A waiting transaction is shown alike by hash, by sender and in the whole list: without a block, and with its fee cap
 * as gas price.
 */
export async function wrongWaiting(rpc: RpcContext): Promise<string | undefined> {
  const lines = await wrongLines(rpc);
  if (lines !== undefined) return lines;
  const pooled = rpc.pool.content();
  const all = (await eth(withoutLimits(rpc), 'txpool_content', [])) as Fields;
  for (const { sender, pending, queued } of someOf(pooled)) {
    const name = toEip55(sender);
    const own = (await eth(rpc, 'txpool_contentFrom', [name])) as Fields;
    for (const [half, txs] of Object.entries({ pending, queued })) {
      const nonces = txs.map(({ nonce }) => String(nonce));
      const problem =
        unlike(`the nonces of ${name} that are ${half}`, namesOf(own, half), nonces) ??
        unlike(`${half} of ${name}`, fieldsOf(fieldsOf(all, half), name), fieldsOf(own, half));
      if (problem !== undefined) return problem;
      for (const tx of someOf(txs)) {
        if (isInUntoldBlock(rpc, tx.hash)) continue;
        const shown = (await eth(rpc, 'eth_getTransactionByHash', [to0xHex(tx.hash)])) as Fields | null;
        const raw = await eth(rpc, 'eth_getRawTransactionByHash', [to0xHex(tx.hash)]);
        const wrong =
          unlike(`the bytes of ${to0xHex(tx.hash)}, which waits`, raw, to0xHex(tx.raw)) ??
          difference(`the waiting transaction ${to0xHex(tx.hash)}`, shown, waiting(tx)) ??
          unlike(`${half} of ${name} at ${tx.nonce}`, fieldsOf(own, half)[String(tx.nonce)], shown);
        if (wrong !== undefined) return wrong;
      }
    }
  }
  // Nodes here have no accounts of their own.
  return unlike("what waits of the node's own", await eth(rpc, 'eth_pendingTransactions', []), []);
}

/** txpool_inspect describes each waiting transaction in a line of text. */
export async function wrongLines(rpc: RpcContext): Promise<string | undefined> {
  const lines = (await eth(rpc, 'txpool_inspect', [])) as Fields;
  for (const { sender, pending, queued } of someOf(rpc.pool.content())) {
    const name = toEip55(sender);
    for (const [half, txs] of Object.entries({ pending, queued })) {
      const problem = unlike(
        `the lines of ${name} that are ${half}`,
        fieldsOf(fieldsOf(lines, half), name),
        Object.fromEntries(txs.map((tx) => [String(tx.nonce), lineOf(tx)])),
      );
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

const lineOf = ({ to, value, gasLimit, maxFeePerGas }: EthTx): string =>
  `${to === undefined ? 'contract creation' : toEip55(to)}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas} wei`;

const waiting = (tx: EthTx): Fields => ({
  blockHash: null,
  blockNumber: null,
  transactionIndex: null,
  from: to0xHex(tx.from),
  nonce: quantity(tx.nonce),
  gasPrice: quantity(tx.maxFeePerGas),
  input: to0xHex(tx.data),
});

/** The transaction's block is stored, but neither pool nor consensus know of it yet. */
function isInUntoldBlock({ chain, consensus }: RpcContext, hash: Hash): boolean {
  const location = chain.ethTxLocation(hash);
  return location !== undefined && consensus !== undefined && location.height >= consensus.roundState.height;
}
