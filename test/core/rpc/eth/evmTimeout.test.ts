import { beforeEach, describe, expect, test } from 'vitest';
import { TimeGuard } from '../../../../core/app/guard.ts';
import { handleRest } from '../../../../core/rpc/cosmos/rest.ts';
import { COIN, testGenesis } from '../../app/support/chain.ts';
import { deploying, LOOP } from '../../app/support/code.ts';
import { signRaw, wallet } from '../../app/support/wallet.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

/** Calls itself twice, again and again, without a jump. */
const TREE = '6000600060006000600030'.concat('5af150').repeat(2).concat('00');
const CODE_AT = `0x${'c0'.repeat(20)}`;
const GAS = '0x2faf080';

let world: RpcWorld;
/** The machine's clock, and how much of it passes from look to look. */
let clock = 0;
let step = 0;
let pauses = 0;
let timeoutMs = 5000;

beforeEach(async () => {
  [clock, step, pauses, timeoutMs] = [0, 1_000_000, 0, 5000];
  const genesis = testGenesis({ accounts: [{ address: wallet(0).address, balance: 10_000n * COIN }] });
  world = await RpcWorld.openOn(genesis, {}, () => {
    const now = (): number => {
      clock += step;
      return clock;
    };
    const pause = (): Promise<void> => {
      pauses++;
      return new Promise((resolve) => setImmediate(resolve));
    };
    return new TimeGuard({ now, pause, timeoutMs });
  });
});

const running = (code: string) =>
  [{ to: CODE_AT, gas: GAS }, 'latest', { [CODE_AT]: { code: `0x${code}` } }] as const;

