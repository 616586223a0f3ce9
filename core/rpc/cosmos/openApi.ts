/** The API's description, generated from the service table: an OpenAPI 3 document and an HTML page. */
import type { AnyField, Shape, Table } from '../../codec/proto.ts';
import { ENUM_NAMES } from './enumNames.ts';
import type { ServiceMethod } from './service.ts';

type Schema = Readonly<Record<string, unknown>>;

const isTable = (shape: Shape<unknown> | undefined): shape is Table<unknown> =>
  shape !== undefined && 'fields' in shape;

const wireOf = (shape: Shape<unknown> | undefined): Shape<unknown> | undefined =>
  shape !== undefined && 'wire' in shape ? (shape as { readonly wire: Shape<unknown> }).wire : shape;

function scalarSchema(owner: string, field: AnyField): Schema {
  const names = ENUM_NAMES[`${owner}.${field.name}`];
  if (names !== undefined) return { type: 'string', enum: Object.values(names) };
  if (field.kind === 'bytes') return { type: 'string', format: 'byte' };
  if (field.kind === 'bool') return { type: 'boolean' };
  if (field.kind === 'string') return { type: 'string' };
  return field.kind.includes('64')
    ? { type: 'string', format: field.kind.startsWith('u') ? 'uint64' : 'int64' }
    : { type: 'integer' };
}

/** Collects the schemas of all messages that the rows refer to. */
class Schemas {
  readonly all: Record<string, Schema> = {};

  of(shape: Shape<unknown> | undefined): Schema {
    const wire = wireOf(shape);
    if (!isTable(wire)) return { type: 'object' };
    if (this.all[wire.name] === undefined) {
      // Registered before it is filled, because a message may contain itself.
      this.all[wire.name] = {};
      const fields = wire.fields.map((field) => [field.name, this.#field(wire.name, field)]);
      this.all[wire.name] = { type: 'object', properties: Object.fromEntries(fields) };
    }
    return { $ref: `#/components/schemas/${wire.name}` };
  }

  #field(owner: string, field: AnyField): Schema {
    const one = field.kind === 'message' ? this.of(field.shape) : scalarSchema(owner, field);
    return field.presence === 'repeated' ? { type: 'array', items: one } : one;
  }
}

/** Query parameters of a request. Fields of a nested message are named like `pagination.limit`. */
function parameters(table: Table<unknown>, inPath: ReadonlySet<string>, prefix = ''): readonly Schema[] {
  return table.fields.flatMap((field): readonly Schema[] => {
    const name = prefix + field.name;
    if (inPath.has(name)) return [];
    if (field.kind === 'message') {
      const isNested = isTable(field.shape) && field.presence !== 'repeated' && prefix === '';
      return isNested ? parameters(field.shape as Table<unknown>, inPath, `${name}.`) : [];
    }
    const one = scalarSchema(table.name, field);
    const schema = field.presence === 'repeated' ? { type: 'array', items: one } : one;
    return [{ name, in: 'query', required: false, schema }];
  });
}

/** Names of the fields in a path, without `=**`. */
const pathFields = (row: ServiceMethod): readonly string[] =>
  row.segments.flatMap((part) => (part.startsWith('{') ? [part.slice(1, -1).replace('=**', '')] : []));

const openPath = (row: ServiceMethod): string => row.path.replaceAll('=**', '');

const FAILURE: Schema = {
  description: 'A refusal: a gRPC code and what was wrong.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          code: { type: 'integer' },
          message: { type: 'string' },
          details: { type: 'array', items: { type: 'object' } },
        },
      },
    },
  },
};

function operation(row: ServiceMethod, schemas: Schemas): Schema {
  const inPath = pathFields(row);
  const given = inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const isPost = row.verb === 'POST';
  const height = { name: 'x-cosmos-block-height', in: 'header', required: false, schema: { type: 'string' } };
  const json = (shape: Shape<unknown>) => ({ 'application/json': { schema: schemas.of(shape) } });
  return {
    operationId: `${row.service}.${row.name}`,
    summary: row.doc,
    tags: [row.service],
    parameters: [...given, ...(isPost ? [] : parameters(row.request, new Set(inPath))), height],
    ...(isPost ? { requestBody: { required: true, content: json(row.request) } } : {}),
    responses: { 200: { description: 'The answer.', content: json(row.response) }, default: FAILURE },
  };
}

export function openApiDocument(rows: readonly ServiceMethod[], version: string): Schema {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, Schema>> = {};
  for (const row of rows) {
    const path = openPath(row);
    paths[path] = { ...paths[path], [row.verb.toLowerCase()]: operation(row, schemas) };
  }
  const info = { title: 'Orrery REST API', version, license: { name: 'Apache-2.0' } };
  return { openapi: '3.0.3', info, paths, components: { schemas: schemas.all } };
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

/** One HTML page that lists all queries, without scripts. */
export function apiPage(rows: readonly ServiceMethod[]): string {
  const services = [...new Set(rows.map(({ service }) => service))];
  const item = (row: ServiceMethod): string => {
    const path = escaped(openPath(row));
    const shown = row.verb === 'GET' && !path.includes('{') ? `<a href="${path}">${path}</a>` : path;
    const fields = row.request.fields.map(({ name }) => escaped(name)).join(', ');
    const needs = fields === '' ? '' : ` <small>${fields}</small>`;
    return `<li><code>${row.verb} ${shown}</code>${needs}<br>${escaped(row.doc)} gRPC <code>${escaped(row.grpcPath)}</code></li>`;
  };
  const section = (service: string): string =>
    `<h2>${escaped(service)}</h2><ul>${rows
      .filter((row) => row.service === service)
      .map(item)
      .join('')}</ul>`;
  const style = 'body{font:16px/1.5 system-ui;max-width:60em;margin:2em auto;padding:0 1em}li{margin:.6em 0}';
  const intro =
    'The same queries answer over gRPC and <code>abci_query</code>. The header <code>x-cosmos-block-height</code> asks an earlier height. Machines read <a href="/openapi.json">openapi.json</a>.';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Orrery API</title><style>${style}</style><h1>Orrery API</h1><p>${intro}</p>${services.map(section).join('')}</html>`;
}
