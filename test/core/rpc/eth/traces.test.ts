import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploying, LOOP, REVERTER, STORE_AND_LOG, TOPIC, word } from '../../app/support/code.ts';
import { signRaw } from '../../app/support/wallet.ts';
import { bytesHex, type Loose, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
let anvil: ChildProcess;
let url: string;
let nonce = 0;

/** Calls the first calldata word's address with value 1 and the second word as input, then reads slot 0. */
const CALLER = `602060005260203560005260006000602060006001600035${'5a'}f1506000545000`;

const other = async (method: string, params: readonly unknown[] = []): Promise<Loose> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  const reply = (await response.json()) as { result?: Loose; error?: { message: string } };
  if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
  return reply.result;
};

/** The same transaction on both chains, each in a block of its own. */
async function sendBoth(fields: Record<string, unknown>): Promise<string> {
  const raw = bytesHex(await signRaw(world.dev, { nonce: nonce++, ...fields }));
  const hash = await world.get('eth_sendRawTransaction', raw);
  await world.commit();
  await other('eth_sendRawTransaction', [raw]);
  return hash;
}

const deployBoth = async (code: string): Promise<string> => {
  const hash = await sendBoth({ data: deploying(code), gas: 1_000_000n });
  return (await world.get('eth_getTransactionReceipt', hash)).contractAddress;
};

let emitter: string;
let reverter: string;
let looper: string;
let caller: string;
const hashes: Record<string, string> = {};

beforeAll(async () => {
  world = await RpcWorld.open();
  const flags = ['--port', '0', '--chain-id', '9000', '--hardfork', 'osaka', '--gas-limit', '40000000'];
  anvil = spawn(process.execPath, ['node_modules/@foundry-rs/anvil/bin.mjs', ...flags, '--steps-tracing']);
  url = await new Promise((resolve, reject) => {
    let text = '';
    anvil.once('exit', () => reject(new Error(`anvil ended: ${text}`)));
    anvil.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const match = /Listening on (\S+)/.exec(text);
      if (match !== null) resolve(`http://${match[1]}`);
    });
  });
  emitter = await deployBoth(STORE_AND_LOG);
  reverter = await deployBoth(REVERTER);
  looper = await deployBoth(LOOP);
  caller = await deployBoth(CALLER);
  const input = (target: string): string => `0x${target.slice(2).padStart(64, '0')}${word(9).slice(2)}`;
  hashes.log = await sendBoth({ to: emitter, data: word(5) });
  hashes.revert = await sendBoth({ to: reverter });
  hashes.outOfGas = await sendBoth({ to: looper, gas: 30_000n });
  hashes.nested = await sendBoth({ to: caller, data: input(emitter), value: 10n, gas: 300_000n });
  hashes.nestedRevert = await sendBoth({ to: caller, data: input(reverter), value: 10n, gas: 300_000n });
  hashes.create = await sendBoth({ data: deploying(STORE_AND_LOG), gas: 300_000n });
  hashes.transfer = await sendBoth({ to: bytesHex(world.other.address), value: 3n, gas: 21_000n });
});

afterAll(() => {
  anvil.removeAllListeners('exit');
  anvil.kill();
});

const names = ['log', 'revert', 'outOfGas', 'nested', 'nestedRevert', 'create', 'transfer'];

