import { MSG_ETHEREUM_TX, TX_BODY, TX_RAW, type TxBody, type TxRaw } from '../../core/app/tx/tables.ts';
import { decode, encode, type Shape } from '../../core/codec/proto.ts';
import { assert } from '../../core/lib/assert.ts';
import { type Bytes, concat } from '../../core/lib/bytes.ts';

interface Parts {
  readonly raw: TxRaw;
  readonly body: TxBody;
}

const SURPLUS = new Uint8Array(64).fill(1);
/** Field 1024 of a body, a number: one that may be left alone where nobody knows it. */
const UNKNOWN_FIELD = Uint8Array.of(0x80, 0x40, 1);

const signedAgain = ({ raw }: Parts): TxRaw => ({ ...raw, signatures: [...raw.signatures, SURPLUS] });
const withBody = ({ raw, body }: Parts, change: Partial<TxBody>): TxRaw => ({
  ...raw,
  bodyBytes: encode(TX_BODY, { ...body, ...change }),
});

/** What whoever passes a transaction on might make of its bytes, with no key at all. */
const REWRITINGS = {
  'wrapping-memo': (parts: Parts) => withBody(parts, { memo: 'x' }),
  'wrapping-signature': signedAgain,
  'wrapping-unknown': ({ raw }: Parts) => ({ ...raw, bodyBytes: concat(raw.bodyBytes, UNKNOWN_FIELD) }),
  'wrapping-twice': (parts: Parts) =>
    withBody(parts, { messages: [...parts.body.messages, ...parts.body.messages] }),
  'wrapping-tail': (parts: Parts) => withBody(parts, { messages: parts.body.messages.map(withTail) }),
  'second-signature': signedAgain,
} as const;

type Rewriting = keyof typeof REWRITINGS;

export const REWRITING_NAMES = Object.keys(REWRITINGS) as readonly Rewriting[];
export const isRewriting = (what: string): what is Rewriting => Object.hasOwn(REWRITINGS, what);

/** The same payment in other bytes, which were another hash of it if they were taken. */
export function rewritten(tx: Bytes, what: Rewriting): Bytes {
  const raw = opened(TX_RAW, tx);
  return encode(TX_RAW, REWRITINGS[what]({ raw, body: opened(TX_BODY, raw.bodyBytes) }));
}

/** A byte behind the end of the Ethereum transaction. */
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
