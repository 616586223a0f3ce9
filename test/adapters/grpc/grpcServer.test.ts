import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { GrpcLimits } from '../../../adapters/grpc/grpcConnections.ts';
import { startGrpcServer } from '../../../adapters/grpc/grpcServer.ts';
import { Reflection } from '../../../adapters/grpc/reflection.ts';
import { optional, string } from '../../../core/codec/fields.ts';
import { encode, table } from '../../../core/codec/proto.ts';
import { SERVICE_METHODS } from '../../../core/rpc/cosmos/table.ts';
import { RpcWorld } from '../../core/rpc/support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
});

async function started(limits: Partial<GrpcLimits> = {}): Promise<string> {
  const server = await startGrpcServer(world.ctx, {
    listen: { host: '127.0.0.1', port: 0 },
    messageBytesMax: 1_000_000,
    limits,
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => server.close());
  return `http://${server.label}`;
}

async function session(url: string, initialWindowSize = 65_535): Promise<ClientHttp2Session> {
  const made = connect(url, { settings: { initialWindowSize } });
  made.on('error', () => {});
  onTestFinished(() => made.destroy());
  await once(made, 'connect');
  return made;
}

function call(from: ClientHttp2Session, path: string, more: Record<string, string> = {}): ClientHttp2Stream {
  const stream = from.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    ...more,
  });
  stream.on('error', () => {});
  return stream;
}

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

const ENCODE = '/cosmos.tx.v1beta1.Service/TxEncode';
const BODY = table<{ readonly memo: string }>('Body', [string(2, 'memo', 100_000)]);
const TX = table<{ readonly body: { readonly memo: string } | undefined }>('Tx', [optional(1, 'body', BODY)]);
const REQUEST = table<{ readonly tx: { readonly body: { readonly memo: string } } | undefined }>('Request', [
  optional(1, 'tx', TX as never),
]);
/** Answered with as many bytes. */
const LONG = framed(encode(REQUEST, { tx: { body: { memo: 'm'.repeat(50_000) } } }));

async function answerOf(stream: ClientHttp2Stream): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += (chunk as Buffer).length;
  return bytes;
}

test('of clients that leave too many answers unread the one is cut that leaves most', async () => {
  const url = await started({ unreadBytesMax: 200_000 });
  const reader = await session(url);
  const read = async () => {
    const stream = call(reader, ENCODE);
    stream.end(LONG);
    expect(await answerOf(stream)).toBeGreaterThan(50_000);
  };
  for (let i = 0; i < 8; i++) await read();
  const [modest, greedy] = [await session(url, 0), await session(url, 0)];
  // Who is cut hears of it as an error first, on some hosts.
  const cut = new Promise((resolve) => greedy.once('close', resolve));
  call(modest, ENCODE).end(LONG);
  for (let i = 0; i < 4; i++) call(greedy, ENCODE).end(LONG);
  await cut;
  for (let i = 0; i < 8; i++) await read();
  expect(modest.destroyed).toBe(false);
});

test('a client that asks on and reads nothing is answered no further', async () => {
  const answers = vi.spyOn(Reflection.prototype, 'answer');
  onTestFinished(() => answers.mockRestore());
  const deaf = await session(await started(), 0);
  const stream = call(deaf, '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo');
  const list = framed(Uint8Array.of(0x3a, 1, 0x2a));
  stream.write(Buffer.concat(new Array(5000).fill(list)));
  await vi.waitUntil(() => answers.mock.calls.length > 0, 60_000);
  for (let i = 0; i < 100; i++) await new Promise((resolve) => deaf.ping(resolve));
  expect(answers.mock.calls.length).toBeLessThan(100);
});

test('reflection answers many requests of one stream in order', async () => {
  const stream = call(
    await session(await started()),
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  );
  const list = framed(Uint8Array.of(0x3a, 1, 0x2a));
  stream.end(Buffer.concat(new Array(500).fill(list)));
  const one = new Reflection(SERVICE_METHODS).answer(Uint8Array.of(0x3a, 1, 0x2a));
  expect(await answerOf(stream)).toBe(500 * (one.length + 5));
});

test('at most connectionsMax clients connect, and a closed connection makes room', async () => {
  const url = await started({ connectionsMax: 2 });
  const [first] = [await session(url), await session(url)];
  const third = connect(url);
  third.on('error', () => {});
  await once(third, 'close');
  first.close();
  await once(first, 'close');
  const bytes = await vi.waitFor(async () => {
    const stream = call(await session(url), ENCODE);
    stream.end(LONG);
    return await answerOf(stream);
  }, 60_000);
  expect(bytes).toBeGreaterThan(50_000);
});

test('if the requests of all clients hold too many bytes, the client that holds most is disconnected', async () => {
  const url = await started({ requestBytesMax: 200_000 });
  const [modest, greedy] = [await session(url), await session(url)];
  const cut = new Promise((resolve) => greedy.once('close', resolve));
  const half = call(modest, ENCODE);
  half.write(LONG.subarray(0, 40_000));
  for (let i = 0; i < 5; i++) call(greedy, ENCODE).write(LONG.subarray(0, 40_000));
  await cut;
  half.end(LONG.subarray(40_000));
  expect(await answerOf(half)).toBeGreaterThan(50_000);
  // What is small on the wire may be large when it is unpacked.
  const packer = await session(url, 0);
  const packed = gzipSync(LONG.subarray(5));
  const isCut = new Promise((resolve) => packer.once('close', resolve));
  for (let i = 0; i < 5; i++) {
    const head = Buffer.from([1, 0, 0, 0, 0]);
    head.writeUInt32BE(packed.length, 1);
    call(packer, ENCODE, { 'grpc-encoding': 'gzip' }).end(Buffer.concat([head, packed]));
  }
  await isCut;
  // A call that has ended holds nothing any more.
  for (let i = 0; i < 8; i++) {
    const stream = call(modest, ENCODE);
    stream.end(LONG);
    expect(await answerOf(stream)).toBeGreaterThan(50_000);
  }
});

test('a request that does not arrive in time is refused, but reflection may be asked now and then', async () => {
  const client = await session(await started({ requestTimeoutMs: 1 }));
  const open = call(client, '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo');
  const late = call(client, ENCODE);
  late.write(LONG.subarray(0, 100));
  const [headers] = (await once(late, 'response')) as [IncomingHttpHeaders];
  expect(headers['grpc-status']).toBe('4');
  // The rest of a request that was refused is not waited for.
  await once(late, 'close');
  open.end(framed(Uint8Array.of(0x3a, 1, 0x2a)));
  expect(await answerOf(open)).toBeGreaterThan(5);
});
