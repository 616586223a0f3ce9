import { EVIDENCE_LIST } from '../../core/codec/evidence.ts';
import { BLOCKSYNC_MESSAGE, CONSENSUS_MESSAGE, MEMPOOL_MESSAGE } from '../../core/codec/messageTables.ts';
import type { OneOf } from '../../core/codec/oneOf.ts';
import type { MappedShape, Shape, Table } from '../../core/codec/proto.ts';
import { present } from '../../core/lib/assert.ts';
import { PEX_MESSAGE } from '../../core/p2p/pexMessages.ts';
import type { MessageKind } from './messageFields.ts';

type Range = readonly [min: number, max: number];
type AnyShape = Partial<Table<unknown> & OneOf<unknown> & MappedShape<unknown, unknown>>;

/** What the encoder takes. Integers of 64 bits are bounded by what a scenario can say exactly. */
const SAFE: Range = [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
const RANGES: Readonly<Record<string, Range>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
};

const CASES = [CONSENSUS_MESSAGE, BLOCKSYNC_MESSAGE, MEMPOOL_MESSAGE, PEX_MESSAGE].flatMap(
  ({ cases }) => cases,
);

/** Least and greatest value of a field that is a number, by the table that encodes it. */
export function rangeOf(message: MessageKind, field: string): Range {
  // A piece of evidence has no message of its own: it is a list of them.
  const found = message === 'evidence' ? EVIDENCE_LIST : CASES.find(([, kind]) => kind === message)?.[2];
  const kind = kindAt(present(found, `a message ${message}`), field.split('.'));
  return RANGES[kind] ?? SAFE;
}

function kindAt(shape: Shape<unknown>, [key, ...rest]: readonly string[]): string {
  const { fields, cases, wire } = shape as AnyShape;
  const path = [present(key, 'a field'), ...rest];
  if (wire !== undefined) return kindAt(wire, path);
  // Fields of evidence are those of its first kind, two votes.
  if (cases !== undefined) return kindAt(present(cases[0], 'a case')[2], path);
  const field = present(
    fields?.find((one) => one.key === key),
    `a field ${key}`,
  );
  const inner = field.presence === 'repeated' ? rest.slice(1) : rest;
  return inner.length === 0 ? field.kind : kindAt(present(field.shape, 'a message'), inner);
}
