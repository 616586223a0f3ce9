import { toEip55 } from '../../address/eip55.ts';
import type {
  AccessListItem,
  AccountOverride,
  Authorization,
  BlockOverrides,
  CallArgs,
} from '../../app/chain.ts';
import { type Bytes, EMPTY, equalBytes, hex, toHex } from '../../lib/bytes.ts';
import { err, ok } from '../../lib/result.ts';
import { fieldOf, isObject, type Json, type JsonObject } from '../jsonText.ts';
import {
  type Decoded,
  goKind,
  goTypeError,
  quantity,
  readAddress,
  readBytes,
  readHash,
  readQuantity,
} from './goHex.ts';
import { arrayOf } from './method.ts';

/** The transaction object of a request: all fields optional, not yet checked against the chain. */
export interface TransactionArgs {
  readonly from: Bytes | undefined;
  readonly to: Bytes | undefined;
  readonly gas: bigint | undefined;
  readonly gasPrice: bigint | undefined;
  readonly maxFeePerGas: bigint | undefined;
  readonly maxPriorityFeePerGas: bigint | undefined;
  readonly value: bigint | undefined;
  readonly nonce: bigint | undefined;
  readonly data: Bytes | undefined;
  readonly input: Bytes | undefined;
  readonly accessList: readonly AccessListItem[] | undefined;
  readonly authorizationList: readonly Authorization[] | undefined;
  readonly chainId: bigint | undefined;
  /** The request has blob fields. */
  readonly hasBlobs: boolean;
}

const ACCESS_LIST_MAX = 10_000;
const STORAGE_KEYS_MAX = 10_000;
const AUTHORIZATIONS_MAX = 1_000;
const OVERRIDES_MAX = 1_000;
const BLOBS_MAX = 100;
const OVERRIDE_SLOTS_MAX = 10_000;

type Decoder<T> = (value: Json, place: string) => Decoded<T>;

/**
 * Reads the members of a JSON object. Of several faults it keeps the one that comes first in the text, like Go's
 * decoder; so decoders can be flat lists of fields.
 */
export class Fields {
  readonly #object: JsonObject;
  readonly #struct: string;
  #faultPlace = Number.POSITIVE_INFINITY;
  fault: string | undefined;

  constructor(object: JsonObject, struct: string) {
    this.#object = object;
    this.#struct = struct;
  }

