/** What the signature of a bank transaction covers, written again from the formats themselves to check core's code. */
import { MSG_MULTI_SEND, MSG_SEND } from '../../core/app/cosmos/tables.ts';
import { type Any, AUTH_INFO, TX_BODY } from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { decode, type Shape } from '../../core/codec/proto.ts';
import { type Bytes, concat } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import type { Keccak } from './trieRoot.ts';
import { typedDigest } from './typedDigest.ts';

/** `typed` is EIP-712, as signed by a wallet that knows only Ethereum. */
export type SignForm = 'direct' | 'amino' | 'typed';

export interface SignedParts {
  readonly bodyBytes: Bytes;
  readonly authInfoBytes: Bytes;
}

/** What is signed besides the transaction. */
export interface SignedFor {
  readonly chainId: string;
  readonly evmChainId: bigint;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
}

/** Undefined if the bytes are no such message, or if this form cannot express it. */
export function signDigest(
  form: SignForm,
  parts: SignedParts,
  data: SignedFor,
  keccak: Keccak,
): Bytes | undefined {
  if (form === 'direct') return keccak(directDoc(parts, data));
  const doc = aminoDoc(parts, data);
  if (doc === undefined) return undefined;
  return form === 'amino' ? keccak(encodeUtf8(goText(doc))) : typedDigest(doc, data.evmChainId, keccak);
}

/** Go's encoding/json escapes some characters so that JSON can be embedded in HTML. */
const goText = (doc: AminoDoc): string =>
  JSON.stringify(doc)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');

function varint(value: bigint): readonly number[] {
  return value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];
}

/** A cosmos.tx.v1beta1.SignDoc: bytes 1 and 2, string 3, number 4. */
function directDoc({ bodyBytes, authInfoBytes }: SignedParts, { chainId, accountNumber }: SignedFor): Bytes {
  const texts = [bodyBytes, authInfoBytes, encodeUtf8(chainId)].map((bytes, i) =>
    concat(Uint8Array.from([8 * (i + 1) + 2, ...varint(BigInt(bytes.length))]), bytes),
  );
  const number = accountNumber === 0n ? [] : [32, ...varint(accountNumber)];
  return concat(...texts, Uint8Array.from(number));
}

export interface Coin {
  readonly amount: string;
  readonly denom: string;
}
export interface SendValue {
  readonly amount: readonly Coin[];
  readonly from_address: string;
  readonly to_address: string;
}
export interface Row {
  readonly address: string;
  readonly coins: readonly Coin[];
}
export interface MultiSendValue {
  readonly inputs: readonly Row[];
  readonly outputs: readonly Row[];
}
export interface AminoMessage {
  readonly type: string;
  readonly value: SendValue | MultiSendValue;
}
/** All fields are sorted by name, as in amino's JSON. */
export interface AminoDoc {
  readonly account_number: string;
  readonly chain_id: string;
  readonly fee: { readonly amount: readonly Coin[]; readonly gas: string; readonly payer?: string };
  readonly memo: string;
  readonly msgs: readonly AminoMessage[];
  readonly sequence: string;
  readonly timeout_height?: string;
}

const read = <T>(shape: Shape<T>, bytes: Bytes): T | undefined => {
  const result = decode(shape, bytes);
  return result.ok ? result.value : undefined;
};

const coinsOf = (coins: readonly Coin[]): readonly Coin[] =>
  coins.map(({ amount, denom }) => ({ amount, denom }));

function messageOf({ typeUrl, value }: Any): AminoMessage | undefined {
  if (typeUrl === TYPE_URL.msgSend) {
    const send = read(MSG_SEND, value);
    if (send === undefined) return undefined;
    const { amount, fromAddress, toAddress } = send;
    const inOrder = { amount: coinsOf(amount), from_address: fromAddress, to_address: toAddress };
    return { type: 'cosmos-sdk/MsgSend', value: inOrder };
  }
  const sends = typeUrl === TYPE_URL.msgMultiSend ? read(MSG_MULTI_SEND, value) : undefined;
  if (sends === undefined) return undefined;
  const rowsOf = (rows: readonly Row[]): readonly Row[] =>
    rows.map(({ address, coins }) => ({ address, coins: coinsOf(coins) }));
  const moved = { inputs: rowsOf(sends.inputs), outputs: rowsOf(sends.outputs) };
  return { type: 'cosmos-sdk/MsgMultiSend', value: moved };
}

/** Also undefined for extension options and fee granters, since no document of this chain's wallets has them. */
function aminoDoc({ bodyBytes, authInfoBytes }: SignedParts, data: SignedFor): AminoDoc | undefined {
  const [body, info] = [read(TX_BODY, bodyBytes), read(AUTH_INFO, authInfoBytes)];
  const fee = info?.fee;
  if (body === undefined || fee === undefined || fee.granter !== '') return undefined;
  if (body.extensionOptions.length + body.nonCriticalExtensionOptions.length > 0) return undefined;
  const msgs = body.messages.flatMap((message) => messageOf(message) ?? []);
  if (msgs.length < body.messages.length) return undefined;
  return {
    account_number: data.accountNumber.toString(),
    chain_id: data.chainId,
    fee: {
      amount: coinsOf(fee.amount),
      gas: fee.gasLimit.toString(),
      ...(fee.payer === '' ? {} : { payer: fee.payer }),
    },
    memo: body.memo,
    msgs,
    sequence: data.sequence.toString(),
    ...(body.timeoutHeight === 0n ? {} : { timeout_height: body.timeoutHeight.toString() }),
  };
}
