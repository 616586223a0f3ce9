import { RLP } from '@ethereumjs/rlp';
import { type Hex, hexToBytes, keccak256 } from 'viem';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { ETH_METHODS } from '../../../../core/rpc/eth/table.ts';
import { TRACER_NAMES } from '../../../../core/rpc/eth/tracers/table.ts';
import { COIN, testGenesis } from '../../app/support/chain.ts';
import { deploying, LOOP, REVERTER, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { cosmosTx, sendMessage } from '../../app/support/cosmosTx.ts';
import { signRaw } from '../../app/support/wallet.ts';
import { bytesHex, type Loose, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
let store: string;
let nonce = 0;
/** Of one block: a write, a revert, no gas left, a write again, a transfer. */
let sends: string[];
let block: Loose;

const send = async (fields: Record<string, unknown>): Promise<string> => {
  const raw = await signRaw(world.dev, { nonce: nonce++, gas: 100_000n, ...fields });
  return world.get('eth_sendRawTransaction', bytesHex(raw));
};

beforeAll(async () => {
  world = await RpcWorld.open();
  for (const code of [STORE_AND_LOG, REVERTER, LOOP]) await send({ data: deploying(code), gas: 1_000_000n });
  await world.commit();
  const made = (await world.get('eth_getBlockReceipts', 'latest')).map((row: Loose) => row.contractAddress);
  store = made[0];
  sends = [
    await send({ to: store, data: word(5) }),
    await send({ to: made[1] }),
    await send({ to: made[2], gas: 30_000n }),
    await send({ to: store, data: word(6) }),
    await send({ to: bytesHex(world.other.address), value: 3n, gas: 21_000n }),
  ];
  await world.commit();
  block = await world.get('eth_getBlockByNumber', 'latest', true);
});

test('every method that geth or its models have for tracing, raw data and storage is there', () => {
  const served = new Set(ETH_METHODS.map(({ method }) => method));
  const wanted =
    'traceTransaction traceCall traceBlock traceBlockByNumber traceBlockByHash traceBadBlock getRawBlock getRawHeader getRawReceipts getRawTransaction getHeaderRlp getBlockRlp printBlock intermediateRoots storageRangeAt getBadBlocks accountRange dumpBlock preimage getModifiedAccountsByNumber getModifiedAccountsByHash getAccessibleState subscribe';
  for (const name of wanted.split(' ')) expect(served.has(`debug_${name}`), name).toBe(true);
});

describe.each(['', ...TRACER_NAMES])('tracer "%s"', (tracer) => {
  const configs = tracer === 'prestateTracer' ? [{}, { diffMode: true }] : [{}];

  test.each(configs)(
    'says the same of a transaction alone and in its block, however the block is named',
    async (tracerConfig) => {
      const config = {
        ...(tracer === '' ? {} : { tracer }),
        ...(tracer === 'muxTracer'
          ? { tracerConfig: { callTracer: {}, '4byteTracer': {} } }
          : { tracerConfig }),
      };
      const rows = await world.get('debug_traceBlockByNumber', block.number, config);
      expect(rows.map(({ txHash }: Loose) => txHash)).toEqual(sends);
      expect(await world.get('debug_traceBlockByHash', block.hash, config)).toEqual(rows);
      const raw = await world.get('debug_getRawBlock', block.number);
      expect(await world.get('debug_traceBlock', raw, config)).toEqual(rows);
      // Forward, the same one twice, and back.
      for (const i of [0, 1, 2, 3, 4, 4, 1, 3, 3])
        expect(await world.get('debug_traceTransaction', sends[i], config)).toEqual(rows[i].result);
      const call = { from: bytesHex(world.dev.address), to: store, data: word(5) };
      expect(await world.get('debug_traceCall', call, 'latest', config)).toBeDefined();
    },
  );
});

test('tracers leave out what the config says, and show what it asks for', async () => {
  const call = { from: bytesHex(world.dev.address), to: store, data: word(5) };
  const prestate = async (tracerConfig: object): Promise<Loose> =>
    (await world.get('debug_traceCall', call, 'latest', { tracer: 'prestateTracer', tracerConfig }))[store];
  const whole = await prestate({});
  expect(Object.keys(whole)).toEqual(expect.arrayContaining(['balance', 'nonce', 'code', 'storage']));
  const { code, ...codeless } = whole;
  expect(await prestate({ disableCode: true })).toEqual(codeless);
  const { storage, ...bare } = whole;
  expect(await prestate({ disableStorage: true })).toEqual(bare);
  expect(Object.keys(storage)).toEqual([word(0)]);
  expect(code).toMatch(/^0x60/);
  const rows = async (config: object): Promise<Loose[]> =>
    (await world.get('debug_traceCall', call, 'latest', config)).structLogs;
  const has = async (config: object, name: string): Promise<boolean> =>
    (await rows(config)).some((row) => name in row);
  expect([await has({}, 'memory'), await has({ enableMemory: true }, 'memory')]).toEqual([false, true]);
  expect([await has({}, 'stack'), await has({ disableStack: true }, 'stack')]).toEqual([true, false]);
  expect([await has({}, 'storage'), await has({ disableStorage: true }, 'storage')]).toEqual([true, false]);
  // Calls the identity, with nothing.
  const caller = `0x${'c0'.repeat(20)}`;
  const stateOverrides = { [caller]: { code: '0x600060006000600060006004612710f100' } };
  const flat = async (tracerConfig: object): Promise<Loose[]> =>
    world.get('debug_traceCall', { to: caller }, 'latest', {
      tracer: 'flatCallTracer',
      tracerConfig,
      stateOverrides,
    });
  const [only, ...more] = await flat({});
  expect([only.subtraces, more]).toEqual([0, []]);
  const [root, identity] = await flat({ includePrecompiles: true });
  expect([root.subtraces, identity.action.to]).toEqual([1, `0x${'04'.padStart(40, '0')}`]);
});

test('a traced call costs what the transaction of the same content cost', async () => {
  const parent = `0x${(Number(block.number) - 1).toString(16)}`;
  const [tx] = block.transactions;
  const call = { from: tx.from, to: tx.to, data: tx.input, gas: tx.gas };
  const [receipt] = await world.get('eth_getBlockReceipts', block.number);
  const trace = await world.get('debug_traceCall', call, parent, { tracer: 'callTracer' });
  expect(trace.gasUsed).toBe(receipt.gasUsed);
  expect((await world.get('debug_traceCall', call, parent)).gas).toBe(Number(receipt.gasUsed));
});

describe('debug_traceBlock', () => {
  const changed = async (change: (parts: Loose[]) => void): Promise<string> => {
    const parts = RLP.decode(hexToBytes(await world.get('debug_getRawBlock', block.number))) as Loose[];
    change(parts);
    return bytesHex(RLP.encode(parts));
  };

  test('runs a block that never was on its parent', async () => {
    const raw = await changed((parts) => {
      parts[1] = parts[1].slice(0, 2);
      // Its time: another block than the chain's.
      parts[0][11] = hexToBytes(`0x${(Number(block.timestamp) + 60).toString(16)}`);
    });
    const traces = await world.get('debug_traceBlock', raw, { tracer: 'callTracer' });
    expect(traces.map(({ txHash }: Loose) => txHash)).toEqual(sends.slice(0, 2));
    expect(traces.map(({ result }: Loose) => result.error)).toEqual([undefined, 'execution reverted']);
  });

  test('runs it with the time, number and fee recipient of its own block', async () => {
    // COINBASE ‖ TIMESTAMP as a log of nothing else.
    const data = deploying('4160005242602052604060 00a000'.replaceAll(' ', ''));
    const made = await send({ data, gas: 1_000_000n });
    await world.commit();
    const { contractAddress } = await world.get('eth_getTransactionReceipt', made);
    await send({ to: contractAddress });
    await world.commit();
    const parts = RLP.decode(hexToBytes(await world.get('debug_getRawBlock', 'latest'))) as Loose[];
    const { timestamp } = await world.get('eth_getBlockByNumber', 'latest', false);
    const later = BigInt(timestamp) + 60n;
    parts[0][2] = new Uint8Array(20).fill(0xee);
    parts[0][11] = hexToBytes(`0x${later.toString(16)}`);
    const config = { tracer: 'callTracer', tracerConfig: { withLog: true } };
    const [{ result }] = await world.get('debug_traceBlock', bytesHex(RLP.encode(parts)), config);
    expect(result.logs[0].data).toBe(`0x${'ee'.repeat(20).padStart(64, '0')}${word(later).slice(2)}`);
  });

  test('runs a block of the chain as it ran, with what is not in its bytes', async () => {
    const payment = cosmosTx({
      messages: [sendMessage(world.dev.address, world.other.address, 7n)],
      data: { sequence: BigInt(nonce++) },
    });
    expect((await world.ctx.submit(payment)).kind).toBe('checked');
    const hash = await send({ to: store, data: word(8) });
    await world.commit();
    const raw = await world.get('debug_getRawBlock', 'latest');
    const config = { tracer: 'prestateTracer' };
    expect(await world.get('debug_traceBlock', raw, config)).toEqual([
      { txHash: hash, result: await world.get('debug_traceTransaction', hash, config) },
    ]);
  });

  test('refuses bytes that are no block, a block without a parent, and invalid transactions', async () => {
    const fault = async (raw: string) => (await world.rpc('debug_traceBlock', raw)).error?.message;
    expect(await fault('0x')).toMatch(/^could not decode block: /);
    expect(await fault('0xc0')).toBe('could not decode block: no header');
    const orphan = await changed((parts) => {
      parts[0][0] = hexToBytes(word(7));
    });
    expect(await fault(orphan)).toBe(`parent ${word(7)} not found`);
    const gapped = await changed((parts) => {
      parts[0][11] = hexToBytes('0x7fffffff');
      parts[1] = parts[1].slice(1);
    });
    expect(await fault(gapped)).toMatch(/^tracing failed: nonce too high/);
    expect((await world.rpc('debug_traceBadBlock', word(1))).error?.message).toBe(
      `bad block ${word(1)} not found`,
    );
  });

  test('recovers no sender before the parent is found and the block has room', async () => {
    const order: string[] = [];
    const { suite } = world.ctx;
    // Of the one transaction that the crowded blocks repeat.
    let key: Uint8Array | undefined;
    const ctx: RpcContext = {
      ...world.ctx,
      suite: {
        ...suite,
        secp256k1Recover: (...signed) => {
          order.push('recover');
          key ??= suite.secp256k1Recover(...signed);
          return key;
        },
      },
      pause: async () => void order.push('pause'),
    };
    const asked = async (raw: string) => {
      order.length = 0;
      const call = { jsonrpc: '2.0', id: 1, method: 'debug_traceBlock', params: [raw] };
      return JSON.parse((await handleEthRequest(ctx, JSON.stringify(call), 'http')) as string).error?.message;
    };
    const another = (parts: Loose[]): void => {
      parts[0][11] = hexToBytes('0x7fffffff');
      parts[1] = parts[1].slice(0, 2);
    };
    const orphan = await changed((parts) => {
      another(parts);
      parts[0][0] = hexToBytes(word(7));
    });
    expect(await asked(orphan)).toBe(`parent ${word(7)} not found`);
    expect(order).toEqual(['pause', 'pause']);
    const room = Number(ctx.chain.gasLimit() / 21_000n);
    const crowded = (txs: number) =>
      changed((parts) => {
        another(parts);
        parts[1] = new Array(txs).fill(parts[1][0]);
      });
    expect(await asked(await crowded(room + 1))).toBe('tracing failed: gas limit reached');
    expect(order).not.toContain('recover');
    expect(await asked(await crowded(room))).toMatch(/^tracing failed: nonce too low/);
    expect(order.slice(room, room + 4)).toEqual(['recover', 'pause', 'recover', 'pause']);
  });

  test('decodes no more values than a block of the chain has room for', async () => {
    const most = Number(world.ctx.chain.gasLimit() / 21_000n) * 10;
    const filled = (values: number) =>
      changed((parts) => {
        parts[1] = new Array(values).fill(Uint8Array.of(1));
      });
    const fault = async (values: number) =>
      (await world.rpc('debug_traceBlock', await filled(values))).error?.message;
    expect(await fault(most)).toBe('could not decode block: typed transaction too short');
    expect(await fault(most + 1024)).toBe(
      'could not decode block: more values than the gas limit has room for',
    );
  });

  test.each([
    [0, 31, 'rlp: input string too short for common.Hash, decoding into (types.Header) field 0'],
    [2, 19, 'rlp: input string too short for common.Address, decoding into (types.Header) field 2'],
    [2, 21, 'rlp: input string too long for common.Address, decoding into (types.Header) field 2'],
    [6, 255, 'rlp: input string too short for types.Bloom, decoding into (types.Header) field 6'],
    [8, 129, 'rlp: input string too long for uint256, decoding into (types.Header) field 8'],
    [11, 9, 'rlp: input string too long for uint64, decoding into (types.Header) field 11'],
  ])('refuses a header whose field %i has %i bytes', async (field, size, problem) => {
    const raw = await changed((parts) => {
      parts[0][field] = new Uint8Array(size).fill(0xff);
    });
    const { error } = await world.rpc('debug_traceBlock', raw);
    expect(error).toEqual({ code: -32000, message: `could not decode block: ${problem}` });
  });

  test.each([
    ['number', 8],
    ['timestamp', 11],
  ])('refuses a %s that no block of ours can have', async (name, field) => {
    const raw = await changed((parts) => {
      parts[0][field] = new Uint8Array(8).fill(0xff);
    });
    const { error } = await world.rpc('debug_traceBlock', raw);
    expect(error).toEqual({ code: -32000, message: `block ${name} out of range` });
  });
});

test('a log without its topics is no log, and no harm', async () => {
  const emitter = `0x${'c1'.repeat(20)}`;
  const trace = await world.get('debug_traceCall', { to: emitter }, 'latest', {
    tracer: 'callTracer',
    tracerConfig: { withLog: true },
    stateOverrides: { [emitter]: { code: '0x60006000a4' } },
  });
  expect([trace.error, trace.logs]).toEqual(['stack underflow (2 <=> 6)', undefined]);
});

describe('debug_storageRangeAt', () => {
  const slot0 = keccak256(word(0) as Hex);
  const range = (txIndex: number, start = '0x', max = 10, at: unknown = block.hash) =>
    world.get('debug_storageRangeAt', at, txIndex, store, start, max);

  test('shows the storage before a transaction of the block', async () => {
    expect(await range(0)).toEqual({ storage: {}, nextKey: null });
    for (const index of [1, 2, 3])
      expect(await range(index)).toEqual({
        storage: { [slot0]: { key: null, value: word(5) } },
        nextKey: null,
      });
    expect((await range(4, '0x', 10, block.number)).storage[slot0].value).toBe(word(6));
  });

  test('continues where a page ended', async () => {
    // Sets slots 1 to 5 to their numbers.
    const code = [1, 2, 3, 4, 5].map((i) => `600${i}600${i}55`).join('');
    const sent = await send({ data: `0x${code}600160005360016000f3`, gas: 1_000_000n });
    await send({ to: bytesHex(world.other.address), gas: 21_000n });
    await world.commit();
    const { contractAddress: made, blockHash } = await world.get('eth_getTransactionReceipt', sent);
    const found: Record<string, string> = {};
    let start = '0x';
    let pages = 0;
    for (; pages < 5; pages++) {
      const page = await world.get('debug_storageRangeAt', blockHash, 1, made, start, 2);
      for (const [key, { value }] of Object.entries<Loose>(page.storage)) found[key] = value;
      if (page.nextKey === null) break;
      start = page.nextKey;
    }
    expect(pages).toBe(2);
    const expected = [1, 2, 3, 4, 5].map((i) => [keccak256(word(i) as Hex), word(i)]);
    expect(found).toEqual(Object.fromEntries(expected));
  });

  test('refuses an index that the block does not have', async () => {
    const { error } = await world.rpc('debug_storageRangeAt', block.hash, 9, store, '0x', 1);
    expect(error?.message).toBe(`transaction index 9 out of range for block ${block.hash}`);
  });
});

test("debug_intermediateRoots ends with the block's own root, and changes with each transaction", async () => {
  const roots = await world.get('debug_intermediateRoots', block.hash);
  expect(roots).toHaveLength(sends.length);
  expect(new Set(roots).size).toBe(sends.length);
  expect(roots.at(-1)).toBe(block.stateRoot);
  for (const [i, root] of roots.entries()) {
    const state = await world.ctx.evm.stateWithin(Number(block.number), i + 1);
    expect(bytesHex(state?.stateRoot ?? new Uint8Array())).toBe(root);
  }
});

test('a root within a block costs what its transaction wrote, however many came before', async () => {
  const keccak = vi.spyOn(nobleSuite, 'keccak256');
  const counts: number[] = [];
  const look = (): undefined => {
    counts.push(keccak.mock.calls.length);
    keccak.mockClear();
    return undefined;
  };
  const accounts = [{ address: world.dev.address, balance: 100n * COIN }];
  const crowd = await RpcWorld.openOn(testGenesis({ accounts }), {}, () => ({ tick: () => undefined, look }));
  for (let i = 1; i <= 50; i++) {
    const to = `0xdd${i.toString(16).padStart(38, '0')}`;
    await crowd.get('eth_sendTransaction', { from: bytesHex(world.dev.address), to, value: '0x1' });
  }
  await crowd.commit();
  const { hash } = await crowd.get('eth_getBlockByNumber', 'latest', false);
  expect(await crowd.get('debug_intermediateRoots', hash)).toHaveLength(50);
  keccak.mockRestore();
  // Some twenty nodes and addresses of each; the first count is of everything before as well.
  expect(counts).toHaveLength(50);
  expect(Math.max(...counts.slice(1))).toBeLessThan(40);
});

test("the models' raw blocks are those of geth, by number in any form", async () => {
  const number = Number(block.number);
  for (const form of [number, block.number, String(number)]) {
    expect(await world.get('debug_getHeaderRlp', form)).toBe(
      await world.get('debug_getRawHeader', block.number),
    );
    expect(await world.get('debug_getBlockRlp', form)).toBe(
      await world.get('debug_getRawBlock', block.number),
    );
  }
  expect(JSON.parse(await world.get('debug_printBlock', number)).hash).toBe(block.hash);
  expect((await world.rpc('debug_printBlock', 99)).error?.message).toBe('block #99 not found');
});
