import { QueryAccountRequest, QueryAccountResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { beforeAll, expect, test } from 'vitest';
import { formatAddress } from '../../../../core/address/kinds.ts';
import { AssertionError } from '../../../../core/lib/assert.ts';
import { fromBase64, toBase64 } from '../../../../core/lib/base64.ts';
import { concat } from '../../../../core/lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../../../core/lib/utf8.ts';
import { handleGrpcWeb } from '../../../../core/rpc/cosmos/grpcWeb.ts';
import { RpcWorld } from '../support/rpcWorld.ts';

const accountRequest = (address: string): Uint8Array => QueryAccountRequest.encode({ address }).finish();
let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
  await world.commit();
  await world.commit();
});

const ACCOUNT = '/cosmos.auth.v1beta1.Query/Account';
const BINARY = 'application/grpc-web+proto';

function framed(message: Uint8Array): Uint8Array {
  const head = new Uint8Array(5);
  new DataView(head.buffer).setUint32(1, message.length);
  return concat(head, message);
}

function frames(body: Uint8Array): { readonly kind: number; readonly payload: Uint8Array }[] {
  const out: { readonly kind: number; readonly payload: Uint8Array }[] = [];
  for (let at = 0; at < body.length; ) {
    const length = new DataView(body.buffer, body.byteOffset).getUint32(at + 1);
    out.push({ kind: body[at] as number, payload: body.slice(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return out;
}

const call = (body: Uint8Array, contentType = BINARY, path = ACCOUNT, height?: string) =>
  handleGrpcWeb(world.ctx, { path, contentType, height, body });

async function trailersOf(...args: Parameters<typeof call>): Promise<string | undefined> {
  const [last, ...more] = frames((await call(...args)).body);
  expect([last?.kind, more.length]).toEqual([0x80, 0]);
  return decodeUtf8(last?.payload ?? new Uint8Array());
}

function fromText(body: Uint8Array): Uint8Array {
  const read = fromBase64(decodeUtf8(body) ?? '');
  return read.ok ? read.value : new Uint8Array();
}

const request = () => accountRequest(formatAddress('acc', 'chain', world.dev.address));

test('a call of a browser is answered with a message and trailers', async () => {
  const answer = await call(framed(request()));
  expect(answer.headers).toEqual({ 'content-type': BINARY, 'x-cosmos-block-height': '2' });
  const [message, ended] = frames(answer.body);
  expect(message?.kind).toBe(0);
  const { account } = QueryAccountResponse.decode(message?.payload ?? new Uint8Array());
  expect(account?.typeUrl).toBe('/chain.types.v1.EthAccount');
  expect([ended?.kind, decodeUtf8(ended?.payload ?? new Uint8Array())]).toEqual([0x80, 'grpc-status:0\r\n']);
});

test('grpc-web-text is base64 both ways, also in several padded pieces', async () => {
  const bytes = framed(request());
  const text = encodeUtf8(toBase64(bytes.slice(0, 5)) + toBase64(bytes.slice(5)));
  const answer = await call(text, 'application/grpc-web-text');
  expect(answer.headers['content-type']).toBe('application/grpc-web-text+proto');
  expect(decodeUtf8(answer.body)).toBe(toBase64((await call(bytes)).body));
});

test('an earlier height is asked for with the header', async () => {
  const answer = await call(framed(request()), BINARY, ACCOUNT, '1');
  expect(answer.headers['x-cosmos-block-height']).toBe('1');
  expect(await trailersOf(framed(request()), BINARY, ACCOUNT, '99')).toBe(
    'grpc-status:3\r\ngrpc-message:cannot query with height in the future; please provide a valid height\r\n',
  );
  const newest = await call(framed(request()), BINARY, ACCOUNT, '');
  expect(newest.headers['x-cosmos-block-height']).toBe('2');
  expect(await trailersOf(framed(request()), BINARY, ACCOUNT, '-1')).toBe(
    'grpc-status:3\r\ngrpc-message:invalid height header "-1"\r\n',
  );
});

test('errors are in the trailers', async () => {
  const missing = formatAddress('acc', 'chain', new Uint8Array(20).fill(9));
  expect(await trailersOf(framed(accountRequest(missing)))).toBe(
    `grpc-status:5\r\ngrpc-message:account ${missing} not found\r\n`,
  );
  expect(await trailersOf(framed(accountRequest('ä%')))).toMatch(
    /^grpc-status:3\r\ngrpc-message:[ -~]+\r\n$/,
  );
  expect(await trailersOf(framed(request()), BINARY, '/a.ä%\n/~ C')).toBe(
    'grpc-status:12\r\ngrpc-message:unknown service or method /a.%C3%A4%25%0A/~ C\r\n',
  );
  expect(await trailersOf(framed(request()), BINARY, '/a.B/C')).toBe(
    'grpc-status:12\r\ngrpc-message:unknown service or method /a.B/C\r\n',
  );
});

test('an address is asked for, and one of an account', async () => {
  expect(await trailersOf(framed(new Uint8Array()))).toBe(
    'grpc-status:3\r\ngrpc-message:Address cannot be empty\r\n',
  );
  for (const kind of ['val', 'cons'] as const) {
    const text = formatAddress(kind, 'chain', world.dev.address);
    expect(await trailersOf(framed(accountRequest(text)))).toBe(
      `grpc-status:3\r\ngrpc-message:decoding bech32 failed: ${text} is not an account address\r\n`,
    );
  }
});

test('an unexpected exception is answered as internal error without its message', async () => {
  const { view } = world.chain.reader;
  const chain = Object.assign(Object.create(world.chain.reader), {
    latest: () => {
      throw new TypeError('a secret');
    },
    view,
  });
  const notes = world.notes.length;
  const answer = await handleGrpcWeb(
    { ...world.ctx, chain },
    { path: ACCOUNT, contentType: BINARY, height: undefined, body: framed(request()) },
  );
  const [last] = frames(answer.body);
  expect(decodeUtf8(last?.payload ?? new Uint8Array())).toBe(
    'grpc-status:13\r\ngrpc-message:internal error\r\n',
  );
  expect(world.notes.slice(notes)).toEqual([expect.stringContaining('TypeError: a secret')]);
});

test('a broken invariant passes on to the root, where the process stops', async () => {
  const failing = (error: Error): Promise<unknown> => {
    const latest = () => {
      throw error;
    };
    const chain = Object.assign(Object.create(world.chain.reader), { latest });
    const asked = { path: ACCOUNT, contentType: BINARY, height: undefined, body: framed(request()) };
    return handleGrpcWeb({ ...world.ctx, chain }, asked);
  };
  await expect(failing(new AssertionError('broken'))).rejects.toThrow('broken');
});

test('a body that does not decode as the request is INVALID_ARGUMENT', async () => {
  expect(await trailersOf(framed(Uint8Array.of(0x0a, 0x05, 0x61)))).toMatch(
    /^grpc-status:3\r\ngrpc-message:invalid request: [ -~]+\r\n$/,
  );
});

test('a body that is no single uncompressed frame is refused', async () => {
  const whole = framed(request());
  expect(await trailersOf(concat(whole, Uint8Array.of(1)))).toBe(
    `grpc-status:3\r\ngrpc-message:frame of ${whole.length - 5} bytes in a request body of ${whole.length + 1}\r\n`,
  );
  for (const body of [
    new Uint8Array(),
    whole.slice(0, -1),
    concat(whole, whole),
    concat(Uint8Array.of(1), whole.slice(1)),
  ])
    expect(await trailersOf(body)).toMatch(/^grpc-status:3\r\n/);
  const [last] = frames(
    Uint8Array.from(
      Buffer.from(
        decodeUtf8((await call(encodeUtf8('A'), 'application/grpc-web-text')).body) as string,
        'base64',
      ),
    ),
  );
  expect(decodeUtf8(last?.payload ?? new Uint8Array())).toMatch(/^grpc-status:3\r\n/);
});

test('a grpc-web-text body may consist of many padded pieces', async () => {
  const text = encodeUtf8('AA=='.repeat(200_000));
  const { body } = await call(text, 'application/grpc-web-text');
  expect(decodeUtf8(frames(fromText(body))[0]?.payload ?? new Uint8Array())).toContain('grpc-status:3');
});
