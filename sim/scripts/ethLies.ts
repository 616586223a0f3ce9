import { bytesToBigint } from '../../core/app/evm/numbers.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import { EVM_CHAIN_ID } from '../cluster.ts';
import { list, longList, longText, number, text } from '../reference/rlp.ts';
import type { Draft } from './script.ts';
import { GWEI } from './transfers.ts';
import { upperS } from './upperS.ts';

/** A transaction that is encoded by hand, of type 2 unless a lie says otherwise. */
export type HandTx = Pick<Draft, 'from' | 'nonce' | 'tip' | 'feeCap' | 'gas' | 'to' | 'value' | 'data'>;

/** The encoded fields, in the order of the transaction's type. */
type Fields = readonly Bytes[];
type Change = (fields: Fields) => Fields;

/** Something in the content or the encoding of an Ethereum transaction that no node may accept. */
interface EthLie {
  /** What is wrong with it. */
  readonly why: string;
  /** Only a node's own policy forbids it: in a block it is valid. */
  readonly isPolicy?: boolean;
  readonly type?: number;
  readonly says?: (good: HandTx) => Partial<HandTx>;
  /** Changes the fields before they are signed. */
  readonly fields?: Change;
  /** Changes the encoding afterwards. A reader that takes it for the same transaction gets the same hash to sign. */
  readonly written?: Change;
  readonly envelope?: (type: Bytes, fields: Fields) => Bytes;
  /** The v of the signature, by its parity. */
  readonly v?: (parity: number) => number;
  readonly hasUpperS?: boolean;
}

const [GAS, TO, VALUE, ACCESS] = [4, 5, 6, 8];
const ZERO = Uint8Array.of(0);
const ADDRESS = new Uint8Array(20).fill(0xd9);
const KEY = new Uint8Array(32).fill(1);
/** An authorization for any chain, with no real signer. */
const TUPLE = [number(0n), text(ADDRESS), number(0n), number(0n), number(1n), number(1n)];

const put =
  (place: number, field: Bytes): Change =>
  (fields) =>
    fields.with(place, field);
const listing = (entry: Bytes): Change => put(ACCESS, list([entry]));

export const ETH_LIES = {
  'upper-s': { why: 'has a signature that anyone can make of another', hasUpperS: true },
  'tip-above-cap': { why: 'has a tip above its cap', says: ({ feeCap }) => ({ tip: feeCap + 1n }) },
  'data-gas': {
    why: 'has too little gas for its data',
    says: () => ({ data: Uint8Array.of(1), gas: 21_015n }),
  },
  floor: {
    why: 'has less gas than the floor',
    says: () => ({ data: new Uint8Array(100).fill(1), gas: 23_000n }),
  },
  // At a price at which no node minds the fee.
  'gas-cap': {
    why: 'wants more gas than one may',
    says: () => ({ gas: 16_777_217n, feeCap: 40n * GWEI }),
  },
  'list-gas': {
    why: 'has too little gas for its access list',
    says: () => ({ gas: 25_299n }),
    fields: listing(list([text(ADDRESS), list([text(KEY)])])),
  },
  'init-code': {
    why: 'makes too long a contract',
    says: () => ({ to: undefined, data: new Uint8Array(49_153), gas: 5_000_000n }),
  },
  'init-gas': {
    why: 'has too little gas for the code that it runs',
    says: () => ({ to: undefined, data: new Uint8Array(32), gas: 53_129n }),
  },
  unauthorized: {
    why: 'authorizes nobody',
    type: 4,
    says: () => ({ gas: 60_000n }),
    fields: (fields) => [...fields, list([])],
  },
  'authorized-maker': {
    why: 'authorizes, and makes a contract',
    type: 4,
    says: () => ({ to: undefined, gas: 100_000n }),
    fields: (fields) => [...fields, list([list(TUPLE)])],
  },
  'long-tuple': {
    why: 'authorizes in seven words',
    type: 4,
    says: () => ({ gas: 60_000n }),
    fields: (fields) => [...fields, list([list([...TUPLE, number(0n)])])],
  },
  'authority-gas': {
    why: 'has too little gas for whom it authorizes',
    type: 4,
    says: () => ({ gas: 45_999n }),
    fields: (fields) => [...fields, list([list(TUPLE)])],
  },
  'unknown-type': { why: 'is of no type', type: 5 },
  'short-receiver': { why: 'pays 19 bytes', fields: put(TO, text(ADDRESS.slice(1))) },
  'long-receiver': { why: 'pays 21 bytes', fields: put(TO, text(concat(ADDRESS, ZERO))) },
  'zero-first': {
    why: 'writes a number with a zero before it',
    fields: put(GAS, text(Uint8Array.of(0, 0x52, 0x08))),
  },
  'zero-byte': { why: 'writes zero as a byte', fields: put(VALUE, ZERO) },
  'no-list': { why: 'has a text for an access list', fields: put(ACCESS, text(EMPTY)) },
  'short-address': {
    why: 'lists an address of 19 bytes',
    says: () => ({ gas: 50_000n }),
    fields: listing(list([text(ADDRESS.slice(1)), list([])])),
  },
  'short-key': {
    why: 'lists a key of 31 bytes',
    says: () => ({ gas: 50_000n }),
    fields: listing(list([text(ADDRESS), list([text(KEY.slice(1))])])),
  },
  'listed-thrice': {
    why: 'lists an address, its keys and more',
    says: () => ({ gas: 50_000n }),
    fields: listing(list([text(ADDRESS), list([]), list([])])),
  },
  'old-parity': { why: 'has the parity of older signatures', v: (parity) => parity + 27 },
  'long-text': {
    why: 'writes the length of a text at length',
    says: () => ({ to: ADDRESS }),
    written: put(TO, longText(ADDRESS)),
  },
  'long-byte': {
    why: 'writes a byte as a text',
    says: () => ({ value: 1n }),
    written: put(VALUE, Uint8Array.of(0x81, 1)),
  },
  'long-list': {
    why: 'writes the length of a list at length',
    envelope: (type, fields) => concat(type, longList(fields)),
  },
  'in-text': {
    why: 'is a text within a text',
    envelope: (type, fields) => text(concat(type, list(fields))),
  },
  tail: {
    why: 'has a byte behind its end',
    envelope: (type, fields) => concat(type, list(fields), ZERO),
  },
  'any-chain': { why: 'can be sent to any chain', isPolicy: true, type: 0, v: (parity) => parity + 27 },
} as const satisfies Readonly<Record<string, EthLie>>;