describe.each(names)('the trace of a transaction: %s', (name) => {
  test('has the same instructions, gas, costs and stacks as another implementation', async () => {
    const ours = await world.get('debug_traceTransaction', hashes[name]);
    const theirs = await other('debug_traceTransaction', [hashes[name]]);
    expect(ours.structLogs.length).toBe(theirs.structLogs.length);
    for (const [i, row] of ours.structLogs.entries()) {
      const { pc, op, gas, depth, stack } = theirs.structLogs[i];
      // geth tells the cost of an instruction that cannot be paid, anvil zero.
      const gasCost = row.gasCost > row.gas ? row.gasCost : theirs.structLogs[i].gasCost;
      expect({ pc: row.pc, op: row.op, gas: row.gas, gasCost: row.gasCost, depth: row.depth }).toEqual({
        pc,
        op,
        gas,
        gasCost,
        depth,
      });
      expect(row.stack).toEqual(stack);
    }
    expect(ours).toMatchObject({ gas: theirs.gas, failed: theirs.failed });
  });

  test('has the gas and the status of the receipt', async () => {
    const trace = await world.get('debug_traceTransaction', hashes[name]);
    const call = await world.get('debug_traceTransaction', hashes[name], { tracer: 'callTracer' });
    const receipt = await world.get('eth_getTransactionReceipt', hashes[name]);
    expect(trace.gas).toBe(Number(receipt.gasUsed));
    expect(trace.failed).toBe(receipt.status === '0x0');
    expect(call.gasUsed).toBe(receipt.gasUsed);
    expect(call.error !== undefined).toBe(receipt.status === '0x0');
  });

  test('has the same tree of calls as another implementation', async () => {
    const config = { tracer: 'callTracer', tracerConfig: { withLog: true } };
    // geth tells the transaction's gas limit at the top, anvil what is left of it after the intrinsic gas.
    const plain = (node: Loose, isTop = true): Loose => ({
      type: node.type,
      from: node.from,
      to: node.error === undefined ? node.to : undefined,
      value: node.value,
      gas: isTop ? undefined : node.gas,
      gasUsed: node.gasUsed,
      input: node.input,
      output: node.output ?? '0x',
      failed: node.error !== undefined,
      logs: (node.logs ?? []).map(({ address, topics, data }: Loose) => ({ address, topics, data })),
      calls: (node.calls ?? []).map((call: Loose) => plain(call, false)),
    });
    const ours = await world.get('debug_traceTransaction', hashes[name], config);
    expect(plain(ours)).toEqual(plain(await other('debug_traceTransaction', [hashes[name], config])));
  });

  test('changed the state that it says it changed', async () => {
    const config = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
    const ours = await world.get('debug_traceTransaction', hashes[name], config);
    const { blockNumber } = await world.get('eth_getTransactionReceipt', hashes[name]);
    for (const [address, after] of Object.entries<Loose>(ours.post)) {
      if (after.balance !== undefined)
        expect(await world.get('eth_getBalance', address, blockNumber)).toBe(after.balance);
      for (const [slot, value] of Object.entries<Loose>(after.storage ?? {}))
        expect(await world.get('eth_getStorageAt', address, slot, blockNumber)).toBe(value);
    }
    const parent = `0x${(Number(blockNumber) - 1).toString(16)}`;
    const before = await world.get('debug_traceTransaction', hashes[name], { tracer: 'prestateTracer' });
    expect(before).toHaveProperty(bytesHex(world.dev.address));
    for (const [address, account] of Object.entries<Loose>(before))
      expect(await world.get('eth_getBalance', address, parent)).toBe(account.balance);
  });
});

test('a block with failed transactions has a trace of each, in order', async () => {
  const sends: string[] = [];
  for (const fields of [{ to: reverter }, { to: looper, gas: 30_000n }, { to: emitter, data: word(6) }]) {
    const raw = await signRaw(world.dev, { nonce: nonce++, ...fields });
    sends.push(await world.get('eth_sendRawTransaction', bytesHex(raw)));
  }
  await world.commit();
  const traces = await world.get('debug_traceBlockByNumber', 'latest', { tracer: 'callTracer' });
  expect(traces.map(({ txHash }: Loose) => txHash)).toEqual(sends);
  expect(traces.map(({ result }: Loose) => result.error)).toEqual([
    'execution reverted',
    'out of gas',
    undefined,
  ]);
  const { hash } = await world.get('eth_getBlockByNumber', 'latest', false);
  expect(await world.get('debug_traceBlockByHash', hash, { tracer: 'callTracer' })).toEqual(traces);
});

test('flat, selector, mux and noop tracers agree with the call tree', async () => {
  const trace = (config: unknown): Promise<Loose> =>
    world.get('debug_traceTransaction', hashes.nested, config);
  const flat = await trace({ tracer: 'flatCallTracer' });
  expect(flat).toMatchObject([
    { type: 'call', subtraces: 1, traceAddress: [], transactionHash: hashes.nested, transactionPosition: 0 },
    {
      type: 'call',
      subtraces: 0,
      traceAddress: [0],
      action: { callType: 'call', from: caller, to: emitter },
    },
  ]);
  expect(await trace({ tracer: '4byteTracer' })).toEqual({
    [`0x${'0'.repeat(8)}-60`]: 1,
    [`0x${'0'.repeat(8)}-28`]: 1,
  });
  const both = await trace({ tracer: 'muxTracer', tracerConfig: { callTracer: {}, noopTracer: {} } });
  expect(both).toEqual({ callTracer: await trace({ tracer: 'callTracer' }), noopTracer: {} });
});

