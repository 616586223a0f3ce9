import {
  type Any,
  AUTH_INFO,
  type AuthInfo,
  type Coin,
  type Fee,
  MSG_ETHEREUM_TX,
  TX_BODY,
  TX_RAW,
  type TxBody,
  type TxRaw,
} from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { decode, encode, type Shape } from '../../core/codec/proto.ts';
import { assert, present } from '../../core/lib/assert.ts';
import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';

interface Parts {
  readonly raw: TxRaw;
  readonly body: TxBody;
  readonly info: AuthInfo;
}

const SURPLUS = new Uint8Array(64).fill(1);
/** Field 1024 of a TxBody, a varint: a non-critical field, which a node may ignore if it does not know it. */
const UNKNOWN_FIELD = Uint8Array.of(0x80, 0x40, 1);
/** Fields of 2 bytes each: more than a call stack has room for, and as many as a transaction has room for. */
const CROWD = 520_000;
const EMPTY_MEMO = 0x12;
/** Field 3 (tip) of an AuthInfo, empty: it means the same as no tip. */
const EMPTY_TIP = Uint8Array.of(0x1a, 0);
const SOMETHING: Any = { typeUrl: '/chain.unknown.v1.Option', value: EMPTY };

const signedAgain = ({ raw }: Parts): TxRaw => ({ ...raw, signatures: [...raw.signatures, SURPLUS] });
const withBody = ({ raw, body }: Parts, change: Partial<TxBody>): TxRaw => ({
  ...raw,
  bodyBytes: encode(TX_BODY, { ...body, ...change }),
});
const withInfo = ({ raw, info }: Parts, change: Partial<AuthInfo>): TxRaw => ({
  ...raw,
  authInfoBytes: encode(AUTH_INFO, { ...info, ...change }),
});
const withFee = (parts: Parts, change: Partial<Fee>): TxRaw =>
  withInfo(parts, { fee: { ...present(parts.info.fee, 'a fee'), ...change } });
const withOptions = (parts: Parts, change: (options: readonly Any[]) => readonly Any[]): TxRaw =>
  withBody(parts, { extensionOptions: change(parts.body.extensionOptions) });

/** How a relayer without any key could rewrite the bytes of a transaction. */
const REWRITINGS = {
  'wrapping-memo': (parts: Parts) => withBody(parts, { memo: 'x' }),
  'wrapping-signature': signedAgain,
  'wrapping-unknown': ({ raw }: Parts) => ({ ...raw, bodyBytes: concat(raw.bodyBytes, UNKNOWN_FIELD) }),
  'wrapping-crowd': ({ raw }: Parts) => ({ ...raw, bodyBytes: concat(raw.bodyBytes, crowd()) }),
  'wrapping-twice': (parts: Parts) =>
    withBody(parts, { messages: [...parts.body.messages, ...parts.body.messages] }),
  'wrapping-tail': (parts: Parts) => withBody(parts, { messages: parts.body.messages.map(withTail) }),
  'wrapping-timeout': (parts: Parts) => withBody(parts, { timeoutHeight: 1_000_000_000_000n }),
  'wrapping-beside': (parts: Parts) => withBody(parts, { nonCriticalExtensionOptions: [SOMETHING] }),
  'wrapping-options': (parts: Parts) => withOptions(parts, (options) => [...options, ...options]),
  'wrapping-other-option': (parts: Parts) => withOptions(parts, (options) => [...options, SOMETHING]),
  'wrapping-said-option': (parts: Parts) =>
    withOptions(parts, (options) => options.map((option) => ({ ...option, value: Uint8Array.of(8, 1) }))),
  'wrapping-no-option': (parts: Parts) => withOptions(parts, () => []),
  'wrapping-other-message': (parts: Parts) =>
    withBody(parts, { messages: parts.body.messages.map((one) => ({ ...one, typeUrl: TYPE_URL.msgSend })) }),
  'wrapping-payer': (parts: Parts) => withFee(parts, { payer: 'x' }),
  'wrapping-granter': (parts: Parts) => withFee(parts, { granter: 'x' }),
  'wrapping-coins': (parts: Parts) =>
    withFee(parts, { amount: [...(parts.info.fee?.amount ?? []), { denom: 'zcoin', amount: '1' }] }),
  'wrapping-split': (parts: Parts) =>
    withFee(parts, { amount: parts.info.fee?.amount.map(splitLater) ?? [] }),
  'wrapping-no-fee': (parts: Parts) => withInfo(parts, { fee: undefined }),
  'wrapping-signer': (parts: Parts) => withInfo(parts, { signerInfos: [EMPTY] }),
  'wrapping-reward': (parts: Parts) => withInfo(parts, { tip: Uint8Array.of(10, 0) }),
  'wrapping-length': ({ raw }: Parts) => ({ ...raw, bodyBytes: withLongLength(raw.bodyBytes) }),
  'wrapping-empty': ({ raw }: Parts) => ({ ...raw, authInfoBytes: concat(raw.authInfoBytes, EMPTY_TIP) }),
  'second-signature': signedAgain,
} as const;

type Rewriting = keyof typeof REWRITINGS;

export const REWRITING_NAMES = Object.keys(REWRITINGS) as readonly Rewriting[];
export const isRewriting = (what: string): what is Rewriting => Object.hasOwn(REWRITINGS, what);

/** The same payment in other bytes. If a node accepted it, the transaction would have a second hash. */
export function rewritten(tx: Bytes, what: Rewriting): Bytes {
  const raw = opened(TX_RAW, tx);
  const [body, info] = [opened(TX_BODY, raw.bodyBytes), opened(AUTH_INFO, raw.authInfoBytes)];
  return encode(TX_RAW, REWRITINGS[what]({ raw, body, info }));
}

function crowd(): Bytes {
  const fields = new Uint8Array(2 * CROWD);
  for (let i = 0; i < CROWD; i++) fields[2 * i] = EMPTY_MEMO;
  return fields;
}

/** Encodes the length of the first message in one byte more than needed. */
function withLongLength(bytes: Bytes): Bytes {
  const last = bytes.findIndex((byte, i) => i > 0 && byte < 0x80);
  const digit = present(bytes[last], 'the end of a length');
  return concat(bytes.subarray(0, last), Uint8Array.of(digit | 0x80, 0), bytes.subarray(last + 1));
}

/** Moves the last digit of the amount to the denom, so that both together still read the same. */
const splitLater = ({ denom, amount }: Coin): Coin => ({
  amount: amount.slice(0, -1),
  denom: amount.slice(-1) + denom,
});

/** Adds a byte behind the end of the Ethereum transaction. */
function withTail({ typeUrl, value }: TxBody['messages'][number]): TxBody['messages'][number] {
  const message = opened(MSG_ETHEREUM_TX, value);
  return {
    typeUrl,
    value: encode(MSG_ETHEREUM_TX, { ...message, raw: concat(message.raw, Uint8Array.of(0)) }),
  };
}

function opened<T>(shape: Shape<T>, bytes: Bytes): T {
  const result = decode(shape, bytes);
  assert(result.ok, 'own bytes can be read');
  return result.value;
}
