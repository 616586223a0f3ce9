/** File descriptors of everything in the service table, for server reflection; generated from the tables. */
import protobuf from 'protobufjs';
import type { AnyField, Shape, Table } from '../../core/codec/proto.ts';
import { ENUM_NAMES, ENUM_TYPES } from '../../core/rpc/cosmos/enumNames.ts';
import { ANY_TABLES } from '../../core/rpc/cosmos/registry.ts';
import type { ServiceMethod } from '../../core/rpc/cosmos/service.ts';

const SCALARS: Readonly<Record<string, string>> = { int64Big: 'int64', uint64Big: 'uint64' };

/** Consensus tables have short names; this adds the package that declares them. */
const packageOf = (name: string): string => {
  if (name.includes('.')) return name;
  if (name === 'Timestamp' || name === 'Duration') return `google.protobuf.${name}`;
  if (name === 'PublicKey') return `tendermint.crypto.${name}`;
  return name === 'Consensus' ? `tendermint.version.${name}` : `tendermint.types.${name}`;
};

const isTable = (shape: Shape<unknown>): shape is Table<unknown> => 'fields' in shape;

/** Collects messages by full name. */
class Book {
  readonly root = new protobuf.Root();
  readonly #seen = new Set<string>();

  add(shape: Shape<unknown>): string {
    const wire = 'wire' in shape ? (shape as { readonly wire: Shape<unknown> }).wire : shape;
    const name = packageOf(wire.name);
    if (this.#seen.has(name)) return name;
    this.#seen.add(name);
    const type = new protobuf.Type(name.split('.').at(-1) as string);
    if (isTable(wire)) for (const field of wire.fields) type.add(this.#field(wire.name, field));
    else if ('cases' in wire) this.#addCases(type, wire as never);
    else this.#addKey(type);
    this.#parent(name).add(type);
    return name;
  }

  /** A nested message such as ModeInfo.Single has its outer message as parent. */
  #parent(name: string): protobuf.Namespace {
    const path = name.split('.').slice(0, -1);
    const outer = path.at(-1) ?? '';
    if (/^[A-Z]/.test(outer)) {
      const known = this.root.lookup(path.join('.'));
      if (known instanceof protobuf.Type) return known;
    }
    return this.root.define(path.join('.'));
  }

  #field(owner: string, field: AnyField): protobuf.Field {
    const rule = field.presence === 'repeated' ? 'repeated' : undefined;
    return new protobuf.Field(field.name, field.number, this.#typeOf(owner, field), rule);
  }

  #typeOf(owner: string, field: AnyField): string {
    if (field.shape !== undefined) return `.${this.add(field.shape)}`;
    const name = ENUM_TYPES[`${owner}.${field.name}`];
    if (name === undefined) return field.kind === 'enum' ? 'int32' : (SCALARS[field.kind] ?? field.kind);
    if (!this.#seen.has(name)) {
      this.#seen.add(name);
      const values = Object.entries(ENUM_NAMES[`${owner}.${field.name}`] ?? {});
      const numbers = Object.fromEntries(values.map(([number, text]) => [text, Number(number)]));
      this.#parent(name).add(new protobuf.Enum(name.split('.').at(-1) as string, numbers));
    }
    return `.${name}`;
  }

  #addCases(
    type: protobuf.Type,
    wire: { readonly cases: readonly [number, string, Shape<unknown>][] },
  ): void {
    const one = new protobuf.OneOf('sum');
    for (const [number, kind, shape] of wire.cases) {
      const name = kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
      one.add(new protobuf.Field(name, number, `.${this.add(shape)}`));
    }
    type.add(one);
  }

  #addKey(type: protobuf.Type): void {
    if (type.name !== 'PublicKey') return;
    const one = new protobuf.OneOf('sum');
    one.add(new protobuf.Field('ed25519', 1, 'bytes'));
    one.add(new protobuf.Field('secp256k1', 2, 'bytes'));
    type.add(one);
  }
}

/** The whole API as a protobufjs root. */
export function serviceRoot(rows: readonly ServiceMethod[]): protobuf.Root {
  const book = new Book();
  // Outer messages must be added before those nested in them.
  for (const shape of ANY_TABLES) book.add(shape);
  const services = new Map<string, protobuf.Service>();
  for (const row of rows) {
    const request = book.add(row.request);
    const response = book.add(row.response);
    let service = services.get(row.service);
    if (service === undefined) {
      service = new protobuf.Service(row.service.split('.').at(-1) as string);
      services.set(row.service, service);
    }
    const method = new protobuf.Method(row.name, 'rpc', `.${request}`, `.${response}`);
    method.comment = row.doc;
    service.add(method);
  }
  for (const [name, service] of services)
    book.root.define(name.split('.').slice(0, -1).join('.')).add(service);
  return book.root;
}