test('several tracers at once give the same results as each alone', async () => {
  const trace = (config: unknown): Promise<Loose> =>
    world.get('debug_traceTransaction', hashes.nested, config);
  const configs = {
    prestateTracer: { diffMode: true },
    callTracer: { withLog: true },
    flatCallTracer: { includePrecompiles: true },
    '4byteTracer': {},
  };
  const alone = Object.entries(configs).map(
    async ([tracer, tracerConfig]) => [tracer, await trace({ tracer, tracerConfig })] as const,
  );
  expect(await trace({ tracer: 'muxTracer', tracerConfig: configs })).toEqual(
    Object.fromEntries(await Promise.all(alone)),
  );
});

test('a mux holds up to sixteen tracers, and not itself', async () => {
  const refusal = async (tracerConfig: unknown) =>
    (await world.rpc('debug_traceTransaction', hashes.nested, { tracer: 'muxTracer', tracerConfig })).error;
  expect(await refusal({ callTracer: {}, muxTracer: { callTracer: {} } })).toEqual({
    code: -32000,
    message: 'muxTracer cannot hold itself',
  });
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`tracer${i}`, {}]));
  expect((await refusal(many(17)))?.message).toBe('more than 16 tracers');
  expect((await refusal(many(16)))?.message).toMatch(/^unknown tracer "tracer0": one of callTracer, /);
});

test('what reverts keeps its flat result, which says why; what fails otherwise has none', async () => {
  const ask = async (call: Loose): Promise<Loose> =>
    (await world.get('debug_traceCall', call, 'latest', { tracer: 'flatCallTracer' }))[0];
  const creation = await ask({ data: '0x602a60005260206000fd' });
  expect([creation.error, Object.keys(creation.result)]).toEqual(['execution reverted', ['code', 'gasUsed']]);
  expect(BigInt(creation.result.code)).toBe(42n);
  expect(await ask({ to: reverter })).toMatchObject({
    error: 'execution reverted',
    result: { gasUsed: expect.stringMatching(/^0x/) },
  });
  expect(await ask({ to: looper, gas: '0x7530' })).not.toHaveProperty('result');
});

test('accounts with code have its hash before, and after where it changes', async () => {
  const hashOf = async (address: string): Promise<string> =>
    (await world.get('eth_getProof', address, [], 'latest')).codeHash;
  const before = await world.get('debug_traceTransaction', hashes.log, { tracer: 'prestateTracer' });
  expect(before[emitter].codeHash).toBe(await hashOf(emitter));
  expect(before[bytesHex(world.dev.address)]).not.toHaveProperty('codeHash');
  const raw = await signRaw(world.dev, { nonce: nonce++, data: deploying(STORE_AND_LOG), gas: 1_000_000n });
  const hash = await world.get('eth_sendRawTransaction', bytesHex(raw));
  await world.commit();
  const { contractAddress } = await world.get('eth_getTransactionReceipt', hash);
  const config = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
  const { post } = await world.get('debug_traceTransaction', hash, config);
  expect(post[contractAddress].codeHash).toBe(await hashOf(emitter));
});

test('a trace that is cut has the rows of the whole one until they take more bytes than that', async () => {
  const whole = await world.get('debug_traceTransaction', hashes.nested);
  const sizes = whole.structLogs.map((row: Loose) => JSON.stringify(row).length);
  const three = sizes.slice(0, 3).reduce((sum: number, size: number) => sum + size);
  for (const [limit, count] of [
    [three - 1, 3],
    [three, 4],
    [1, 1],
  ] as const) {
    const cut = await world.get('debug_traceTransaction', hashes.nested, { limit });
    expect(cut.structLogs).toEqual(whole.structLogs.slice(0, count));
  }
});

