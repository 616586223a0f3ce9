/** The API as .proto files, one per package, from which clients in other languages generate code. */
import protobuf from 'protobufjs';
import { compareText } from '../../core/lib/bytes.ts';

/** Files of messages that are not generated here, by full name without the leading dot. */
export type OtherFiles = ReadonlyMap<string, string>;

const FILE = 'all.proto';
const GOOGLE: OtherFiles = new Map([
  ['google.protobuf.Any', 'google/protobuf/any.proto'],
  ['google.protobuf.Timestamp', 'google/protobuf/timestamp.proto'],
  ['google.protobuf.Duration', 'google/protobuf/duration.proto'],
]);

const bare = (object: protobuf.ReflectionObject): string => object.fullName.slice(1);

/** A nested message belongs to the package of its outer message. */
function packageOf(object: protobuf.ReflectionObject): string {
  let { parent } = object;
  while (parent instanceof protobuf.Type) ({ parent } = parent);
  return parent === null ? '' : bare(parent);
}

class FileText {
  readonly #name: string;
  readonly #others: OtherFiles;
  readonly #imports = new Set<string>();
  readonly #rows: string[] = [];

  constructor(name: string, others: OtherFiles) {
    this.#name = name;
    this.#others = others;
  }

  /** An absolute name: within `cosmos.base`, protoc would look for `tendermint.types` in `cosmos.base.tendermint`. */
  #refer(target: protobuf.ReflectionObject): string {
    const name = bare(target);
    const file = GOOGLE.get(name) ?? this.#others.get(name) ?? pathOf(packageOf(target));
    if (file !== pathOf(this.#name)) this.#imports.add(file);
    return `.${name}`;
  }

  #field(field: protobuf.Field): string {
    const type = field.resolvedType === null ? field.type : this.#refer(field.resolvedType);
    return `${field.repeated ? 'repeated ' : ''}${type} ${field.name} = ${field.id};`;
  }

  message(type: protobuf.Type, indent: string): void {
    const inner = `${indent}  `;
    const isEmpty = type.fieldsArray.length === 0 && type.nestedArray.length === 0;
    this.#rows.push(`${indent}message ${type.name} {${isEmpty ? '}' : ''}`);
    if (isEmpty) return;
    for (const nested of type.nestedArray) if (nested instanceof protobuf.Type) this.message(nested, inner);
    for (const one of type.oneofsArray) {
      this.#rows.push(`${inner}oneof ${one.name} {`);
      for (const field of one.fieldsArray) this.#rows.push(`${inner}  ${this.#field(field)}`);
      this.#rows.push(`${inner}}`);
    }
    for (const field of type.fieldsArray)
      if (field.partOf === null) this.#rows.push(inner + this.#field(field));
    this.#rows.push(`${indent}}`);
  }

  enumeration({ name, values }: protobuf.Enum): void {
    const rows = Object.entries(values).sort(([, a], [, b]) => a - b);
    this.#rows.push(`enum ${name} {`, ...rows.map(([text, number]) => `  ${text} = ${number};`), '}');
  }

  service(service: protobuf.Service): void {
    this.#rows.push(`service ${service.name} {`);
    for (const method of service.methodsArray) {
      const { resolvedRequestType: request, resolvedResponseType: response } =
        method.resolve() as protobuf.Method;
      if (request === null || response === null) continue;
      const types = `(${this.#refer(request)}) returns (${this.#refer(response)})`;
      this.#rows.push(`  // ${method.comment ?? ''}`, `  rpc ${method.name}${types};`);
    }
    this.#rows.push('}');
  }

  gap(): void {
    this.#rows.push('');
  }

  text(): string {
    const imports = [...this.#imports].sort(compareText).map((file) => `import "${file}";`);
    const head = ['syntax = "proto3";', `package ${this.#name};`, ''];
    return [...head, ...imports, ...(imports.length === 0 ? [] : ['']), ...this.#rows].join('\n');
  }
}

const pathOf = (name: string): string => `${name.replaceAll('.', '/')}/${FILE}`;

/** File texts by path under proto/, without the messages that `others` declares. Services come first. */
export function protoTexts(root: protobuf.Root, others: OtherFiles): ReadonlyMap<string, string> {
  root.resolveAll();
  const texts = new Map<string, string>();
  const visit = (space: protobuf.NamespaceBase): void => {
    const own = space.nestedArray.filter(
      (one) =>
        (one instanceof protobuf.Type || one instanceof protobuf.Enum || one instanceof protobuf.Service) &&
        !others.has(bare(one)) &&
        !GOOGLE.has(bare(one)),
    );
    if (own.length > 0) texts.set(pathOf(bare(space)), fileOf(bare(space), own, others));
    for (const one of space.nestedArray)
      if (
        one instanceof protobuf.Namespace &&
        !(one instanceof protobuf.Type) &&
        !(one instanceof protobuf.Service)
      )
        visit(one);
  };
  visit(root);
  return texts;
}

function fileOf(name: string, own: readonly protobuf.ReflectionObject[], others: OtherFiles): string {
  const file = new FileText(name, others);
  const rank = (one: protobuf.ReflectionObject): number =>
    one instanceof protobuf.Service ? 0 : one instanceof protobuf.Enum ? 1 : 2;
  const sorted = [...own].sort((a, b) => rank(a) - rank(b));
  for (const one of sorted) {
    if (one instanceof protobuf.Service) file.service(one);
    else if (one instanceof protobuf.Enum) file.enumeration(one);
    else if (one instanceof protobuf.Type) file.message(one, '');
    file.gap();
  }
  return file.text();
}