export type EthLieName = keyof typeof ETH_LIES;

/** Lies to a pool whose node has its default settings. */
export const POOL_LIES = Object.keys(ETH_LIES) as readonly EthLieName[];
const lieOf = (name: EthLieName): EthLie => ETH_LIES[name];

/** Lies in a block. */
export const BLOCK_LIES = POOL_LIES.filter((name) => lieOf(name).isPolicy !== true);
export const isEthLie = (name: string): name is EthLieName => Object.hasOwn(ETH_LIES, name);

/** A good transaction, changed as the lie says. */
export const lying = <T extends HandTx>(name: EthLieName, good: T): T => ({
  ...good,
  ...lieOf(name).says?.(good),
});

function fieldsOf({ nonce, tip, feeCap, gas, to, value, data }: HandTx, type: number): Fields {
  const call = [number(gas), text(to ?? EMPTY), number(value), text(data)];
  if (type === 0) return [number(BigInt(nonce)), number(feeCap), ...call];
  return [number(EVM_CHAIN_ID), number(BigInt(nonce)), number(tip), number(feeCap), ...call, list([])];
}

const enveloped = (type: Bytes, fields: Fields): Bytes => concat(type, list(fields));
const same: Change = (fields) => fields;

/** Signs and encodes a transaction as the lie does. */
export function handwritten(name: EthLieName, tx: HandTx, suite: CryptoSuite): Bytes {
  const { type = 2, fields = same, written = same, envelope = enveloped, v, hasUpperS } = lieOf(name);
  const prefix = type === 0 ? EMPTY : Uint8Array.of(type);
  const signed = fields(fieldsOf(tx, type));
  const { rs, recovery } = suite.secp256k1Sign(tx.from.secret, suite.keccak256(enveloped(prefix, signed)));
  const [r, lower] = [bytesToBigint(rs.subarray(0, 32)), bytesToBigint(rs.subarray(32))];
  const { yParity, s } = hasUpperS === true ? upperS(recovery, lower) : { yParity: recovery, s: lower };
  const signature = [number(BigInt(v?.(yParity) ?? yParity)), number(r), number(s)];
  return envelope(prefix, [...written(signed), ...signature]);
}
