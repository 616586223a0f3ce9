/** The EIP-712 digest of a signed document, written again: types of the bank messages, and their hashes. */
import { type Bytes, concat } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import type { AminoDoc, AminoMessage, Coin, Row } from './signDigest.ts';
import type { Keccak } from './trieRoot.ts';

const COIN = 'Coin(string denom,string amount)';
const FEE = 'Fee(Coin[] amount,string gas)';
const DOMAIN =
  'EIP712Domain(string name,string version,uint256 chainId,string verifyingContract,string salt)';
const TX = 'string account_number,string chain_id,Fee fee,string memo,string sequence';

const word = (value: bigint): Bytes =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * (31 - i))) & 255n));

const nameOf = (type: string): string => type.slice(0, type.indexOf('('));

/** Hashes typed data. Each type string begins with the type itself, followed by the types that it refers to. */
class Hashes {
  readonly #keccak: Keccak;

  constructor(keccak: Keccak) {
    this.#keccak = keccak;
  }

  text(one: string): Bytes {
    return this.#keccak(encodeUtf8(one));
  }

  struct(type: string, ...fields: readonly Bytes[]): Bytes {
    return this.#keccak(concat(this.text(type), ...fields));
  }

  list(items: readonly Bytes[]): Bytes {
    return this.#keccak(concat(...items));
  }

  coins(list: readonly Coin[], type: string): Bytes {
    return this.list(list.map(({ denom, amount }) => this.struct(type, this.text(denom), this.text(amount))));
  }

  rows(list: readonly Row[], type: string, coinType: string): Bytes {
    const whole = type + coinType;
    return this.list(
      list.map(({ address, coins }) => this.struct(whole, this.coins(coins, coinType), this.text(address))),
    );
  }
}

/** A message within a document. */
interface Typed {
  /** Its own type, and those that it refers to. */
  readonly types: readonly string[];
  readonly hash: Bytes;
}

/** `number` is the number of its value's type; other types before it have the lower numbers. */
function sendOf({ type, value }: AminoMessage, number: number, hashes: Hashes): Typed | undefined {
  if (!('from_address' in value)) return undefined;
  const coin = 'TypeValueAmount0(string denom,string amount)';
  const inner = `TypeValue${number}(string to_address,string from_address,TypeValueAmount0[] amount)`;
  const outer = `TypeMsgSend0(TypeValue${number} value,string type)`;
  const [to, from] = [hashes.text(value.to_address), hashes.text(value.from_address)];
  const hash = hashes.struct(inner + coin, to, from, hashes.coins(value.amount, coin));
  return {
    types: [outer, inner, coin],
    hash: hashes.struct(outer + inner + coin, hash, hashes.text(type)),
  };
}

function multiSendOf({ type, value }: AminoMessage, number: number, hashes: Hashes): Typed | undefined {
  if (!('inputs' in value)) return undefined;
  const row = (of: string): readonly [string, string] => [
    `TypeValue${of}0(TypeValue${of}Coins0[] coins,string address)`,
    `TypeValue${of}Coins0(string denom,string amount)`,
  ];
  const [paid, got] = [row('Inputs'), row('Outputs')];
  const inner = `TypeValue${number}(TypeValueOutputs0[] outputs,TypeValueInputs0[] inputs)`;
  const outer = `TypeMsgMultiSend0(TypeValue${number} value,string type)`;
  const others = [...paid, ...got].join('');
  const [inputs, outputs] = [hashes.rows(value.inputs, ...paid), hashes.rows(value.outputs, ...got)];
  const hash = hashes.struct(inner + others, outputs, inputs);
  return {
    types: [outer, inner, ...paid, ...got],
    hash: hashes.struct(outer + inner + others, hash, hashes.text(type)),
  };
}

/** Messages of the same kind share a type. */
function messagesOf(messages: readonly AminoMessage[], hashes: Hashes): readonly Typed[] {
  const kinds = [...new Set(messages.map(({ type }) => type))];
  return messages.flatMap((message) => {
    const number = kinds.indexOf(message.type);
    return sendOf(message, number, hashes) ?? multiSendOf(message, number, hashes) ?? [];
  });
}

/**
 * Undefined for a document with a timeout height or a fee payer: a wallet that knows only Ethereum is shown neither.
 */
export function typedDigest(doc: AminoDoc, evmChainId: bigint, keccak: Keccak): Bytes | undefined {
  if (doc.timeout_height !== undefined || doc.fee.payer !== undefined) return undefined;
  const hashes = new Hashes(keccak);
  const messages = messagesOf(doc.msgs, hashes);
  const fields = messages.map(({ types }, i) => `,${nameOf(types[0] ?? '')} msg${i}`).join('');
  const others = new Set([COIN, FEE, ...messages.flatMap(({ types }) => types)]);
  const sorted = [...others].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const domain = hashes.struct(
    DOMAIN,
    hashes.text('Cosmos Web3'),
    hashes.text('1.0.0'),
    word(evmChainId),
    hashes.text('cosmos'),
    hashes.text('0'),
  );
  const tx = hashes.struct(
    [`Tx(${TX}${fields})`, ...sorted].join(''),
    hashes.text(doc.account_number),
    hashes.text(doc.chain_id),
    hashes.struct(FEE + COIN, hashes.coins(doc.fee.amount, COIN), hashes.text(doc.fee.gas)),
    hashes.text(doc.memo),
    hashes.text(doc.sequence),
    ...messages.map(({ hash }) => hash),
  );
  return keccak(concat(Uint8Array.of(0x19, 0x01), domain, tx));
}
