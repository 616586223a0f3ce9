import type { EthTx } from '../../core/app/chain.ts';
import { AUTH_INFO, MSG_ETHEREUM_TX, TX_BODY, TX_RAW } from '../../core/app/tx/tables.ts';
import { decode, type Shape } from '../../core/codec/proto.ts';
import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import { ethBytes } from './ethBytes.ts';

function read<T>(shape: Shape<T>, bytes: Bytes): T | undefined {
  const result = decode(shape, bytes);
  return result.ok ? result.value : undefined;
}

/** In what the wrapping of an Ethereum transaction says something else than that. */
export function wrappingProblem(bytes: Bytes, tx: EthTx, denom: string): string | undefined {
  const raw = read(TX_RAW, bytes);
  const body = raw && read(TX_BODY, raw.bodyBytes);
  const info = raw && read(AUTH_INFO, raw.authInfoBytes);
  const [any] = body?.messages ?? [];
  const message = any && read(MSG_ETHEREUM_TX, any.value);
  const fee = info?.fee;
  if (raw === undefined || body === undefined || message === undefined || fee === undefined)
    return 'is in no wrapping';
  if (!equalBytes(message.raw, tx.raw)) return 'is not what is in its wrapping';
  if (!equalBytes(tx.raw, ethBytes(tx))) return 'is not written in the one way';
  if (!equalBytes(message.from, tx.from)) return 'is wrapped as if another had sent it';
  const price = tx.gasLimit * tx.maxFeePerGas;
  const coins = price === 0n ? '' : `${price}${denom}`;
  if (fee.gasLimit !== tx.gasLimit || fee.amount.map((coin) => coin.amount + coin.denom).join() !== coins)
    return 'is wrapped with another fee than it pays';
  const rest = [fee.payer, fee.granter, body.memo, ...raw.signatures, ...(info?.signerInfos ?? [])];
  return rest.every(({ length }) => length === 0) && body.messages.length === 1 && body.timeoutHeight === 0n
    ? undefined
    : 'is wrapped with more than itself';
}