describe('code that runs longer than the node allows', () => {
  test.each([
    ['a loop', LOOP],
    ['a tree of calls', TREE],
  ])('ends %s of 50 million gas with the error of geth', async (_, code) => {
    for (const method of ['eth_call', 'eth_estimateGas']) {
      const { error } = await world.rpc(method, ...running(code));
      expect(error).toEqual({ code: -32000, message: 'execution aborted (timeout = 5s)' });
    }
  });

  test('ends a simulation and an access list likewise', async () => {
    const [, , stateOverrides] = running(LOOP);
    const call = { to: CODE_AT, gas: '0xf42400' };
    const simulated = await world.rpc('eth_simulateV1', {
      blockStateCalls: [{ stateOverrides, calls: [call] }],
    });
    const listed = await world.rpc('eth_createAccessList', ...running(LOOP));
    for (const { error } of [simulated, listed])
      expect(error).toEqual({ code: -32000, message: 'execution aborted (timeout = 5s)' });
  });

  test('ends an access list whose rounds take too long together', async () => {
    // Jumps a hundred times, for a second or two, and reads the slot that its gas names: another in each round.
    const list = () => world.rpc('eth_createAccessList', ...running('60645b60019003806002575a5400'));
    const message = 'execution aborted (timeout = 5s)';
    expect((await list()).error).toEqual({ code: -32000, message });
    timeoutMs = 60_000;
    expect((await list()).result.accessList).toHaveLength(1);
  });

  test('ends traces in the words of tracers', async () => {
    const raw = await signRaw(world.dev, { nonce: 0, data: deploying(LOOP) });
    const deployed = await world.get('eth_sendRawTransaction', bytesHex(raw));
    await world.commit();
    const looper = (await world.get('eth_getTransactionReceipt', deployed)).contractAddress;
    const spin = await signRaw(world.dev, { nonce: 1, to: looper, gas: 200_000n });
    const hash = await world.get('eth_sendRawTransaction', bytesHex(spin));
    await world.commit();
    // The transaction itself ran to its end: blocks have no clock.
    expect((await world.get('eth_getTransactionReceipt', hash)).gasUsed).toBe('0x30d40');
    const tracer = { tracer: 'callTracer' };
    for (const [method, ...params] of [
      ['debug_traceTransaction', hash, tracer],
      ['debug_traceBlockByNumber', 'latest', tracer],
      ['debug_traceCall', { to: looper, gas: GAS }, 'latest', tracer],
    ] as const) {
      const { error } = await world.rpc(method, ...params);
      expect(error, method).toEqual({ code: -32000, message: 'execution timeout' });
    }
  });

  test('ends roots within a block, which may be of transfers alone', async () => {
    const from = bytesHex(world.dev.address);
    for (let i = 0; i < 6; i++) await world.get('eth_sendTransaction', { from, to: CODE_AT, value: '0x1' });
    await world.commit();
    const { hash } = await world.get('eth_getBlockByNumber', 'latest', false);
    pauses = 0;
    const { error } = await world.rpc('debug_intermediateRoots', hash);
    expect(error).toEqual({ code: -32000, message: 'execution timeout' });
    step = 5_000;
    expect(await world.get('debug_intermediateRoots', hash)).toHaveLength(6);
    expect(pauses).toBeGreaterThanOrEqual(6);
  });

  test('is told to Cosmos clients as a deadline', async () => {
    const raw = await signRaw(world.dev, { nonce: 0, data: deploying(LOOP) });
    const deployed = await world.get('eth_sendRawTransaction', bytesHex(raw));
    await world.commit();
    const looper = (await world.get('eth_getTransactionReceipt', deployed)).contractAddress;
    const args = encodeURIComponent(Buffer.from(JSON.stringify({ to: looper, gas: GAS })).toString('base64'));
    for (const [name, message] of [
      ['eth_call', 'execution aborted (timeout = 5s)'],
      ['estimate_gas', 'execution aborted (timeout = 5s)'],
      ['trace_call', 'execution timeout'],
    ] as const) {
      const request = {
        method: 'GET',
        path: `/chain/evm/v1/${name}`,
        query: `args=${args}`,
        headers: {},
        body: '',
      };
      const { status, body } = await handleRest(world.ctx, request);
      expect([status, JSON.parse(body)], name).toEqual([504, { code: 4, message, details: [] }]);
    }
  });

  test('leaves no trace: the same engine gives right answers afterwards', async () => {
    await world.rpc('eth_call', ...running(LOOP));
    step = 0;
    // 3 + 4, by way of a JUMPDEST.
    expect(await world.get('eth_call', ...running('5b600360040160005260206000f3'))).toBe(
      `0x${'7'.padStart(64, '0')}`,
    );
  });
});

test('a long call lets everything else of the node run in between', async () => {
  step = 1000;
  const order: string[] = [];
  setImmediate(() => order.push('something else'));
  await world.rpc('eth_call', ...running(LOOP));
  order.push('call');
  expect(order).toEqual(['something else', 'call']);
  expect(pauses).toBeGreaterThan(100);
});

test('without a limit code runs until its gas is gone', async () => {
  timeoutMs = 0;
  const call = { to: CODE_AT, gas: '0x186a0' };
  const { error } = await world.rpc('eth_call', call, 'latest', { [CODE_AT]: { code: `0x${LOOP}` } });
  expect(error).toEqual({ code: -32000, message: 'out of gas' });
});

test('a trace has its own time, however long ago another of the same block was', async () => {
  step = 0;
  const from = bytesHex(world.dev.address);
  // Jumps a hundred times.
  const deployed = await world.get('eth_sendTransaction', {
    from,
    data: deploying('60645b600190038060025700'),
  });
  await world.commit();
  const to = (await world.get('eth_getTransactionReceipt', deployed)).contractAddress;
  const call = { from, to, gas: '0x186a0' };
  const hashes = [await world.get('eth_sendTransaction', call), await world.get('eth_sendTransaction', call)];
  await world.commit();
  for (const hash of hashes) {
    expect((await world.get('debug_traceTransaction', hash)).failed).toBe(false);
    clock += 6_000_000;
  }
});
