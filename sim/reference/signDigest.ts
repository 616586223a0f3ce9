/**
 * What the signature of a bank transaction is over, written down a second time from the formats themselves: core's own
 * code for this is what it is to be held against.
 */
import { MSG_MULTI_SEND, MSG_SEND } from '../../core/app/cosmos/tables.ts';
import { type Any, AUTH_INFO, TX_BODY } from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { decode, type Shape } from '../../core/codec/proto.ts';
import { type Bytes, concat } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';

/** `typed` is EIP-712, as a wallet signs that knows only Ethereum. */
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

type Keccak = (message: Bytes) => Bytes;

/** Undefined for bytes that are no such message, and for what this form cannot say. */
export function signDigest(
  form: SignForm,
  parts: SignedParts,
  data: SignedFor,
  keccak: Keccak,
): Bytes | undefined {
  if (form === 'direct') return keccak(directDoc(parts, data));
  const doc = aminoDoc(parts, data);
  if (doc === undefined) return undefined;
  return form === 'amino' ? keccak(encodeUtf8(goText(doc))) : typedDigest(doc, data, keccak);
}

/** Go's encoding/json writes some signs by their numbers, for the sake of pages that hold JSON. */
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

/** A cosmos.tx.v1beta1.SignDoc: bytes 1 and 2, text 3, number 4. */
function directDoc({ bodyBytes, authInfoBytes }: SignedParts, { chainId, accountNumber }: SignedFor): Bytes {
  const texts = [bodyBytes, authInfoBytes, encodeUtf8(chainId)].map((bytes, i) =>
    concat(Uint8Array.from([8 * (i + 1) + 2, ...varint(BigInt(bytes.length))]), bytes),
  );
  const number = accountNumber === 0n ? [] : [32, ...varint(accountNumber)];
  return concat(...texts, Uint8Array.from(number));
}

interface Coin {
  readonly amount: string;
  readonly denom: string;
}
interface SendValue {
  readonly amount: readonly Coin[];
  readonly from_address: string;
  readonly to_address: string;
}
interface AminoMessage {
  readonly type: string;
  readonly value: SendValue | object;
}
/** Fields of this and all within it stand in the order of their names, in which amino's JSON has them. */
interface AminoDoc {
  readonly account_number: string;
  readonly chain_id: string;
  readonly fee: { readonly amount: readonly Coin[]; readonly gas: string };
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
  const [inputs, outputs] = [sends.inputs, sends.outputs].map((rows) =>
    rows.map(({ address, coins }) => ({ address, coins: coinsOf(coins) })),
  );
  return { type: 'cosmos-sdk/MsgMultiSend', value: { inputs, outputs } };
}

/** Undefined as well for extensions, and for whoever else pays: no document of this chain's wallets says those. */
function aminoDoc({ bodyBytes, authInfoBytes }: SignedParts, data: SignedFor): AminoDoc | undefined {
  const [body, info] = [read(TX_BODY, bodyBytes), read(AUTH_INFO, authInfoBytes)];
  const fee = info?.fee;
  if (body === undefined || fee === undefined || fee.payer !== '' || fee.granter !== '') return undefined;
  if (body.extensionOptions.length + body.nonCriticalExtensionOptions.length > 0) return undefined;
  const msgs = body.messages.flatMap((message) => messageOf(message) ?? []);
  if (msgs.length < body.messages.length) return undefined;
  return {
    account_number: data.accountNumber.toString(),
    chain_id: data.chainId,
    fee: { amount: coinsOf(fee.amount), gas: fee.gasLimit.toString() },
    memo: body.memo,
    msgs,
    sequence: data.sequence.toString(),
    ...(body.timeoutHeight === 0n ? {} : { timeout_height: body.timeoutHeight.toString() }),
  };
}

/** The types of a document of one MsgSend, by name; each with those that it refers to behind it. */
const COIN = 'Coin(string denom,string amount)';
const FEE = 'Fee(Coin[] amount,string gas)';
const PAID = 'TypeValueAmount0(string denom,string amount)';
const VALUE = 'TypeValue0(string to_address,string from_address,TypeValueAmount0[] amount)';
const SEND = 'TypeMsgSend0(TypeValue0 value,string type)';
const TX = 'Tx(string account_number,string chain_id,Fee fee,string memo,string sequence,TypeMsgSend0 msg0)';
const DOMAIN =
  'EIP712Domain(string name,string version,uint256 chainId,string verifyingContract,string salt)';

const word = (value: bigint): Bytes =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * (31 - i))) & 255n));

/** EIP-712 of a document with one MsgSend and no time-out: a wallet of several messages signs another way here. */
function typedDigest(doc: AminoDoc, { evmChainId }: SignedFor, keccak: Keccak): Bytes | undefined {
  const [message, ...more] = doc.msgs;
  if (message === undefined || more.length > 0 || doc.timeout_height !== undefined) return undefined;
  const { type, value } = message;
  if (!('from_address' in value)) return undefined;
  const text = (one: string): Bytes => keccak(encodeUtf8(one));
  const struct = (types: string, ...fields: readonly Bytes[]): Bytes =>
    keccak(concat(text(types), ...fields));
  const coins = (list: readonly Coin[], types: string): Bytes =>
    keccak(concat(...list.map(({ denom, amount }) => struct(types, text(denom), text(amount)))));
  const domain = struct(
    DOMAIN,
    text('Cosmos Web3'),
    text('1.0.0'),
    word(evmChainId),
    text('cosmos'),
    text('0'),
  );
  const fee = struct(FEE + COIN, coins(doc.fee.amount, COIN), text(doc.fee.gas));
  const paid = coins(value.amount, PAID);
  const inner = struct(VALUE + PAID, text(value.to_address), text(value.from_address), paid);
  const send = struct(SEND + VALUE + PAID, inner, text(type));
  const tx = struct(
    TX + COIN + FEE + SEND + VALUE + PAID,
    text(doc.account_number),
    text(doc.chain_id),
    fee,
    text(doc.memo),
    text(doc.sequence),
    send,
  );
  return keccak(concat(Uint8Array.of(0x19, 0x01), domain, tx));
}
