/** Parameters that several methods share: their decoders and OpenRPC schemas. */
import { err, ok } from '../../lib/result.ts';
import { type Json, JsonNumber, parseJson, renderJson } from '../jsonText.ts';
import { type BlockId, LATEST, readBlockNumber, readBlockNumberOrHash } from './blockId.ts';
import { readBlockOverrides, readStateOverrides, readTransactionArgs } from './callArgs.ts';
import {
  type Decoded,
  goKind,
  goTypeError,
  readAddress,
  readBool,
  readBytes,
  readHash,
  readQuantity,
} from './goHex.ts';
import { readLogFilter } from './logFilter.ts';
import { arrayOf, optional, required } from './method.ts';
import { readSimulatePayload } from './simulateArgs.ts';
import { readTypedData, type TypedData } from './typedData.ts';

const HEX_SCHEMA = (title: string, pattern: string) => ({ title, type: 'string', pattern });

export const ADDRESS = required('address', HEX_SCHEMA('address', '^0x[0-9a-fA-F]{40}$'), (value) =>
  readAddress(value),
);
export const HASH = required('hash', HEX_SCHEMA('32-byte hash', '^0x[0-9a-fA-F]{64}$'), (value) =>
  readHash(value),
);
export const DATA = required('data', HEX_SCHEMA('bytes', '^0x([0-9a-fA-F]{2})*$'), (value) =>
  readBytes(value),
);
export const INDEX = required('index', HEX_SCHEMA('quantity', '^0x(0|[1-9a-f][0-9a-f]*)$'), (value) =>
  readQuantity(value, 64, undefined, 'hexutil.Uint'),
);

export const BLOCK_HASH = required(
  'blockHash',
  HEX_SCHEMA('32-byte hash', '^0x[0-9a-fA-F]{64}$'),
  (value): Decoded<BlockId> => {
    const hash = readHash(value);
    return hash.ok ? ok({ kind: 'hash', hash: hash.value }) : hash;
  },
);

const BLOCK_SCHEMA = {
  title: 'block number or tag',
  oneOf: [
    { type: 'string', enum: ['earliest', 'finalized', 'safe', 'latest', 'pending'] },
    HEX_SCHEMA('block number', '^0x(0|[1-9a-f][0-9a-f]*)$'),
  ],
};

export const BLOCK_NUMBER = required('block', BLOCK_SCHEMA, readBlockNumber);

/** Block number, tag, hash or object; absent means latest. */
export const BLOCK = optional(
  required(
    'block',
    {
      title: 'block number, tag or hash',
      oneOf: [...BLOCK_SCHEMA.oneOf, HEX_SCHEMA('block hash', '^0x[0-9a-fA-F]{64}$'), { type: 'object' }],
    },
    readBlockNumberOrHash,
  ),
  LATEST,
);

export const BLOCK_REQUIRED = { ...BLOCK, required: true };

export const FULL_TRANSACTIONS = required('fullTransactions', { type: 'boolean' }, (value) =>
  readBool(value),
);
export const TRANSACTION = required('transaction', { type: 'object' }, readTransactionArgs);
export const OVERRIDES = optional(
  required('stateOverrides', { type: 'object' }, readStateOverrides),
  undefined,
);
export const BLOCK_OVERRIDES = optional(
  required('blockOverrides', { type: 'object' }, readBlockOverrides),
  undefined,
);
export const SIMULATION = required('payload', { type: 'object' }, readSimulatePayload);
export const LOG_FILTER = required('filter', { type: 'object' }, readLogFilter);
export const FULL_PENDING = optional(
  required('fullTransactions', { type: 'boolean' }, (value) => readBool(value)),
  false,
);

/** `type` is Go's type name; null counts as the empty text. */
export const text = (name: string, type = 'string') =>
  required(name, { type: 'string' }, (value): Decoded<string> => {
    const given = value ?? '';
    return typeof given === 'string' ? ok(given) : err(goTypeError(goKind(given), type, undefined));
  });

export const TEXT = text('text');

/** go-ethereum's math.HexOrDecimal64: hex or decimal text, or a JSON number. */
export const COUNT = required(
  'blockCount',
  HEX_SCHEMA('count', '^(0x)?[0-9a-fA-F]+$'),
  (value): Decoded<bigint> => {
    const digits = typeof value === 'string' ? value : value instanceof JsonNumber ? value.text : undefined;
    const isNumber =
      digits !== undefined && (/^0[xX][0-9a-fA-F]{1,64}$/.test(digits) || /^[0-9]{0,64}$/.test(digits));
    const count = isNumber ? BigInt(digits) : undefined;
    return count !== undefined && count < 1n << 64n
      ? ok(count)
      : err(`invalid hex or decimal integer ${JSON.stringify(digits ?? renderJson(value))}`);
  },
);

/** Maximum percentiles to read; the method refuses long lists with geth's text. */
const PERCENTILES_READ_MAX = 1000;

const readPercentile = (value: Json): Decoded<number> =>
  value instanceof JsonNumber
    ? ok(Number(value.text))
    : err(goTypeError(goKind(value), 'float64', undefined));

export const PERCENTILES = optional(
  required(
    'rewardPercentiles',
    { type: 'array', items: { type: 'number' } },
    arrayOf(readPercentile, PERCENTILES_READ_MAX, '[]float64'),
  ),
  [] as readonly number[],
);

const QUANTITY_SCHEMA = HEX_SCHEMA('quantity', '^0x(0|[1-9a-f][0-9a-f]*)$');

export const QUANTITY = required('quantity', QUANTITY_SCHEMA, (value) => readQuantity(value, 256));
export const QUANTITY_64 = required('quantity', QUANTITY_SCHEMA, (value) => readQuantity(value, 64));

/** EIP-7966 specifies an integer, which viem sends and geth accepts; an earlier geth took a quantity. */
export const TIMEOUT_MS = required(
  'timeoutMs',
  { title: 'milliseconds', oneOf: [QUANTITY_SCHEMA, { type: 'integer', minimum: 0 }] },
  (value): Decoded<bigint> =>
    value instanceof JsonNumber && /^(0|[1-9][0-9]{0,15})$/.test(value.text)
      ? ok(BigInt(value.text))
      : readQuantity(value, 64),
);

/** EIP-712 typed data; some wallets send it as JSON text. */
export const TYPED_DATA = required('typedData', { type: 'object' }, (value): Decoded<TypedData> => {
  const parsed = typeof value === 'string' ? parseJson(value) : ok(value);
  return parsed.ok ? ok(readTypedData(parsed.value)) : err('typed data is not JSON');
});

const goNumber = (type: 'int' | 'uint64', min: bigint, max: bigint) =>
  required('number', { type: 'integer' }, (value): Decoded<bigint> => {
    if (!(value instanceof JsonNumber)) return err(goTypeError(goKind(value), type, undefined));
    const number = /^-?[0-9]{1,20}$/.test(value.text) ? BigInt(value.text) : undefined;
    return number !== undefined && number >= min && number <= max
      ? ok(number)
      : err(goTypeError(`number ${value.text}`, type, undefined));
  });

/** A JSON number, the form in which Go decodes plain integers; not a string. */
export const INTEGER = goNumber('int', -(1n << 63n), (1n << 63n) - 1n);
export const UINT64 = goNumber('uint64', 0n, (1n << 64n) - 1n);
