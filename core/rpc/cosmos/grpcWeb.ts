/** gRPC-Web for browsers: frames in an HTTP/1.1 body (github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md). */
import { fromBase64, toBase64 } from '../../lib/base64.ts';
import { type Bytes, concat, EMPTY, joined } from '../../lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../lib/utf8.ts';
import type { RpcContext } from '../context.ts';
import { reportCrash } from '../crash.ts';
import { heightOf } from './heightHeader.ts';
import { scopeAt } from './scope.ts';
import { GRPC, type GrpcCode, GrpcError } from './status.ts';
import { findByGrpcPath } from './table.ts';

export interface GrpcWebRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly contentType: string;
  /** Header `x-cosmos-block-height`. */
  readonly height: string | undefined;
  readonly body: Bytes;
}

/** The HTTP status is always 200. The gRPC status is in the trailers, which are the last frame. */
export interface GrpcWebAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Bytes;
}

const HEADER_BYTES = 5;
const TRAILERS = 0x80;

export const isGrpcWeb = (contentType: string | undefined): boolean =>
  contentType?.startsWith('application/grpc-web') ?? false;

function frame(kind: number, payload: Bytes): Bytes {
  const head = new Uint8Array(HEADER_BYTES);
  head[0] = kind;
  new DataView(head.buffer).setUint32(1, payload.length);
  return concat(head, payload);
}

const refuse = (message: string): never => {
  throw new GrpcError(GRPC.invalidArgument, message);
};

/** Base64. A client may send several padded pieces one after another. */
function ofText(body: Bytes): Bytes {
  const pieces = (decodeUtf8(body) ?? '').match(/[^=]+={0,2}/g) ?? [];
  return joined(
    pieces.map((piece) => {
      const read = fromBase64(piece);
      return read.ok ? read.value : refuse(`request body: ${read.error.message}`);
    }),
  );
}

/** The single message of a unary request. */
function messageOf(body: Bytes): Bytes {
  if (body.length < HEADER_BYTES) refuse(`request body of ${body.length} bytes holds no frame`);
  if (body[0] !== 0) refuse(`frame of kind ${body[0]}, an uncompressed message was expected`);
  const length = new DataView(body.buffer, body.byteOffset).getUint32(1);
  if (body.length !== HEADER_BYTES + length)
    refuse(`frame of ${length} bytes in a request body of ${body.length}`);
  return body.subarray(HEADER_BYTES);
}

/** gRPC's percent-encoding of status messages: each byte that is not printable ASCII, and the percent sign. */
const percentEncoded = (text: string): string =>
  Array.from(encodeUtf8(text), (byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');

const trailers = (code: GrpcCode, message: string): Bytes =>
  frame(
    TRAILERS,
    encodeUtf8(
      `grpc-status:${code}\r\n${message === '' ? '' : `grpc-message:${percentEncoded(message)}\r\n`}`,
    ),
  );

async function answered(ctx: RpcContext, request: GrpcWebRequest, isText: boolean): Promise<Answered> {
  const row = findByGrpcPath(request.path);
  if (row === undefined) throw new GrpcError(GRPC.unimplemented, `unknown service or method ${request.path}`);
  const message = messageOf(isText ? ofText(request.body) : request.body);
  const scope = scopeAt(ctx, heightOf(request.height));
  return { message: await row.proto(scope, message), height: scope.view.height };
}

interface Answered {
  readonly message: Bytes;
  readonly height: number;
}

/** Handles one unary call. */
export async function handleGrpcWeb(ctx: RpcContext, request: GrpcWebRequest): Promise<GrpcWebAnswer> {
  const isText = request.contentType.startsWith('application/grpc-web-text');
  const reply = (data: Bytes, ended: Bytes, more: Record<string, string>): GrpcWebAnswer => ({
    headers: {
      'content-type': isText ? 'application/grpc-web-text+proto' : 'application/grpc-web+proto',
      ...more,
    },
    body: isText ? encodeUtf8(toBase64(concat(data, ended))) : concat(data, ended),
  });
  try {
    const { message, height } = await answered(ctx, request, isText);
    return reply(frame(0, message), trailers(GRPC.ok, ''), { 'x-cosmos-block-height': String(height) });
  } catch (failure) {
    if (failure instanceof GrpcError) return reply(EMPTY, trailers(failure.code, failure.message), {});
    reportCrash(ctx, request.path, failure);
    return reply(EMPTY, trailers(GRPC.internal, 'internal error'), {});
  }
}