describe('the state before an execution', () => {
  const NEW = `0x${'e0'.repeat(20)}`;
  const delegated = {
    [NEW]: { code: `0xef0100${'00'.repeat(19)}ee` },
    [`0x${'00'.repeat(19)}ee`]: { code: '0x00' },
  };
  const heldBefore = async (to: string, config: object): Promise<string[]> =>
    Object.keys(
      await world.get('debug_traceCall', { from: bytesHex(world.dev.address), to }, 'latest', {
        tracer: 'prestateTracer',
        ...config,
      }),
    );

  test('has whose code a delegated account runs, of the transaction and of calls in it', async () => {
    expect(await heldBefore(NEW, { stateOverrides: delegated })).toContain(`0x${'00'.repeat(19)}ee`);
    const code = `0x5f5f5f5f5f73${NEW.slice(2)}5af100`;
    const stateOverrides = { ...delegated, [emitter]: { code } };
    expect(await heldBefore(emitter, { stateOverrides })).toContain(`0x${'00'.repeat(19)}ee`);
  });

  test('leaves out accounts that did not exist, unless includeEmpty is set', async () => {
    expect(await heldBefore(NEW, {})).not.toContain(NEW);
    expect(await heldBefore(NEW, { tracerConfig: { includeEmpty: true } })).toContain(NEW);
    const both = { tracer: 'prestateTracer', tracerConfig: { includeEmpty: true, diffMode: true } };
    expect((await world.rpc('debug_traceCall', { to: NEW }, 'latest', both)).error).toEqual({
      code: -32000,
      message: 'cannot use diffMode with includeEmpty',
    });
  });
});

test('a log has its number in the block, whatever came before it and whatever else is shown', async () => {
  // Logs, calls the emitter twice, the second time with too little gas, and logs again.
  const call = `5f5f60205f5f73${emitter.slice(2)}`;
  const code = `5f5fa0${call}5af150${call}610400f1505f5fa000`;
  const raws = [
    await signRaw(world.dev, { nonce: nonce++, to: emitter, data: word(7) }),
    await signRaw(world.dev, { nonce: nonce++, data: `0x${code}`, gas: 300_000n }),
  ];
  for (const raw of raws) await world.get('eth_sendRawTransaction', bytesHex(raw));
  await world.commit();
  const receipts = await world.get('eth_getBlockReceipts', 'latest');
  const config = { tracer: 'callTracer', tracerConfig: { withLog: true } };
  const indexes = ({ logs = [], calls = [] }: Loose): string[] => [
    ...logs.map(({ index }: Loose) => index),
    ...calls.flatMap(indexes),
  ];
  const told = (receipt: Loose): string[] => receipt.logs.map(({ logIndex }: Loose) => logIndex);
  expect(told(receipts[1])).toEqual(['0x1', '0x2', '0x3']);
  const rlp = await world.get('debug_getRawBlock', 'latest');
  const ways = [
    await world.get('debug_traceBlockByNumber', 'latest', config),
    await world.get('debug_traceBlock', rlp, config),
    await Promise.all(
      receipts.map(async ({ transactionHash }: Loose) => ({
        result: await world.get('debug_traceTransaction', transactionHash, config),
      })),
    ),
  ];
  for (const traces of ways)
    for (const [i, { result }] of traces.entries()) expect(indexes(result).sort()).toEqual(told(receipts[i]));
  const top = { tracer: 'callTracer', tracerConfig: { withLog: true, onlyTopCall: true } };
  const first = await world.get('debug_traceTransaction', receipts[1].transactionHash, top);
  expect(indexes(first)).toEqual(['0x1', '0x3']);
});

test('a call without a gas price sees base fee 0 even with a base fee override', async () => {
  const pretended = [{ [emitter]: { code: '0x485f5260205ff3' } }, { baseFeePerGas: '0x7' }];
  const ask = (fees: object) => world.get('eth_call', { to: emitter, ...fees }, 'latest', ...pretended);
  expect(await ask({})).toBe(word(0));
  expect(await ask({ from: bytesHex(world.dev.address), gas: '0x30000', gasPrice: '0x9' })).toBe(word(7));
});

test('a flat trace of a call that is in no block says so', async () => {
  const [row] = await world.get('debug_traceCall', { to: emitter }, 'latest', { tracer: 'flatCallTracer' });
  expect(row).toMatchObject({
    blockHash: null,
    blockNumber: 0,
    transactionHash: null,
    transactionPosition: 0,
  });
});