  /** @param goName Name in Go's errors, for a field without a JSON name in Go. */
  optional<T>(name: string, decode: Decoder<T>, goName = name): T | undefined {
    const value = fieldOf(this.#object, name);
    if (value === null) return undefined;
    const decoded = decode(value, `${this.#struct}.${goName}`);
    if (decoded.ok) return decoded.value;
    const place = this.#placeOf(name);
    if (place < this.#faultPlace) {
      this.#faultPlace = place;
      this.fault = decoded.error;
    }
    return undefined;
  }

  #placeOf(name: string): number {
    const names = [...this.#object.keys()];
    const exact = names.indexOf(name);
    return exact < 0 ? names.findIndex((key) => key.toLowerCase() === name.toLowerCase()) : exact;
  }

  required<T>(name: string, decode: Decoder<T>, zero: T): T {
    return this.optional(name, decode) ?? zero;
  }

  /** Reads a required member. `zero` is returned only after a fault. */
  needed<T>(name: string, decode: Decoder<T>, zero: T): T {
    const value = this.optional(name, decode);
    if (value === undefined) this.fault ??= `missing required field '${name}' for ${this.#struct}`;
    return value ?? zero;
  }
}

const readBig: Decoder<bigint> = (value, place) => readQuantity(value, 256, place);
const readUint64: Decoder<bigint> = (value, place) => readQuantity(value, 64, place);
/** A block number, for which Go's errors name the type of big integers. */
const readNumber: Decoder<bigint> = (value, place) => readQuantity(value, 64, place, '*hexutil.Big');

function fieldsOf(value: Json, struct: string, type: string): Decoded<Fields> {
  return isObject(value) ? ok(new Fields(value, struct)) : err(goTypeError(goKind(value), type, undefined));
}

const done = <T>(fields: Fields, value: T): Decoded<T> =>
  fields.fault === undefined ? ok(value) : err(fields.fault);

const ZERO_ADDRESS = new Uint8Array(20);
const NOTHING: JsonObject = new Map();

function readAccessListItem(value: Json): Decoded<AccessListItem> {
  const fields = fieldsOf(value, 'AccessTuple', 'types.AccessTuple');
  if (!fields.ok) return fields;
  const address = fields.value.needed('address', readAddress, ZERO_ADDRESS);
  const keys = arrayOf(readHash, STORAGE_KEYS_MAX, '[]common.Hash');
  return done(fields.value, { address, storageKeys: fields.value.needed('storageKeys', keys, []) });
}

function readAuthorization(value: Json): Decoded<Authorization> {
  const fields = fieldsOf(value, 'SetCodeAuthorization', 'types.SetCodeAuthorization');
  if (!fields.ok) return fields;
  const read = fields.value;
  return done(read, {
    chainId: read.needed('chainId', readBig, 0n),
    address: read.needed('address', readAddress, ZERO_ADDRESS),
    nonce: read.needed('nonce', readUint64, 0n),
    // Go's uint8.
    yParity: Number(read.needed('yParity', readUint64, 0n) & 0xffn),
    r: read.needed('r', readBig, 0n),
    s: read.needed('s', readBig, 0n),
  });
}

/** geth's TransactionArgs. A null in a list counts as an empty object. */
export function readTransactionArgs(value: Json): Decoded<TransactionArgs> {
  const fields = fieldsOf(value ?? NOTHING, 'TransactionArgs', 'ethapi.TransactionArgs');
  if (!fields.ok) return fields;
  const read = fields.value;
  // Has no effect without blobs, but must be a valid quantity.
  read.optional('maxFeePerBlobGas', readBig);
  return done(read, {
    from: read.optional('from', readAddress),
    to: read.optional('to', readAddress),
    gas: read.optional('gas', readUint64),
    gasPrice: read.optional('gasPrice', readBig),
    maxFeePerGas: read.optional('maxFeePerGas', readBig),
    maxPriorityFeePerGas: read.optional('maxPriorityFeePerGas', readBig),
    value: read.optional('value', readBig),
    nonce: read.optional('nonce', readUint64),
    data: read.optional('data', readBytes),
    input: read.optional('input', readBytes),
    accessList: read.optional('accessList', arrayOf(readAccessListItem, ACCESS_LIST_MAX, 'types.AccessList')),
    authorizationList: read.optional(
      'authorizationList',
      arrayOf(readAuthorization, AUTHORIZATIONS_MAX, '[]types.SetCodeAuthorization'),
    ),
    chainId: read.optional('chainId', readBig),
    hasBlobs:
      read.optional('blobVersionedHashes', arrayOf(readHash, BLOBS_MAX, '[]common.Hash')) !== undefined ||
      read.optional('blobs', arrayOf(readBytes, BLOBS_MAX, '[]kzg4844.Blob')) !== undefined,
  });
}

/** What geth's setDefaults refuses regardless of the chain's state. Returns the text of the -32000 error. */
export function transactionFault(args: TransactionArgs, evmChainId: bigint): string | undefined {
  const { data, input } = args;
  if (data !== undefined && input !== undefined && !equalBytes(data, input)) {
    return 'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data';
  }
  return argsFault(args, evmChainId) ?? feeFault(args);
}

/** What geth's setFeeDefaults refuses. */
export function feeFault(args: TransactionArgs): string | undefined {
  const { maxFeePerGas: cap, maxPriorityFeePerGas: tip } = args;
  if (args.gasPrice !== undefined && args.authorizationList !== undefined)
    return 'both gasPrice and authorizationList specified';
  if (args.gasPrice === 0n) return 'gasPrice must be non-zero after london fork';
  if (cap === undefined || tip === undefined) return undefined;
  if (cap === 0n) return 'maxFeePerGas must be non-zero';
  return cap >= tip ? undefined : feesCross(cap, tip);
}

/** geth prints these two numbers in hex. */
const feesCross = (cap: bigint, tip: bigint): string =>
  `maxFeePerGas (${quantity(cap)}) < maxPriorityFeePerGas (${quantity(tip)})`;

/** What geth's CallDefaults refuses, and also blobs, which this chain does not support. */
export function callFault(args: TransactionArgs, evmChainId: bigint): string | undefined {
  const fault = argsFault(args, evmChainId);
  if (fault !== undefined || args.authorizationList === undefined || args.to !== undefined) return fault;
  return 'EIP-7702 transaction cannot be used to create contract';
}

/** Faults that calls and transactions share. */
function argsFault(args: TransactionArgs, evmChainId: bigint): string | undefined {
  const { gasPrice, maxFeePerGas: cap, maxPriorityFeePerGas: tip, chainId } = args;
  if (gasPrice !== undefined && (cap !== undefined || tip !== undefined)) {
    return 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified';
  }
  if (chainId !== undefined && chainId !== evmChainId) {
    return `chainId does not match node's (have=${chainId}, want=${evmChainId})`;
  }
  return args.hasBlobs ? 'transaction type not supported' : undefined;
}

/** If both are given, a call uses `input`, as in geth. */
export const callData = (args: TransactionArgs): Bytes => args.input ?? args.data ?? EMPTY;

export const toCallArgs = (args: TransactionArgs, gas: bigint | undefined): CallArgs => ({
  from: args.from,
  to: args.to,
  gas,
  gasPrice: args.gasPrice,
  maxFeePerGas: args.maxFeePerGas,
  maxPriorityFeePerGas: args.maxPriorityFeePerGas,
  value: args.value ?? 0n,
  data: callData(args),
  nonce: args.nonce,
  accessList: args.accessList ?? [],
  authorizationList: args.authorizationList ?? [],
  isSetCode: args.authorizationList !== undefined,
});

/** Storage overrides: slot → value, keyed by the slot's lower-case hex. */
const readSlots: Decoder<ReadonlyMap<string, Bytes>> = (value, place) => {
  if (!isObject(value)) return err(goTypeError(goKind(value), 'map[common.Hash]common.Hash', place));
  if (value.size > OVERRIDE_SLOTS_MAX) return err(`more than ${OVERRIDE_SLOTS_MAX} storage slots`);
  const slots = new Map<string, Bytes>();
  for (const [slot, entry] of value) {
    const key = readHash(slot, place);
    if (!key.ok) return key;
    const word = readHash(entry, place);
    if (!word.ok) return word;
    slots.set(toHex(key.value), word.value);
  }
  return ok(slots);
};

function readOverride(value: Json): Decoded<AccountOverride> {
  const fields = fieldsOf(value ?? NOTHING, 'OverrideAccount', 'override.OverrideAccount');
  if (!fields.ok) return fields;
  const read = fields.value;
  return done(read, {
    nonce: read.optional('nonce', readUint64),
    balance: read.optional('balance', readBig),
    code: read.optional('code', readBytes),
    state: read.optional('state', readSlots),
    stateDiff: read.optional('stateDiff', readSlots),
    movePrecompileTo: read.optional('movePrecompileToAddress', readAddress),
  });
}

/** State overrides, keyed by the address's lower-case hex without prefix. */
export function readStateOverrides(value: Json): Decoded<ReadonlyMap<string, AccountOverride>> {
  if (!isObject(value)) return err(goTypeError(goKind(value), 'override.StateOverride', undefined));
  if (value.size > OVERRIDES_MAX) return err(`more than ${OVERRIDES_MAX} accounts`);
  const overrides = new Map<string, AccountOverride>();
  for (const [address, entry] of value) {
    const key = readAddress(address);
    if (!key.ok) return key;
    const override = readOverride(entry);
    if (!override.ok) return override;
    overrides.set(toHex(key.value), override.value);
  }
  return ok(overrides);
}

/**
 * What geth's Apply refuses: `state` with `stateDiff`, moving an address that is no precompile, or to an overridden
 * one.
 */
export function overridesFault(
  overrides: ReadonlyMap<string, AccountOverride>,
  isPrecompile: (addressHex: string) => boolean,
): string | undefined {
  for (const [address, { state, stateDiff, movePrecompileTo }] of overrides) {
    if (movePrecompileTo !== undefined) {
      if (!isPrecompile(address)) return `account ${shown(address)} is not a precompile`;
      if (overrides.has(toHex(movePrecompileTo)))
        return `account ${toEip55(movePrecompileTo)} is already overridden`;
    }
    if (state !== undefined && stateDiff !== undefined)
      return `account ${shown(address)} has both 'state' and 'stateDiff'`;
  }
  return undefined;
}

const shown = (addressHex: string): string => toEip55(hex(addressHex));

/** Overrides that a single call does not support (geth's BlockOverrides.Apply). */
export function blockOverridesFault(overrides: BlockOverridesRead | undefined): string | undefined {
  const name = overrides?.unsupported;
  return name === undefined ? undefined : `block override "${name}" is not supported for this RPC method`;
}

export interface BlockOverridesRead extends BlockOverrides {
  /** A given field that has an effect only in a simulated block. */
  readonly unsupported?: 'beaconRoot' | 'withdrawals' | undefined;
}

/** geth's override.BlockOverrides. Difficulty has no effect here and is ignored. */
export function readBlockOverrides(value: Json): Decoded<BlockOverridesRead> {
  const fields = fieldsOf(value, 'BlockOverrides', 'override.BlockOverrides');
  if (!fields.ok) return fields;
  const read = fields.value;
  return done(read, {
    number: read.optional('number', readNumber, 'Number'),
    time: read.optional('time', readUint64, 'Time'),
    gasLimit: read.optional('gasLimit', readUint64, 'GasLimit'),
    feeRecipient: read.optional('feeRecipient', readAddress, 'FeeRecipient'),
    prevRandao: read.optional('prevRandao', readHash, 'PrevRandao'),
    baseFeePerGas: read.optional('baseFeePerGas', readBig, 'BaseFeePerGas'),
    blobBaseFee: read.optional('blobBaseFee', readBig, 'BlobBaseFee'),
    unsupported:
      read.optional('beaconRoot', readHash, 'BeaconRoot') === undefined
        ? read.optional('withdrawals', () => ok('withdrawals' as const))
        : 'beaconRoot',
  });
}
