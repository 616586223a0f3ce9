import type { View } from '../../app/chain.ts';
import { to0xHex } from '../../lib/bytes.ts';
import type { RpcContext } from '../context.ts';
import { serverError } from '../rpcError.ts';
import { type BlockId, blockOf } from './blockId.ts';

/** The state before the transaction with that index, like geth's stateAtTransaction. */
export async function stateBefore({ chain, evm }: RpcContext, id: BlockId, txIndex: number): Promise<View> {
  const block = blockOf(chain, id);
  if (block === undefined) throw serverError('block not found');
  const { header, transactions, hash } = block;
  if (header.number === 0) throw serverError('no transaction in genesis');
  if (txIndex < 0 || (txIndex > 0 && txIndex >= transactions.length))
    throw serverError(`transaction index ${txIndex} out of range for block ${to0xHex(hash)}`);
  const view = await evm.stateWithin(header.number, txIndex);
  if (view === undefined) throw serverError(`required historical state unavailable (block ${header.number})`);
  return view;
}