test.each([
  [
    'callTracer',
    { onlyTopCall: 'yes' },
    'json: cannot unmarshal string into Go struct field callTracerConfig.onlyTopCall of type bool',
  ],
  ['prestateTracer', 5, 'json: cannot unmarshal number into Go value of type native.PrestateTracerConfig'],
  [
    'muxTracer',
    { flatCallTracer: { convertParityErrors: 1 } },
    'json: cannot unmarshal number into Go struct field flatCallTracerConfig.convertParityErrors of type bool',
  ],
  ['muxTracer', [], 'json: cannot unmarshal array into Go value of type map[string]json.RawMessage'],
])('%s: a configuration that does not fit is refused: %j', async (tracer, tracerConfig, message) => {
  const asked = world.rpc('debug_traceTransaction', hashes.log, { tracer, tracerConfig });
  expect((await asked).error).toEqual({ code: -32000, message });
});

test('keccak256PreimageTracer lists each preimage once, and none of a KECCAK256 that ran out of gas', async () => {
  const stateOverrides = { [emitter]: { code: '0x602a5f5260205f2060205f205f5f2062ffffff5f20' } };
  const config = { tracer: 'keccak256PreimageTracer', stateOverrides };
  expect(await world.get('debug_traceCall', { to: emitter, gas: '0x30000' }, 'latest', config)).toEqual({
    [await world.get('web3_sha3', word(42))]: word(42),
    [await world.get('web3_sha3', '0x')]: '0x',
  });
});

test('the timeout of a trace must be a Go duration', async () => {
  const fault = async (timeout: string) =>
    (await world.rpc('debug_traceTransaction', hashes.log, { timeout })).error?.message;
  for (const timeout of ['5s', '1h2m3.5s', '-.5ms', '0', '+1µs'])
    expect(await fault(timeout)).toBeUndefined();
  expect(await fault('x')).toBe('time: invalid duration "x"');
  expect(await fault('')).toBe('time: invalid duration ""');
  expect(await fault('5')).toBe('time: missing unit in duration "5"');
  expect(await fault('1s5y')).toBe('time: unknown unit "y" in duration "1s5y"');
});

describe('a row of the struct logger', () => {
  const rowsOf = async (code: string, config: object = {}): Promise<Loose> => {
    const stateOverrides = { [emitter]: { code: `0x${code}` } };
    const call = { to: emitter, gas: '0x8000' };
    return (await world.get('debug_traceCall', call, 'latest', { ...config, stateOverrides })).structLogs;
  };

  test('costs a whole number, also where the memory has no price', async () => {
    const rows = await rowsOf(`7f${'ff'.repeat(32)}51`);
    expect(rows.at(-1)).toMatchObject({ op: 'MLOAD', gasCost: 3, error: expect.any(String) });
  });

  test('has the names that geth prints', async () => {
    expect((await rowsOf('4400')).map(({ op }: Loose) => op)).toEqual(['DIFFICULTY', 'STOP']);
    expect((await rowsOf('0c')).map(({ op }: Loose) => op)).toEqual(['opcode 0xc not defined']);
    expect((await rowsOf('fe')).map(({ op }: Loose) => op)).toEqual(['INVALID']);
  });

  test('shows no destruction that a static call forbids', async () => {
    // STATICCALL of another account, which destroys itself.
    const victim = `0x${'d1'.repeat(20)}`;
    const calls = `5f5f5f5f73${'d1'.repeat(20)}615000fa00`;
    const stateOverrides = { [emitter]: { code: `0x${calls}` }, [victim]: { code: '0x30ff' } };
    const config = { tracer: 'callTracer', stateOverrides };
    const call = await world.get('debug_traceCall', { to: emitter, gas: '0x20000' }, 'latest', config);
    expect(call.calls).toHaveLength(1);
    expect(call.calls[0]).toMatchObject({ type: 'STATICCALL', error: 'out of gas: write protection' });
    expect(call.calls[0].calls).toBeUndefined();
  });

  test.each(['0c', '6003565b0c', '5f5f5f5e0c'])(
    '%s ends at an instruction that is told by its byte',
    async (code) => {
      expect((await rowsOf(code)).at(-1).op).toBe('opcode 0xc not defined');
      const stateOverrides = { [emitter]: { code: `0x${code}` } };
      const config = { tracer: 'callTracer', stateOverrides };
      const call = await world.get('debug_traceCall', { to: emitter, gas: '0x8000' }, 'latest', config);
      expect(call.error).toBe('invalid opcode: opcode 0xc not defined');
    },
  );

  test.each(['00', ''])('shows memory that a call has expanded and not written, before %j', async (rest) => {
    const rows = await rowsOf(`6130005f5f5f5f60ff5af1${rest}`, { enableMemory: true });
    expect(rows.at(-1).op).toBe('STOP');
    expect(rows.at(-1).memory).toHaveLength(0x3000 / 32);
  });

  test('names a fault only of an instruction that could not begin', async () => {
    for (const code of ['0c', 'fe', '5f56']) expect((await rowsOf(code)).at(-1)).not.toHaveProperty('error');
    expect((await rowsOf('50')).at(-1).error).toMatch(/^stack underflow/);
  });

  test('shows no storage for a failed SSTORE, nor in later rows', async () => {
    // With calldata it stores in slot 0; without it calls itself with too little gas for that, and reads slot 1.
    for (const gas of ['0bb8', '0400']) {
      const rows = await rowsOf(`366015575f5f60015f5f3061${gas}f15060015450005b60015f5500`);
      const [failed, read] = rows.filter(({ op }: Loose) => op === 'SSTORE' || op === 'SLOAD');
      expect([failed.op, failed.storage]).toEqual(['SSTORE', undefined]);
      expect(failed.error).toBe(
        gas === '0bb8' ? 'out of gas' : 'out of gas: not enough gas for reentrancy sentry',
      );
      expect([read.op, read.storage]).toEqual(['SLOAD', { [word(1)]: word(0) }]);
    }
  });
});

