import type { Shape, Table } from '../../codec/proto.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { defaultOf, fromProtoJson, readJson, scalarOf } from './protoJson.ts';
import { GRPC, GrpcError } from './status.ts';

/** Fields of a REST request by name, path fields first. A field that is given several times has several texts. */
export type RestFields = ReadonlyMap<string, readonly string[]>;

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Names and values of a query string, in order. */
export function parseFields(query: string): Result<ReadonlyMap<string, string[]>, string> {
  const fields = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const mark = pair.indexOf('=');
    const name = percentDecoded(mark < 0 ? pair : pair.slice(0, mark));
    const value = percentDecoded(mark < 0 ? '' : pair.slice(mark + 1));
    if (name === undefined || value === undefined) return err(`invalid URL escape in ${pair}`);
    const known = fields.get(name);
    if (known === undefined) fields.set(name, [value]);
    else known.push(value);
  }
  return ok(fields);
}

const isTable = (shape: Shape<unknown> | undefined): shape is Table<unknown> =>
  shape !== undefined && 'fields' in shape;

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function jsonOf(body: string): unknown {
  if (body.trim() === '') return {};
  try {
    return JSON.parse(body);
  } catch {
    throw new GrpcError(GRPC.invalidArgument, 'request body is not JSON');
  }
}

/** The request message, read from the JSON body of a POST, otherwise from path and query (`pagination.limit=5`). */
export function fieldsRequest(table: Table<unknown>, fields: RestFields, body: string): unknown {
  if (body !== '') return fromProtoJson(table, jsonOf(body));
  return readFields(table, fields, '');
}

function readFields(table: Table<unknown>, fields: RestFields, prefix: string): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const field of table.fields) {
    const name = prefix + field.name;
    const given = fields.get(name) ?? fields.get(prefix + camel(field.name)) ?? [];
    if (field.kind === 'message' && isTable(field.shape) && field.presence !== 'repeated') {
      const inner = `${name}.`;
      const isGiven = [...fields.keys()].some((key) => key.startsWith(inner));
      out[field.key] = isGiven ? readFields(field.shape, fields, inner) : undefined;
    } else if (field.presence === 'repeated') {
      out[field.key] = readJson(table.name, field, given, name);
    } else {
      const [text] = given;
      out[field.key] =
        text === undefined || (text === '' && field.kind !== 'string')
          ? defaultOf(field)
          : scalarOf(table.name, field, text, name);
    }
  }
  return out;
}
