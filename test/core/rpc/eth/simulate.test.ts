import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { toHex } from '../../../../core/lib/bytes.ts';
import { testGenesis } from '../../app/support/chain.ts';
import { type Loose, RpcWorld } from '../support/rpcWorld.ts';
import { faultsOf, specMethods } from './support/schema.ts';

const folder = new URL('../../../vectors/execution-apis/tests/eth_simulateV1/', import.meta.url);
/**
 * Left out of theirs: what stands on proof of work (empty-with-block-num-set-firstblock) or blobs (blobs), what counts
 * the logs of reverted calls (use-as-many-features-as-possible), and one for its size
 * (add-more-non-defined-BlockStateCalls-than-fit-but-now-with-fit).
 */
const files = readdirSync(folder).sort();

/** Number, time, gas limit and chain id of the chain that the specification's answers were made on. */
const HEAD = 54;
const HEAD_SECONDS = 540;
const BLOCK_SECONDS = 10;
const GAS_LIMIT = 200_000_000;
const NEXT_BASE_FEE = 23985819n;
const EVM_CHAIN_ID = 3503995874084926n;

/** Their miner. */
const MINER = { address: new Uint8Array(20), balance: 1n };

let world: RpcWorld;

beforeAll(async () => {
  let baseFee = NEXT_BASE_FEE;
  // Empty blocks take an eighth off each time: from the fee wanted back to that of genesis.
  for (let i = 0; i <= HEAD; i++) baseFee = (8n * baseFee) / 7n;
  const made = testGenesis({ accounts: [MINER], evmChainId: EVM_CHAIN_ID, baseFee }, GAS_LIMIT);
  const genesis = { ...made, genesisTime: { seconds: HEAD_SECONDS - (HEAD - 1) * BLOCK_SECONDS, nanos: 0 } };
  world = await RpcWorld.openOn(genesis, { gasCap: 50_000_000n });
  world.chain.stepMs = BLOCK_SECONDS * 1000;
  for (let i = 0; i < HEAD; i++) await world.commit();
});

/** What depends on the other accounts of their chain, its proposers and its base fee. */
const CHAIN_OWN = new Set(['hash', 'parentHash', 'blockHash', 'stateRoot', 'miner']);

/** Hashes of their blocks that their answers name. */
const THEIR_BLOCKS: Readonly<Record<number, string>> = {
  1: '80e911b62f552f563a2544dfef5eb39ec8863d9082c998ca6b657f76e19de38e',
  41: 'e956f744bb860c7aa762919d66f5e3501da555956d42be5c03c0db5a80990c61',
  54: 'd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7',
};

function withoutChain(value: Loose): Loose {
  if (Array.isArray(value)) return value.map(withoutChain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !CHAIN_OWN.has(key))
      .map(([key, member]) => [key, withoutChain(member)]),
  );
}

/** Our answer with their names for the same blocks, for contracts that return BLOCKHASH. */
function inTheirNames(reply: Loose, expected: Loose): Loose {
  let text = JSON.stringify(reply);
  for (const [number, theirs] of Object.entries(THEIR_BLOCKS)) {
    const ours = world.chain.reader.ethBlock(Number(number))?.hash ?? new Uint8Array(32);
    text = text.replaceAll(toHex(ours), theirs);
  }
  for (const [i, { hash }] of (reply.result ?? []).entries())
    text = text.replaceAll(hash.slice(2), (expected.result?.[i]?.hash ?? hash).slice(2));
  return JSON.parse(text);
}

const linesOf = (file: string) => readFileSync(new URL(file, folder), 'utf8').split('\n');

test('the chain stands where theirs does', async () => {
  const head = await world.get('eth_getBlockByNumber', 'latest', false);
  expect([Number(head.number), Number(head.timestamp), Number(head.gasLimit)]).toEqual([
    HEAD,
    HEAD_SECONDS,
    GAS_LIMIT,
  ]);
});

test.each(files)('%s is answered as the specification answers it', async (file) => {
  const lines = linesOf(file);
  const request = JSON.parse((lines.find((line) => line.startsWith('>> ')) as string).slice(3));
  const expected = JSON.parse((lines.find((line) => line.startsWith('<< ')) as string).slice(3));
  const [first] = request.params[0].blockStateCalls;
  if (first !== undefined)
    first.blockOverrides = { feeRecipient: `0x${'0'.repeat(40)}`, ...first.blockOverrides };
  const reply = JSON.parse((await world.text(JSON.stringify(request))) ?? 'null');
  // The schema's texts of errors are suggestions, says the specification; geth's are others.
  const faults = faultsOf(reply.result ?? [], specMethods.get('eth_simulateV1') ?? {});
  expect(faults.filter((fault) => !fault.includes('.error.message'))).toEqual([]);
  expect(withoutChain(inTheirNames(reply, expected))).toEqual(withoutChain(expected));
});

