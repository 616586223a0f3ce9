import { beforeEach, expect, test } from 'vitest';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import type { SubmitResult } from '../../../../core/types/submit.ts';
import { signRaw } from '../../app/support/wallet.ts';
import { bytesHex, type JsonReply, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
let ctx: RpcContext;
/** What was to be called later, by its milliseconds, until it was cancelled. */
let timers: { readonly ms: number; readonly call: () => void }[];
let listeners = 0;
let nonce = 0;

beforeEach(async () => {
  world = await RpcWorld.open();
  [timers, listeners, nonce] = [[], 0, 0];
  const { hub } = world;
  const listen: typeof hub.listen = (listener) => {
    listeners++;
    const end = hub.listen(listener);
    return () => {
      listeners--;
      end();
    };
  };
  ctx = {
    ...world.ctx,
    hub: { listen, publish: (event) => hub.publish(event) } as typeof hub,
    after: (ms, call) => {
      const timer = { ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
});

const nextRaw = async (): Promise<string> =>
  bytesHex(await signRaw(world.dev, { nonce: nonce++, to: world.other.account.address, gas: 21_000n }));
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

async function send(raw: string, ...timeout: readonly unknown[]): Promise<JsonReply> {
  const params = [raw, ...timeout];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransactionSync', params });
  return JSON.parse((await handleEthRequest(ctx, body, 'http')) ?? 'null');
}

test.each([
  [[], 20_000, '20s'],
  [['0x0'], 20_000, '20s'],
  [[0], 20_000, '20s'],
  [['0x1f4'], 500, '500ms'],
  [[60_000], 60_000, '1m0s'],
  [[60_001], 60_000, '1m0s'],
])('with a timeout of %j it waits %i ms, and then says so', async (timeout, ms, text) => {
  const answer = send(await nextRaw(), ...timeout);
  await settled();
  expect([timers.map((timer) => timer.ms), listeners]).toEqual([[ms], 1]);
  const [hash] = (await world.get('eth_pendingTransactions')).map((tx: { hash: string }) => tx.hash);
  // A block without it changes nothing.
  world.hub.publish({ kind: 'note', level: 'info', text: 'nothing' });
  timers[0]?.call();
  expect((await answer).error).toEqual({
    code: 4,
    message: `The transaction was added to the transaction pool but wasn't processed in ${text}`,
    data: hash,
  });
  expect(listeners).toBe(0);
});

test('a block that has it ends the wait', async () => {
  const answer = send(await nextRaw());
  await settled();
  await world.commit();
  expect((await answer).result).toMatchObject({ status: '0x1', blockNumber: '0x1' });
  expect([timers, listeners]).toEqual([[], 0]);
});

test('a refused request frees its place among the waiting ones', async () => {
  const bad = '0x00';
  for (let i = 0; i < 1030; i++) expect((await send(bad)).error?.message).not.toMatch('too many');
  const answer = send(await nextRaw());
  await settled();
  await world.commit();
  expect((await answer).error).toBeUndefined();
});

test('at most 1024 requests wait for their transactions, and an answered one frees its place', async () => {
  const raw = await nextRaw();
  const answers: ((result: SubmitResult) => void)[] = [];
  ctx = { ...ctx, submit: () => new Promise((resolve) => void answers.push(resolve)) };
  const waiting = Array.from({ length: 1024 }, () => send(raw));
  const more = async () => (await send(raw)).error?.message;
  expect(await more()).toBe('too many requests wait for their transactions');
  answers[0]?.({ kind: 'refused', hash: new Uint8Array(32), refusal: { code: 'in-cache' } });
  await waiting[0];
  const last = more();
  await settled();
  expect(answers).toHaveLength(1025);
  for (const answer of answers.slice(1))
    answer({ kind: 'refused', hash: new Uint8Array(32), refusal: { code: 'in-cache' } });
  expect(await last).toBe((await Promise.all(waiting))[1]?.error?.message);
});