test("a config in the letters of Go's field names, as gethclient sends it, names the tracer all the same", async () => {
  const none = { Tracer: null, Timeout: null, Reexec: null, TracerConfig: null };
  const asked = { ...none, Tracer: 'callTracer', TracerConfig: { withlog: true } };
  const usual = { tracer: 'callTracer', tracerConfig: { withLog: true } };
  const { log } = hashes;
  expect(await world.get('debug_traceTransaction', log, asked)).toEqual(
    await world.get('debug_traceTransaction', log, usual),
  );
  const struct = { ...none, DisableStack: true, DisableStorage: false, EnableMemory: false, Limit: 70 };
  const { structLogs } = await world.get('debug_traceTransaction', log, struct);
  expect(structLogs).toHaveLength(2);
  expect(structLogs[0]).not.toHaveProperty('stack');
});

test('a traced call is the call, with its overrides', async () => {
  const call = { to: emitter, data: word(8) };
  const logged = { tracer: 'callTracer', tracerConfig: { withLog: true } };
  const trace = await world.get('debug_traceCall', call, 'latest', logged);
  expect(trace.logs).toMatchObject([
    { address: emitter, topics: [`0x${TOPIC}`], data: word(8), index: '0x0' },
  ]);
  const stateOverrides = { [emitter]: { code: `0x${REVERTER}` } };
  const replaced = await world.get('debug_traceCall', call, 'latest', {
    tracer: 'callTracer',
    stateOverrides,
  });
  expect(replaced).toMatchObject({ error: 'execution reverted', output: word(42) });
});

describe.each([
  ['a cost beyond all numbers', `7f${'ff'.repeat(32)}5ffd`, 'gas uint64 overflow'],
  ['memory that has no price', '65010000000000' + '5ffd', 'out of gas: gas uint64 overflow'],
  ['a cost beyond all gas', '6401000000005ffd', 'out of gas'],
])('a REVERT of memory that nobody paid for: %s', (_name, code, text) => {
  test('is an execution out of gas like any other, watched or not', async () => {
    const call = { from: bytesHex(world.dev.address), to: emitter, gas: '0x30000' };
    const overrides = { [emitter]: { code: `0x${code}` } };
    const config = { tracer: 'callTracer', stateOverrides: overrides };
    expect(await world.get('debug_traceCall', call, 'latest', config)).toMatchObject({ error: text });
    const { structLogs } = await world.get('debug_traceCall', call, 'latest', { stateOverrides: overrides });
    expect(structLogs.map(({ op }: Loose) => op)).toEqual([
      `PUSH${Number(`0x${code.slice(0, 2)}`) - 0x5f}`,
      'PUSH0',
      'REVERT',
    ]);
    expect((await world.get('eth_createAccessList', call, 'latest', overrides)).error).toBe(text);
  });

  test('can be traced where it was mined', async () => {
    const raw = await signRaw(world.dev, { nonce: nonce++, data: `0x${code}`, gas: 200_000n });
    const hash = await world.get('eth_sendRawTransaction', bytesHex(raw));
    await world.commit();
    expect(await world.get('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x0',
      gasUsed: '0x30d40',
    });
    const trace = await world.get('debug_traceTransaction', hash, { tracer: 'callTracer' });
    expect(trace.error).toBe(text);
    const [block] = await world.get('debug_traceBlockByNumber', 'latest', { tracer: 'callTracer' });
    expect(block.result).toEqual(trace);
  });
});

