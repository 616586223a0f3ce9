import { type Bytes, parseHex } from '../../lib/bytes.ts';
import { err, ok } from '../../lib/result.ts';
import { fieldOf, isArray, isObject, type Json, type JsonObject } from '../jsonText.ts';
import { serverError } from '../rpcError.ts';
import { type BlockId, readBlockNumber } from './blockId.ts';
import { type Decoded, goKind, goTypeError, readHash } from './goHex.ts';

/** Which logs match; an empty list matches everything. */
export interface LogCriteria {
  readonly addresses: readonly Bytes[];
  /** By topic position. A log must have at least as many topics as there are positions. */
  readonly topics: readonly (readonly Bytes[])[];
}

/** geth's FilterCriteria (eth/filters/api.go). */
export interface LogFilter extends LogCriteria {
  readonly blockHash: Bytes | undefined;
  readonly from: BlockId | undefined;
  readonly to: BlockId | undefined;
}

const TOPICS_MAX = 4;
const ALTERNATIVES_MAX = 1000;
/** Maximum addresses to read; above ALTERNATIVES_MAX the method refuses with geth's text. */
const ITEMS_READ_MAX = 100_000;

/** hexutil.Decode with a length check. */
function decodeText(text: string, size: number, what: string): Decoded<Bytes> {
  if (text === '') return err('empty hex string');
  if (!/^0[xX]/.test(text)) return err('hex string without 0x prefix');
  if (text.length % 2 !== 0) return err('hex string of odd length');
  const bytes = parseHex(text);
  if (!bytes.ok) return err('invalid hex string');
  if (bytes.value.length === size) return bytes;
  return err(`hex has invalid length ${bytes.value.length} after decoding; expected ${size} for ${what}`);
}

function readAddresses(value: Json): Decoded<readonly Bytes[]> {
  if (value === null) return ok([]);
  if (typeof value === 'string') {
    const one = decodeText(value, 20, 'address');
    return one.ok ? ok([one.value]) : err(`invalid address: ${one.error}`);
  }
  if (!isArray(value) || value.length > ITEMS_READ_MAX) return err('invalid addresses in query');
  const out: Bytes[] = [];
  for (const [i, entry] of value.entries()) {
    if (typeof entry !== 'string') return err(`non-string address at index ${i}`);
    const address = decodeText(entry, 20, 'address');
    if (!address.ok) return err(`invalid address at index ${i}: ${address.error}`);
    out.push(address.value);
  }
  return ok(out);
}

/**
 * The alternatives at one topic position: null means any, a string one topic, a list OR; a null in the list means any.
 */
function readPosition(value: Json): Decoded<readonly Bytes[]> {
  if (value === null) return ok([]);
  const list = typeof value === 'string' ? [value] : value;
  if (!isArray(list)) return err('invalid topic(s)');
  if (list.length > ALTERNATIVES_MAX) return err('exceed max topics');
  const out: Bytes[] = [];
  for (const entry of list) {
    if (entry === null) return ok([]);
    if (typeof entry !== 'string') return err('invalid topic(s)');
    const topic = decodeText(entry, 32, 'topic');
    if (!topic.ok) return topic;
    out.push(topic.value);
  }
  return ok(out);
}

function readTopics(value: Json): Decoded<readonly (readonly Bytes[])[]> {
  if (value === null) return ok([]);
  if (!isArray(value)) return err(goTypeError(goKind(value), '[]interface {}', 'input.topics'));
  if (value.length > TOPICS_MAX) return err('exceed max topics');
  const out: (readonly Bytes[])[] = [];
  for (const entry of value) {
    const position = readPosition(entry);
    if (!position.ok) return position;
    out.push(position.value);
  }
  return ok(out);
}

function readRange(object: JsonObject): Decoded<Pick<LogFilter, 'blockHash' | 'from' | 'to'>> {
  const [hash, from, to] = ['blockHash', 'fromBlock', 'toBlock'].map((name) => fieldOf(object, name)) as [
    Json,
    Json,
    Json,
  ];
  if (hash !== null) {
    if (from !== null || to !== null) {
      return err('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other');
    }
    const read = readHash(hash, 'input.blockHash');
    return read.ok ? ok({ blockHash: read.value, from: undefined, to: undefined }) : read;
  }
  const first = from === null ? undefined : readBlockNumber(from);
  if (first?.ok === false) return first;
  const last = to === null ? undefined : readBlockNumber(to);
  if (last?.ok === false) return last;
  return ok({ blockHash: undefined, from: first?.value, to: last?.value });
}

export function readLogFilter(value: Json): Decoded<LogFilter> {
  if (!isObject(value)) return err(goTypeError(goKind(value), 'filters.input', undefined));
  const range = readRange(value);
  if (!range.ok) return range;
  const addresses = readAddresses(fieldOf(value, 'address'));
  if (!addresses.ok) return addresses;
  const topics = readTopics(fieldOf(value, 'topics'));
  return topics.ok ? ok({ ...range.value, addresses: addresses.value, topics: topics.value }) : topics;
}

/** Throws if the criteria exceed geth's size limits. */
export function checkCriteria(criteria: LogCriteria): void {
  if (criteria.addresses.length > ALTERNATIVES_MAX)
    throw serverError('exceed max addresses or topics per search position');
}
