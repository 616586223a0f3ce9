/** Builders of table rows. The proto name is the key in snake_case unless `name` says otherwise. */
import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Shape } from './proto.ts';

/** `int64`/`uint64` are safe integers. Those with `Big` have the full range, as bigint. */
export type Kind =
  | 'uint32'
  | 'int32'
  | 'int64'
  | 'uint64'
  | 'int64Big'
  | 'uint64Big'
  | 'bool'
  | 'string'
  | 'bytes'
  | 'enum'
  | 'message';

/** implicit: a default is not written; optional: undefined is not written; always: written even if empty. */
export type Presence = 'implicit' | 'optional' | 'always' | 'repeated';

export interface Field<K extends string, V> {
  readonly number: number;
  readonly key: K;
  /** The name in the .proto file. */
  readonly name: string;
  readonly kind: Kind;
  readonly presence: Presence;
  readonly tag: number;
  readonly bytesMax: number;
  readonly countMax: number;
  /** For an enum: the names by number. A number without a name never matches. */
  readonly names: readonly (string | undefined)[];
  readonly shape: Shape<unknown> | undefined;
  /** Never set; it only carries the type of the value. */
  readonly sample?: V;
}

export const WIRE_OF: Readonly<Record<Kind, number>> = {
  uint32: 0,
  int32: 0,
  int64: 0,
  uint64: 0,
  int64Big: 0,
  uint64Big: 0,
  bool: 0,
  enum: 0,
  string: 2,
  bytes: 2,
  message: 2,
};

/** A nested message may be as large as the message around it. Only its own fields limit it further. */
const MESSAGE_BYTES_MAX = 0x7fff_ffff;

interface Extra {
  readonly name?: string;
}

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function field<K extends string, V>(
  number: number,
  key: K,
  kind: Kind,
  presence: Presence,
  rest: Partial<Pick<Field<K, V>, 'name' | 'bytesMax' | 'countMax' | 'names' | 'shape'>> = {},
): Field<K, V> {
  assert(Number.isInteger(number) && number > 0 && number < 2 ** 28, 'field number');
  return {
    number,
    key,
    name: rest.name ?? snakeCase(key),
    kind,
    presence,
    tag: number * 8 + WIRE_OF[kind],
    bytesMax: rest.bytesMax ?? MESSAGE_BYTES_MAX,
    countMax: rest.countMax ?? 0,
    names: rest.names ?? [],
    shape: rest.shape,
  };
}

type NumberField = <K extends string>(number: number, key: K, extra?: Extra) => Field<K, number>;
type BigField = <K extends string>(number: number, key: K, extra?: Extra) => Field<K, bigint>;

export const uint32: NumberField = (number, key, extra) => field(number, key, 'uint32', 'implicit', extra);
export const int32: NumberField = (number, key, extra) => field(number, key, 'int32', 'implicit', extra);
/** A safe integer. */
export const int64: NumberField = (number, key, extra) => field(number, key, 'int64', 'implicit', extra);
/** A safe integer. */
export const uint64: NumberField = (number, key, extra) => field(number, key, 'uint64', 'implicit', extra);
export const int64Big: BigField = (number, key, extra) => field(number, key, 'int64Big', 'implicit', extra);
export const uint64Big: BigField = (number, key, extra) => field(number, key, 'uint64Big', 'implicit', extra);

export const bool = <K extends string>(number: number, key: K, extra?: Extra): Field<K, boolean> =>
  field(number, key, 'bool', 'implicit', extra);

export const string = <K extends string>(
  number: number,
  key: K,
  bytesMax: number,
  extra?: Extra,
): Field<K, string> => field(number, key, 'string', 'implicit', { ...extra, bytesMax });

export const bytes = <K extends string>(
  number: number,
  key: K,
  bytesMax: number,
  extra?: Extra,
): Field<K, Bytes> => field(number, key, 'bytes', 'implicit', { ...extra, bytesMax });

/** An enum without a meaningful zero: always written, and 0 is refused. `numbers` must start above 0. */
export const enumeration = <K extends string, V extends string>(
  number: number,
  key: K,
  numbers: Readonly<Record<V, number>>,
  extra?: Extra,
): Field<K, V> => {
  const names: (string | undefined)[] = [];
  for (const [name, value] of Object.entries<number>(numbers)) names[value] = name;
  return field(number, key, 'enum', 'always', { ...extra, names });
};

/** gogoproto `nullable = false`: written even when empty, and refused when missing. Also for pointers never nil. */
export const embed = <K extends string, V>(
  number: number,
  key: K,
  shape: Shape<V>,
  extra?: Extra,
): Field<K, V> => field(number, key, 'message', 'always', { ...extra, shape: shape as Shape<unknown> });

/** A pointer: undefined when the field is absent. */
export const optional = <K extends string, V>(
  number: number,
  key: K,
  shape: Shape<V>,
  extra?: Extra,
): Field<K, V | undefined> =>
  field(number, key, 'message', 'optional', { ...extra, shape: shape as Shape<unknown> });

export const repeated = <K extends string, V>(
  number: number,
  key: K,
  shape: Shape<V>,
  countMax: number,
  extra?: Extra,
): Field<K, readonly V[]> =>
  field(number, key, 'message', 'repeated', { ...extra, countMax, shape: shape as Shape<unknown> });

export const repeatedBytes = <K extends string>(
  number: number,
  key: K,
  bytesMax: number,
  countMax: number,
  extra?: Extra,
): Field<K, readonly Bytes[]> => field(number, key, 'bytes', 'repeated', { ...extra, bytesMax, countMax });

export const repeatedString = <K extends string>(
  number: number,
  key: K,
  bytesMax: number,
  countMax: number,
  extra?: Extra,
): Field<K, readonly string[]> => field(number, key, 'string', 'repeated', { ...extra, bytesMax, countMax });
