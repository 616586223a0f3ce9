import type { EthTx } from '../../core/app/chain.ts';
import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import { list, number, text } from './rlp.ts';

/**
 * The canonical encoding of a transaction (EIP-155, EIP-2718, EIP-2930, EIP-1559, EIP-7702). Another encoding of the
 * same fields would have another hash.
 */
export function ethBytes(tx: EthTx): Bytes {
  const access = list(
    tx.accessList.map(({ address, storageKeys }) => list([text(address), list(storageKeys.map(text))])),
  );
  const call = [number(tx.gasLimit), text(tx.to ?? EMPTY), number(tx.value), text(tx.data)];
  const signature = [number(tx.v), number(tx.r), number(tx.s)];
  if (tx.type === 0) return list([number(tx.nonce), number(tx.maxFeePerGas), ...call, ...signature]);
  const prices = tx.type === 1 ? [tx.maxFeePerGas] : [tx.maxPriorityFeePerGas, tx.maxFeePerGas];
  const tuples = tx.authorizationList.map(({ chainId, address, nonce, yParity, r, s }) =>
    list([number(chainId), text(address), number(nonce), number(BigInt(yParity)), number(r), number(s)]),
  );
  const fields = [number(tx.chainId ?? 0n), number(tx.nonce), ...prices.map(number), ...call, access];
  return concat(
    Uint8Array.of(tx.type),
    list([...fields, ...(tx.type === 4 ? [list(tuples)] : []), ...signature]),
  );
}
