import { parse, TomlError } from 'smol-toml';
import { nearest } from '../../core/lib/nearest.ts';
import { OperatingError } from '../operatingError.ts';
import type { Field } from './field.ts';

/** A file's settings by section and key; the section '' is the top of the file. */
// biome-ignore lint/suspicious/noExplicitAny: a table mixes fields of every type; Values<> gives each its own back.
export type Table = Readonly<Record<string, Readonly<Record<string, Field<any>>>>>;

type Valued<F> = F extends Field<infer T> ? T : never;

/** The values of a table after reading. */
export type Values<T extends Table> = {
  readonly [S in keyof T]: { readonly [K in keyof T[S]]: Valued<T[S][K]> };
};

/** `rpc.laddr`, or `moniker` for a top-level key: the name in flags and messages. */
export const pathOf = (section: string, key: string): string => (section === '' ? key : `${section}.${key}`);

/** `rpc.laddr` → `ORRERY_RPC_LADDR`. */
export const envNameOf = (path: string): string => `ORRERY_${path.replace(/[.-]/g, '_').toUpperCase()}`;

export function* fieldsOf(table: Table): Generator<{
  readonly section: string;
  readonly key: string;
  readonly path: string;
  readonly field: Field<unknown>;
}> {
  for (const [section, fields] of Object.entries(table))
    for (const [key, field] of Object.entries(fields))
      yield { section, key, path: pathOf(section, key), field };
}

/** The sources of values, in order of precedence. */
export interface Sources {
  /** By path (`rpc.laddr`), as given on the command line. */
  readonly flags: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** undefined: there is no such file. */
  readonly file: { readonly name: string; readonly text: string } | undefined;
}

/**
 * Reads a table's values: flags over environment over file over defaults. Throws OperatingError that names the setting.
 */
export function readTable<T extends Table>(table: T, sources: Sources): Values<T> {
  const fromFile = sources.file === undefined ? {} : parseToml(sources.file);
  if (sources.file !== undefined) refuseUnknown(table, fromFile, sources.file.name);
  const values: Record<string, Record<string, unknown>> = {};
  for (const section of Object.keys(table)) values[section] = {};
  for (const { section, key, path, field } of fieldsOf(table)) {
    (values[section] as Record<string, unknown>)[key] = settingOf(field, path, sources, () =>
      at(section === '' ? fromFile : sectionOf(fromFile, section), key),
    );
  }
  return values as Values<T>;
}

function settingOf(field: Field<unknown>, path: string, sources: Sources, inFile: () => unknown): unknown {
  const flag = sources.flags.get(path);
  if (flag !== undefined) return accept(field.fromText(flag), `flag --${path}`, flag);
  const env = sources.env[envNameOf(path)];
  if (env !== undefined) return accept(field.fromText(env), `environment variable ${envNameOf(path)}`, env);
  const value = inFile();
  if (value === undefined) return field.fallback;
  return accept(field.fromToml(value), `${sources.file?.name}: ${path}`, value);
}

function accept(parsed: ReturnType<Field<unknown>['fromText']>, where: string, found: unknown): unknown {
  if (parsed.ok) return parsed.value;
  const shown = typeof found === 'bigint' ? String(found) : JSON.stringify(found);
  throw new OperatingError(`${where}: ${parsed.error}, found ${shown}`);
}

type TomlTable = Record<string, unknown>;

const isTable = (value: unknown): value is TomlTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const at = (table: TomlTable | undefined, key: string): unknown =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;

/** Nested section names such as `evm.mempool` are tables in tables. */
function sectionOf(top: TomlTable, section: string): TomlTable | undefined {
  let found: unknown = top;
  for (const part of section.split('.')) found = isTable(found) ? at(found, part) : undefined;
  return isTable(found) ? found : undefined;
}

function parseToml(file: { readonly name: string; readonly text: string }): TomlTable {
  try {
    return parse(file.text) as TomlTable;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '');
    throw new OperatingError(`${file.name}:${error.line}:${error.column}: ${reason}`);
  }
}

function refuseUnknown(table: Table, top: TomlTable, name: string): void {
  const sections = Object.keys(table);
  const walk = (here: TomlTable, section: string): void => {
    for (const [key, value] of Object.entries(here)) {
      const path = pathOf(section, key);
      const isSection = sections.some((other) => other === path || other.startsWith(`${path}.`));
      if (isSection) {
        if (!isTable(value)) throw new OperatingError(`${name}: ${path}: expected a section [${path}]`);
        walk(value, path);
      } else if (!Object.hasOwn(table[section] ?? {}, key))
        throw new OperatingError(unknownKey(table, name, section, key));
    }
  };
  walk(top, '');
}

function unknownKey(table: Table, name: string, section: string, key: string): string {
  const known = Object.keys(table[section] ?? {});
  const where = section === '' ? 'at the top of the file' : `in [${section}]`;
  const others = section === '' ? Object.keys(table).filter((other) => other !== '') : [];
  const sections =
    others.length === 0 ? '' : `, or a section out of ${others.map((other) => `[${other}]`).join(' ')}`;
  return `${name}: unknown key ${pathOf(section, key)}: expected ${where} one of ${known.join(', ')}${sections}`;
}

/** Variables that Kubernetes and Docker set for a service called orrery-rpc. No setting's name ends like this. */
const SERVICE_LINK =
  /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)?)$/;

/** Refuses a variable of a known section whose key does not exist: a typo would go unnoticed. */
export function refuseUnknownEnv(tables: readonly Table[], env: Sources['env']): void {
  const names = tables.flatMap((table) => [...fieldsOf(table)].map(({ path }) => envNameOf(path)));
  const sections = tables.flatMap((table) => Object.keys(table)).filter((section) => section !== '');
  const prefixes = sections.map((section) => `${envNameOf(section)}_`);
  for (const name of Object.keys(env).sort())
    if (
      prefixes.some((prefix) => name.startsWith(prefix)) &&
      !names.includes(name) &&
      !SERVICE_LINK.test(name)
    )
      throw new OperatingError(
        `unknown environment variable ${name}: no setting has it${nearest(name, names)}`,
      );
}

/** Renders the file with every key, its comment and its value. */
export function renderTable<T extends Table>(table: T, values: Values<T>, title: string): string {
  const lines = title.split('\n').map((line) => `# ${line}`);
  let open: string | undefined = '';
  for (const { section, key, field } of fieldsOf(table)) {
    if (section !== open) lines.push('', `[${section}]`);
    open = section;
    const value = (values as Record<string, Record<string, unknown>>)[section]?.[key];
    lines.push(
      '',
      ...field.comment.split('\n').map((line) => `# ${line}`),
      `${key} = ${field.toToml(value)}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
