import type { EthTx } from '../../core/app/chain.ts';
import {
  AUTH_INFO,
  type AuthInfo,
  type Fee,
  MSG_ETHEREUM_TX,
  TX_BODY,
  TX_RAW,
  type TxBody,
  type TxRaw,
} from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { decode, encode, type Shape } from '../../core/codec/proto.ts';
import { type Bytes, EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import { ethBytes } from './ethBytes.ts';

/** Decodes the bytes, but only if they are in the canonical encoding. */
function read<T>(shape: Shape<T>, bytes: Bytes): T | undefined {
  const result = decode(shape, bytes);
  return result.ok && equalBytes(encode(shape, result.value), bytes) ? result.value : undefined;
}

/** How the Cosmos wrapping of an Ethereum transaction differs from what the transaction says. */
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
  const coins = price === 0n ? [] : [{ denom, amount: `${price}` }];
  if (fee.gasLimit !== tx.gasLimit || JSON.stringify(fee.amount) !== JSON.stringify(coins))
    return 'is wrapped with another fee than it pays';
  return isBare(raw, body, info, fee) ? undefined : 'is wrapped with more than itself';
}

/** There is only one message, one empty extension option, and a fee. */
function isBare(raw: TxRaw, body: TxBody, info: AuthInfo | undefined, { payer, granter }: Fee): boolean {
  const { messages, extensionOptions, nonCriticalExtensionOptions, memo, timeoutHeight } = body;
  const [option] = extensionOptions;
  const isNamed = option?.typeUrl === TYPE_URL.extensionEthereumTx && option.value.length === 0;
  const isOne = messages.length === 1 && messages[0]?.typeUrl === TYPE_URL.msgEthereumTx;
  const lists = [raw.signatures, info?.signerInfos ?? [], nonCriticalExtensionOptions];
  return (
    isNamed &&
    isOne &&
    extensionOptions.length === 1 &&
    timeoutHeight === 0n &&
    lists.every(({ length }) => length === 0) &&
    [payer, granter, memo, info?.tip ?? EMPTY].every(({ length }) => length === 0)
  );
}