const A = `0x${'a1'.repeat(20)}`;
const B = `0x${'b2'.repeat(20)}`;
const RICH = { [A]: { balance: '0xde0b6b3a7640000' } };

const simulate = (payload: Record<string, unknown>, block = 'latest') =>
  world.get('eth_simulateV1', payload, block);
const refusal = async (payload: Record<string, unknown>) =>
  (await world.rpc('eth_simulateV1', payload, 'latest')).error?.code;

describe('refusals have the codes of the specification', () => {
  const one = (
    call: Record<string, unknown>,
    header: Record<string, unknown> = { baseFeePerGas: '0x0' },
  ) => ({
    blockStateCalls: [{ blockOverrides: header, stateOverrides: RICH, calls: [{ from: A, to: B, ...call }] }],
    validation: true,
  });

  test.each([
    ['a nonce that was used', -38010, { ...one({ nonce: '0x0' }), nonce: 1 }],
    ['a nonce that is ahead', -38011, one({ nonce: '0x5' })],
    ['a fee cap below the base fee', -38012, one({ maxFeePerGas: '0x1' }, { baseFeePerGas: '0x2' })],
    ['a tip above the cap', -32602, one({ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' })],
    ['too little gas', -38013, one({ gas: '0x5207' })],
    ['too few coins', -38014, one({ value: '0xde0b6b3a7640001' })],
    [
      'more gas than the block has',
      -38015,
      one({ gas: '0xffff' }, { gasLimit: '0xfffe', baseFeePerGas: '0x0' }),
    ],
    ['init code beyond its bound', -38025, one({ to: null, input: `0x${'00'.repeat(49153)}` })],
    ['no blocks', -32602, { blockStateCalls: [] }],
    ['too many blocks', -38026, { blockStateCalls: Array.from({ length: 257 }, () => ({})) }],
  ])('%s: %i', async (_name, code, payload) => {
    const [block] = payload.blockStateCalls as { stateOverrides?: unknown }[];
    if ('nonce' in payload && block !== undefined)
      block.stateOverrides = { [A]: { ...RICH[A], nonce: '0x1' } };
    expect(await refusal(payload)).toBe(code);
  });
});

test('BLOCKHASH in a simulated block answers the hashes of the simulated ones and of the chain', async () => {
  // BLOCKHASH(NUMBER - 1), returned; as init code, its result is the call's.
  const call = { from: A, input: '0x600143034060005260206000f3' };
  const blocks = await simulate({ blockStateCalls: [{ calls: [call] }, { calls: [call] }] });
  const head = await world.get('eth_getBlockByNumber', 'latest', false);
  expect(blocks[0].calls[0].returnData).toBe(head.hash);
  expect(blocks[1].calls[0].returnData).toBe(blocks[0].hash);
  expect(blocks[1].parentHash).toBe(blocks[0].hash);
});

test('nothing of a simulation stays', async () => {
  await simulate({ blockStateCalls: [{ stateOverrides: RICH, calls: [{ from: A, to: B, value: '0x5' }] }] });
  expect(await world.get('eth_getBalance', B, 'latest')).toBe('0x0');
  expect(Number(await world.get('eth_blockNumber'))).toBe(HEAD);
});

test('one request uses no more gas than the node allows, however many calls it has', async () => {
  const loop = { [B]: { code: '0x5b600056' } };
  const calls = [
    { from: A, to: B },
    { from: A, to: B },
  ];
  const small = await RpcWorld.open({ gasCap: 100_000n });
  const { error } = await small.rpc('eth_simulateV1', { blockStateCalls: [{ stateOverrides: loop, calls }] });
  expect(error).toMatchObject({ code: -38013, message: expect.stringContaining('have 0, want 21000') });
});

test('eth_call finds a precompile where it was moved to, and code where it was', async () => {
  const call = (to: string) => ({ to, data: '0x1234' });
  const sha256 = `0x${'2'.padStart(40, '0')}`;
  const hash = await world.get('eth_call', call(sha256));
  const overrides = { [sha256]: { movePrecompileToAddress: B, code: '0x602a60005260206000f3' } };
  expect(await world.get('eth_call', call(B), 'latest', overrides)).toBe(hash);
  expect(BigInt(await world.get('eth_call', call(sha256), 'latest', overrides))).toBe(42n);
  expect(await world.get('eth_call', call(sha256))).toBe(hash);
  const notOne = await world.rpc('eth_call', call(B), 'latest', { [A]: { movePrecompileToAddress: B } });
  expect(notOne.error).toMatchObject({
    code: -32000,
    message: expect.stringMatching(/is not a precompile$/),
  });
  const taken = { ...overrides, [B]: { balance: '0x1' } };
  const { error } = await world.rpc('eth_call', call(B), 'latest', taken);
  expect(error?.message).toMatch(/is already overridden$/);
});

test("traceTransfers adds transfer logs in order with the contract's own, and none are added without it", async () => {
  // Sends its value on to the caller (CALL with CALLVALUE to CALLER), then logs.
  const code = '0x6000600060006000343361ffff f15060006000a000'.replace(' ', '');
  const block = {
    stateOverrides: { ...RICH, [B]: { code } },
    calls: [{ from: A, to: B, value: '0x7' }],
  };
  const [traced] = await simulate({ blockStateCalls: [block], traceTransfers: true });
  const coin = `0x${'ee'.repeat(20)}`;
  const logs = traced.calls[0].logs;
  expect(logs.map((log: Loose) => [log.address, log.logIndex])).toEqual([
    [coin, '0x0'],
    [coin, '0x1'],
    [B, '0x2'],
  ]);
  const [plain] = await simulate({ blockStateCalls: [block] });
  expect(plain.calls[0].logs.map((log: Loose) => log.address)).toEqual([B]);
  expect(plain.hash).toBe(traced.hash);
});

test('code that is borrowed with a value moves no coins', async () => {
  // CALLCODE of nobody with value 1.
  const code = '0x5f5f5f5f600160cc5af200';
  const stateOverrides = { ...RICH, [B]: { code, balance: '0x9' } };
  const block = { stateOverrides, calls: [{ from: A, to: B }] };
  const [traced] = await simulate({ blockStateCalls: [block], traceTransfers: true });
  expect(traced.calls[0]).toMatchObject({ status: '0x1', logs: [] });
});

test('a validated simulation equals the block that is then made', async () => {
  const own = await RpcWorld.open();
  const dev = `0x${Buffer.from(own.dev.address).toString('hex')}`;
  const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' };
  const call = { from: dev, to: B, value: '0x9', gas: '0x5208', nonce: '0x0', ...fees };
  const [foretold] = await own.get('eth_simulateV1', {
    blockStateCalls: [{ calls: [call] }],
    validation: true,
  });
  await own.get('eth_sendTransaction', call);
  await own.commit();
  const block = await own.get('eth_getBlockByNumber', 'latest', false);
  for (const name of ['number', 'parentHash', 'gasUsed', 'baseFeePerGas', 'receiptsRoot'])
    expect([name, foretold[name]]).toEqual([name, block[name]]);
});

test('overrides with extreme numbers are answered without an internal error', async () => {
  const max = `0x${'f'.repeat(64)}`;
  const rich = { [A]: { balance: max }, [B]: { balance: max } };
  const ofOne = async (
    call: Record<string, unknown>,
    header: Record<string, unknown>,
    state: unknown = rich,
  ) => {
    const blocks = [{ blockOverrides: header, stateOverrides: state, calls: [call] }];
    const reply = await world.rpc('eth_simulateV1', { blockStateCalls: blocks });
    return reply.error?.message ?? reply.result[0].calls[0].status;
  };
  expect(await ofOne({ from: A, to: B, value: '0x1' }, {})).toBe('0x0');
  expect(await ofOne({ from: A, to: A, gasPrice: '0x5' }, { feeRecipient: B })).toBe('0x1');
  expect(await ofOne({ from: A, to: B }, { baseFeePerGas: max, gasLimit: '0xffffffffffffffff' })).toBe('0x1');
  expect(await ofOne({ from: A, to: B }, { time: '0xffffffffffffffff' })).toBe(
    'block timestamp out of range',
  );
  const last = { [A]: { nonce: '0xffffffffffffffff' } };
  expect(await ofOne({ from: A, input: '0x00' }, {}, last)).toMatch(/nonce has max value/);
  expect(await ofOne({ from: A, to: B }, {}, last)).toBe('0x1');
  expect(world.notes).toEqual([]);
});

test('the same calls in several blocks and in one block end in the same state', async () => {
  // Without its code, EIP-2935's contract keeps no hashes, which are others for one block than for many.
  const first = { '0x0000f90827f1c53a10cb7a02335b175320002935': { code: '0x' }, ...RICH };
  const slots = { [`0x${'01'.repeat(32)}`]: `0x${'02'.repeat(32)}` };
  const last = { [B]: { code: '0x6001', stateDiff: slots }, [A]: { ...RICH[A], nonce: '0x7' } };
  const between = Array.from({ length: 250 }, () => ({}));
  const many = await simulate({
    blockStateCalls: [{ stateOverrides: first }, ...between, { stateOverrides: last }, {}],
  });
  const one = await simulate({ blockStateCalls: [{ stateOverrides: { ...first, ...last } }] });
  expect(many.at(-1).stateRoot).toBe(one[0].stateRoot);
  expect(many[0].stateRoot).not.toBe(one[0].stateRoot);
});
