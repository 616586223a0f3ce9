/** grpc.reflection.v1 and v1alpha, which clients without .proto files use. */
import protobuf from 'protobufjs';
import type { ServiceMethod } from '../../core/rpc/cosmos/service.ts';
import { serviceRoot } from './descriptors.ts';
import { fileDescriptors } from './fileDescriptors.ts';

const PROTO = `syntax = "proto3";
message ExtensionRequest { string containing_type = 1; int32 extension_number = 2; }
message ServerReflectionRequest {
  string host = 1;
  oneof message_request {
    string file_by_filename = 3;
    string file_containing_symbol = 4;
    ExtensionRequest file_containing_extension = 5;
    string all_extension_numbers_of_type = 6;
    string list_services = 7;
  }
}
message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
message ServiceResponse { string name = 1; }
message ListServiceResponse { repeated ServiceResponse service = 1; }
message ErrorResponse { int32 error_code = 1; string error_message = 2; }
message ServerReflectionResponse {
  string valid_host = 1;
  ServerReflectionRequest original_request = 2;
  oneof message_response {
    FileDescriptorResponse file_descriptor_response = 4;
    ListServiceResponse list_services_response = 6;
    ErrorResponse error_response = 7;
  }
}
service ServerReflection {
  rpc ServerReflectionInfo(stream ServerReflectionRequest) returns (stream ServerReflectionResponse);
}`;

const PACKAGES = ['grpc.reflection.v1', 'grpc.reflection.v1alpha'] as const;

/** Both versions are the same protocol under different package names. */
function addReflection(root: protobuf.Root): protobuf.Root {
  for (const name of PACKAGES)
    protobuf.parse(PROTO.replace(';', `;\npackage ${name};`), root, { keepCase: true });
  return root;
}

const root = addReflection(new protobuf.Root());
const REQUEST = root.lookupType('grpc.reflection.v1.ServerReflectionRequest');
const RESPONSE = root.lookupType('grpc.reflection.v1.ServerReflectionResponse');

export const REFLECTION_SERVICES = PACKAGES.map((name) => `${name}.ServerReflection`);

const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

interface ReflectionRequest {
  readonly host?: string;
  readonly file_by_filename?: string;
  readonly file_containing_symbol?: string;
  readonly list_services?: string;
}

/** Answers reflection requests about the service table. The descriptors are built on the first request. */
export class Reflection {
  readonly #rows: readonly ServiceMethod[];
  #files: ReturnType<typeof fileDescriptors> | undefined;

  constructor(rows: readonly ServiceMethod[]) {
    this.#rows = rows;
  }

  answer(bytes: Uint8Array): Uint8Array {
    // A plain object only has the fields that were sent; the message itself would return defaults.
    const request = REQUEST.toObject(REQUEST.decode(bytes)) as ReflectionRequest;
    const base = { valid_host: request.host ?? '', original_request: request };
    return RESPONSE.encode(RESPONSE.create({ ...base, ...this.#respond(request) })).finish();
  }

  #respond(request: ReflectionRequest): Record<string, unknown> {
    this.#files ??= fileDescriptors(addReflection(serviceRoot(this.#rows)));
    const files = this.#files;
    if (request.list_services !== undefined) {
      const names = [...new Set(this.#rows.map(({ service }) => service)), ...REFLECTION_SERVICES];
      return { list_services_response: { service: names.sort().map((name) => ({ name })) } };
    }
    const { file_by_filename: file, file_containing_symbol: symbol } = request;
    if (file === undefined && symbol === undefined) {
      return { error_response: { error_code: UNIMPLEMENTED, error_message: 'there are no extensions' } };
    }
    const name = file ?? files.fileOfSymbol(symbol ?? '');
    const found = name === undefined ? undefined : files.withImports(name);
    if (found !== undefined) return { file_descriptor_response: { file_descriptor_proto: found } };
    const text = `${file === undefined ? 'symbol' : 'file'} not found: ${file ?? symbol}`;
    return { error_response: { error_code: NOT_FOUND, error_message: text } };
  }
}
