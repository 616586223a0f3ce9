/** The part of JSON Schema that the execution-apis use, read from their YAML. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

export type Schema = Readonly<Record<string, unknown>>;

const folder = new URL('../../../../vectors/execution-apis/src/', import.meta.url);
const load = (file: string): unknown => parse(readFileSync(new URL(file, folder), 'utf8'));

const schemas: Readonly<Record<string, Schema>> = Object.assign(
  {},
  ...readdirSync(new URL('schemas/', folder)).map((file) => load(`schemas/${file}`)),
);

interface SpecMethod {
  readonly name: string;
  readonly result: { readonly schema: Schema };
}

/** Methods of the specification by name. */
export const specMethods: ReadonlyMap<string, Schema> = new Map(
  ['eth', 'txpool', 'debug'].flatMap((room) =>
    readdirSync(new URL(`${room}/`, folder)).flatMap((file) =>
      (load(`${room}/${file}`) as SpecMethod[]).map(({ name, result }): [string, Schema] => [
        name,
        result.schema,
      ]),
    ),
  ),
);

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const isType = (value: unknown, type: string): boolean =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;

/** Members that a schema knows, through references and compositions. */
function knownMembers(schema: Schema): Set<string> {
  const { $ref, properties = {}, allOf = [], oneOf = [], anyOf = [] } = schema as Record<string, never>;
  const names = new Set<string>(Object.keys(properties));
  const parts: Schema[] = [...(allOf as Schema[]), ...(oneOf as Schema[]), ...(anyOf as Schema[])];
  if ($ref !== undefined) parts.push(resolve($ref as string));
  for (const part of parts) for (const name of knownMembers(part)) names.add(name);
  return names;
}

function resolve(ref: string): Schema {
  const found = schemas[ref.replace('#/components/schemas/', '')];
  if (found === undefined) throw new Error(`no schema ${ref}`);
  return found;
}

/** Faults of a value; empty when it fits. */
export function faultsOf(value: unknown, schema: Schema, path = '$'): string[] {
  if (typeof schema.$ref === 'string') return faultsOf(value, resolve(schema.$ref), path);
  const faults: string[] = [];
  const { type, pattern, minimum, maximum } = schema as Record<string, never>;
  const types = type === undefined ? [] : ([] as string[]).concat(type);
  if (types.length > 0 && !types.some((one) => isType(value, one)))
    return [`${path}: ${typeOf(value)}, wanted ${types.join(' or ')}`];
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    faults.push(`${path}: not in the enumeration`);
  if (pattern !== undefined && typeof value === 'string' && !new RegExp(pattern).test(value))
    faults.push(`${path}: ${value.slice(0, 80)} against ${pattern}`);
  if (typeof value === 'number' && (value < (minimum ?? value) || value > (maximum ?? value)))
    faults.push(`${path}: ${value} out of range`);
  for (const part of (schema.allOf ?? []) as Schema[]) faults.push(...faultsOf(value, part, path));
  for (const key of ['oneOf', 'anyOf'] as const) {
    const parts = schema[key] as Schema[] | undefined;
    if (parts === undefined) continue;
    const tries = parts.map((part) => faultsOf(value, part, path));
    if (tries.every((list) => list.length > 0))
      faults.push(...(tries.sort((a, b) => a.length - b.length)[0] ?? []));
  }
  if (Array.isArray(value) && schema.items !== undefined)
    for (const [i, item] of value.entries())
      faults.push(...faultsOf(item, schema.items as Schema, `${path}[${i}]`));
  if (typeOf(value) === 'object')
    faults.push(...memberFaults(value as Record<string, unknown>, schema, path));
  return faults;
}

function memberFaults(value: Record<string, unknown>, schema: Schema, path: string): string[] {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const faults = ((schema.required ?? []) as string[])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${path}.${name}: missing`);
  for (const [name, member] of Object.entries(value)) {
    const own = properties[name];
    if (own !== undefined) faults.push(...faultsOf(member, own, `${path}.${name}`));
    else if (typeof schema.additionalProperties === 'object')
      faults.push(...faultsOf(member, schema.additionalProperties as Schema, `${path}.${name}`));
    else if (schema.additionalProperties === false && !knownMembers(schema).has(name))
      faults.push(`${path}.${name}: not in the specification`);
  }
  return faults;
}
