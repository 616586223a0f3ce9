import type { Method, Root, Service, Type } from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';

interface MessageProto {
  readonly name: string;
  readonly field?: readonly {
    readonly name: string;
    readonly label: number;
    typeName?: string;
    options?: unknown;
  }[];
  readonly nestedType?: readonly MessageProto[];
  readonly enumType?: readonly { readonly name: string }[];
}
interface FileProto {
  name: string;
  package?: string;
  dependency: string[];
  syntax?: string;
  messageType: MessageProto[];
  enumType: { readonly name: string }[];
  service: {
    readonly name: string;
    readonly method: readonly {
      readonly name: string;
      inputType: string;
      outputType: string;
    }[];
  }[];
}

/** One file per package, and its imports. */
export interface FileDescriptors {
  fileOfSymbol(symbol: string): string | undefined;
  /** The file and everything it imports, imports first; undefined if no file has this name. */
  withImports(name: string): readonly Uint8Array[] | undefined;
}

const LABEL_REPEATED = 3;

/** Full names of a message and of all types nested in it. */
function* declared(message: MessageProto, prefix: string): Generator<string> {
  const name = `${prefix}.${message.name}`;
  yield name;
  for (const inner of message.nestedType ?? []) yield* declared(inner, name);
  for (const inner of message.enumType ?? []) yield `${name}.${inner.name}`;
}

/** Sets the full names of the types that fields refer to (protobufjs writes relative ones) and yields those names. */
function* referred(message: MessageProto, type: Type): Generator<string> {
  for (const field of message.field ?? []) {
    // protobufjs marks each singular field as not packed, which compilers refuse.
    if (field.label !== LABEL_REPEATED) delete field.options;
    const target = type.fields[field.name]?.resolve().resolvedType;
    if (target === undefined || target === null) continue;
    field.typeName = target.fullName;
    yield target.fullName.slice(1);
  }
  for (const inner of message.nestedType ?? []) yield* referred(inner, type.lookupType(inner.name));
}

/** Like `referred`, for the methods of a service. */
function* served(service: FileProto['service'][number], found: Service): Generator<string> {
  for (const method of service.method) {
    const declared = found.methods[method.name] as Method;
    declared.resolve();
    const { resolvedRequestType, resolvedResponseType } = declared;
    method.inputType = resolvedRequestType?.fullName ?? '';
    method.outputType = resolvedResponseType?.fullName ?? '';
    yield method.inputType.slice(1);
    yield method.outputType.slice(1);
  }
}

export function fileDescriptors(root: Root): FileDescriptors {
  root.resolveAll();
  const set = (root as unknown as { toDescriptor(syntax: string): { file: FileProto[] } }).toDescriptor(
    'proto3',
  );
  const files = new Map<string, FileProto>();
  const owner = new Map<string, string>();
  for (const file of set.file) {
    file.name = `${(file.package ?? 'root').replaceAll('.', '/')}/all.proto`;
    files.set(file.name, file);
    const prefix = file.package ?? '';
    for (const message of file.messageType)
      for (const name of declared(message, prefix)) owner.set(name, file.name);
    for (const { name } of file.enumType) owner.set(`${prefix}.${name}`, file.name);
    for (const { name, method } of file.service) {
      owner.set(`${prefix}.${name}`, file.name);
      for (const one of method) owner.set(`${prefix}.${name}.${one.name}`, file.name);
    }
  }
  for (const file of files.values()) {
    const prefix = file.package ?? '';
    const names = [
      ...file.messageType.flatMap((one) => [...referred(one, root.lookupType(`${prefix}.${one.name}`))]),
      ...file.service.flatMap((one) => [...served(one, root.lookupService(`${prefix}.${one.name}`))]),
    ];
    const imports = names.flatMap((name) => owner.get(name) ?? []);
    file.dependency = [...new Set(imports)].filter((name) => name !== file.name).sort();
  }
  const type = (
    descriptor as unknown as { FileDescriptorProto: { encode(m: unknown): { finish(): Uint8Array } } }
  ).FileDescriptorProto;
  return {
    fileOfSymbol: (symbol) => owner.get(symbol.replace(/^\./, '')),
    withImports(name) {
      if (!files.has(name)) return undefined;
      const order: string[] = [];
      const visit = (one: string): void => {
        if (order.includes(one)) return;
        order.push(one);
        for (const next of files.get(one)?.dependency ?? []) visit(next);
      };
      visit(name);
      return order.map((one) => type.encode(files.get(one)).finish());
    },
  };
}