test('code that runs out ends with a STOP that is not there', async () => {
  const config = { stateOverrides: { [emitter]: { code: '0x6001' } } };
  const { structLogs } = await world.get(
    'debug_traceCall',
    { to: emitter, gas: '0x30000' },
    'latest',
    config,
  );
  const left = 0x30000 - 21_000;
  expect(structLogs).toMatchObject([
    { pc: 0, op: 'PUSH1', gas: left },
    { pc: 2, op: 'STOP', gas: left - 3, gasCost: 0, depth: 1, stack: ['0x1'] },
  ]);
});

describe('a call or creation that cannot begin', () => {
  const POOR = `0x${'d0'.repeat(20)}`;
  const traced = (code: string, config: object, gas = '0x30000'): Promise<Loose> =>
    world.get('debug_traceCall', { to: POOR, gas }, 'latest', {
      ...config,
      stateOverrides: { [POOR]: { code: `0x${code}` } },
    });
  const logged = { tracer: 'callTracer', tracerConfig: { withLog: true } };
  /** Sends `value` to 0xaa…aa with three zero bytes. */
  const calls = `5f5f60035f600173${'aa'.repeat(20)}61ffff`;

  test.each([
    ['CALL', `${calls}f1505f5fa0`, 0xffff + 2300],
    ['CALLCODE', `${calls}f2505f5fa0`, 0xffff + 2300],
    ['CREATE', '60035f6001f0505f5fa0', undefined],
    ['CREATE2', '5f60035f6001f5505f5fa0', undefined],
  ])('is a frame that failed, with what comes after it in its place: %s', async (type, code, gas) => {
    const { calls: frames, logs, error } = await traced(code, logged);
    expect(error).toBeUndefined();
    expect(frames).toMatchObject([
      {
        type,
        from: POOR,
        value: '0x1',
        input: '0x000000',
        gasUsed: '0x0',
        error: 'insufficient balance for transfer',
      },
    ]);
    expect(frames[0].to).toBe(type.startsWith('CALL') ? `0x${'aa'.repeat(20)}` : undefined);
    if (gas !== undefined) expect(frames[0].gas).toBe(`0x${gas.toString(16)}`);
    expect(logs).toMatchObject([{ position: '0x1' }]);
    const flat = await traced(code, { tracer: 'flatCallTracer' });
    expect(flat).toMatchObject([{ subtraces: 1 }, { error: 'insufficient balance for transfer' }]);
  });

  test('is traced even if it is the last instruction or the frame fails afterwards', async () => {
    expect((await traced(`${calls}f1`, logged)).calls).toHaveLength(1);
    expect((await traced(`${calls}f1fe`, logged)).calls).toHaveLength(1);
  });

  test('is not traced if the instruction itself runs out of gas', async () => {
    expect((await traced(`${calls}f1`, logged, '0x5400')).calls).toBeUndefined();
  });

  test('costs the gas that it passes on, like a call that begins', async () => {
    const { structLogs } = await traced(`${calls}f100`, {});
    const call = structLogs.find(({ op }: Loose) => op === 'CALL');
    // Cold account, value, new account, a word of memory, and the gas, which came back with the stipend.
    expect(call.gasCost).toBe(2600 + 9000 + 25_000 + 3 + 0xffff);
    expect(structLogs.at(-1).gas).toBe(call.gas - call.gasCost + 0xffff + 2300);
  });
});

test('an unknown transaction, block or tracer and the genesis block are refused with geth’s message', async () => {
  const fault = async (method: string, ...params: unknown[]) => (await world.rpc(method, ...params)).error;
  expect(await fault('debug_traceTransaction', word(1))).toEqual({
    code: -32000,
    message: 'transaction not found',
  });
  expect(await fault('debug_traceBlockByNumber', '0x0')).toEqual({
    code: -32000,
    message: 'genesis is not traceable',
  });
  expect((await fault('debug_traceBlockByNumber', '0xffff'))?.message).toBe('block #65535 not found');
  expect((await fault('debug_traceTransaction', hashes.log, { tracer: 'x' }))?.message).toMatch(
    /^unknown tracer "x"/,
  );
});
