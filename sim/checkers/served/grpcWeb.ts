import { fromBase64, toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, concat, EMPTY } from '../../../core/lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { handleGrpcWeb } from '../../../core/rpc/cosmos/grpcWeb.ts';
import { SERVICE_METHODS } from '../../../core/rpc/cosmos/table.ts';
import { textField } from '../../reference/protobuf.ts';
import { bytesOf, comet, fieldsOf, heightsOf, Refused, unlike } from '../questions.ts';

const BINARY = 'application/grpc-web+proto';
const TEXT = 'application/grpc-web-text';
const DATA = 0;
const COMPRESSED = 1;
const TRAILERS = 0x80;
const HEAD_BYTES = 5;
/** gRPC status codes. */
const INVALID = '3';
const NOT_FOUND = '5';
const UNIMPLEMENTED = '12';
const INTERNAL = '13';
const SUPPLY = '/cosmos.bank.v1beta1.Query/TotalSupply';
/** An unknown method whose name cannot be put into a header unescaped. */
const UNSERVED = '/no.such.Service/é%\n';
const ACCOUNT = '/cosmos.auth.v1beta1.Query/Account';

interface Told {
  readonly status: string | undefined;
  readonly words: string | undefined;
  readonly height: string | undefined;
  /** Base64 of the only message; undefined without one. */
  readonly message: string | undefined;
}

/** gRPC-Web answers like ABCI queries, in binary and in base64, and refusals state their reason. */
export async function wrongGrpcWeb(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const height = heightsOf(chain).at(-3) ?? chain.head();
  const heights = chain.view(height) === undefined ? [chain.head()] : [height, chain.head()];
  for (const { grpcPath, path, verb } of SERVICE_METHODS) {
    if (verb !== 'GET' || path.includes('{')) continue;
    for (const at of heights) {
      const truth = await abci(rpc, grpcPath, at);
      if (truth === undefined) continue;
      const problem = await wrongAnswer(rpc, grpcPath, at, truth);
      if (problem !== undefined) return problem;
    }
  }
  return wrongRefusals(rpc);
}

/** The answer of abci_query; undefined if that refuses. */
async function abci(rpc: RpcContext, path: string, height: number): Promise<string | undefined> {
  const answer = fieldsOf(await comet(rpc, 'abci_query', { path, height: String(height) }), 'response');
  return answer['code'] === 0 ? toBase64(bytesOf(answer['value'])) : undefined;
}

async function wrongAnswer(rpc: RpcContext, path: string, at: number, message: string) {
  const wanted: Told = { status: '0', words: undefined, height: String(at), message };
  const body = frame(DATA, EMPTY);
  const text = encodeUtf8(toBase64(body));
  // Base64 may come in pieces, each padded by itself.
  const pieces = encodeUtf8(toBase64(body.subarray(0, 2)) + toBase64(body.subarray(2)));
  for (const [type, sent] of [
    [BINARY, body],
    [TEXT, text],
    [TEXT, pieces],
  ] as const) {
    const told = await asked(rpc, path, sent, { type, height: String(at) });
    const problem = unlike(`${path} at ${at}, asked as ${type}`, told, wanted);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Sends a request and takes the frames of its answer apart. */
async function asked(
  rpc: RpcContext,
  path: string,
  body: Bytes,
  { type = BINARY, height }: { readonly type?: string; readonly height?: string } = {},
): Promise<Told> {
  const answer = await handleGrpcWeb(rpc, { path, contentType: type, height, body });
  const read = type === TEXT ? fromBase64(decodeUtf8(answer.body) ?? '') : undefined;
  const whole = read === undefined ? answer.body : read.ok ? read.value : EMPTY;
  const frames = framesOf(whole);
  const trailer = (name: string): string | undefined =>
    new RegExp(`(?:^|\r\n)${name}:([^\r]*)\r\n`).exec(decodeUtf8(frames.get(TRAILERS) ?? EMPTY) ?? '')?.[1];
  const status = trailer('grpc-status');
  if (status === INTERNAL) throw new Refused(path);
  const words = trailer('grpc-message');
  const message = frames.get(DATA);
  return {
    status,
    words: words === undefined ? undefined : unescaped(words),
    height: answer.headers['x-cosmos-block-height'],
    message: message === undefined ? undefined : toBase64(message),
  };
}

/** A header's text without percent escapes; unchanged if those are invalid. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function frame(kind: number, message: Bytes): Bytes {
  const head = new Uint8Array(HEAD_BYTES);
  head[0] = kind;
  new DataView(head.buffer).setUint32(1, message.length);
  return concat(head, message);
}

/** Frames by kind. None if bytes are left over. */
function framesOf(body: Bytes): ReadonlyMap<number, Bytes> {
  const frames = new Map<number, Bytes>();
  let at = 0;
  while (at + HEAD_BYTES <= body.length) {
    const length = new DataView(body.buffer, body.byteOffset + at).getUint32(1);
    frames.set(body[at] as number, body.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length));
    at += HEAD_BYTES + length;
  }
  return at === body.length ? frames : new Map();
}

/** A refusal has its reason in the trailers, in characters that a header may have. */
async function wrongRefusals(rpc: RpcContext): Promise<string | undefined> {
  const empty = frame(DATA, EMPTY);
  const stranger = textField(1, `0x${'5e'.repeat(20)}`);
  for (const [what, path, body, height, status] of [
    ['what nobody serves', UNSERVED, empty, undefined, UNIMPLEMENTED],
    ['what is no frame', SUPPLY, empty.subarray(1), undefined, INVALID],
    ['a compressed message', SUPPLY, frame(COMPRESSED, EMPTY), undefined, INVALID],
    ['a message and more', SUPPLY, concat(empty, textField(91, 'later')), undefined, INVALID],
    ['half a message', SUPPLY, empty.with(4, 1), undefined, INVALID],
    ['the height after the head', SUPPLY, empty, String(rpc.chain.head() + 1), INVALID],
    ['no height', SUPPLY, empty, 'newest', INVALID],
    ['an account that is not there', ACCOUNT, frame(DATA, stranger), undefined, NOT_FOUND],
  ] as const) {
    const told = await asked(rpc, path, body, height === undefined ? {} : { height });
    const problem = unlike(
      `${what}, asked by a browser,`,
      [told.status, told.message, told.words === undefined],
      [status, undefined, false],
    );
    if (problem !== undefined) return problem;
  }
  const { words } = await asked(rpc, UNSERVED, empty);
  return unlike(`why there is no ${UNSERVED}`, words, `unknown service or method ${UNSERVED}`);
}
