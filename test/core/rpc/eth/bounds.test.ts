/** What one request may ask for, each bound on its own. */
import { beforeAll, expect, test } from 'vitest';
import { hex, to0xHex } from '../../../../core/lib/bytes.ts';
import { AddressPreimages } from '../../../../core/rpc/eth/addressPreimages.ts';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { PendingHashes } from '../../../../core/rpc/eth/pendingHashes.ts';
import { testGenesis } from '../../app/support/chain.ts';
import { RpcWorld, readerWith } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open({ feeHistoryMax: 3 });
  for (let i = 0; i < 5; i++) await world.commit();
});

const word = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const mapOf = <T>(count: number, entry: (n: number) => readonly [string, T]): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => entry(n + 1)));
const complaint = async (method: string, ...params: readonly unknown[]) =>
  (await world.rpc(method, ...params)).error?.message;

test('an eth_call overrides at most 10000 storage slots and 1000 accounts', async () => {
  const slots = (count: number) => ({ [address(1)]: { state: mapOf(count, (n) => [word(n), word(1)]) } });
  const accounts = (count: number) => mapOf(count, (n) => [address(n), { balance: '0x1' }]);
  const called = (overrides: object) => complaint('eth_call', { to: address(2) }, 'latest', overrides);
  expect(await called(slots(10_000))).toBeUndefined();
  expect(await called(slots(10_001))).toContain('more than 10000 storage slots');
  expect(await called(accounts(1_000))).toBeUndefined();
  expect(await called(accounts(1_001))).toContain('more than 1000 accounts');
});

test('block overrides take any number and time of 64 bits', async () => {
  // NUMBER ‖ TIMESTAMP.
  const code = '0x435f524260205260405ff3';
  const most = `0x${'f'.repeat(16)}`;
  const given = await world.get(
    'eth_call',
    { to: address(2) },
    'latest',
    { [address(2)]: { code } },
    { number: most, time: most },
  );
  expect(given).toBe(`0x${'f'.repeat(16).padStart(64, '0').repeat(2)}`);
});

test('a balance given for a call holds 256 bits, and what it cannot take is refused', async () => {
  const balances = { [address(1)]: { balance: '0x2' }, [address(2)]: { balance: `0x${'f'.repeat(63)}e` } };
  const paid = (value: string) =>
    complaint('eth_call', { from: address(1), to: address(2), value }, 'latest', balances);
  expect([await paid('0x1'), await paid('0x2')]).toEqual([undefined, 'value overflow']);
});

test('eth_feeHistory takes at most 100 percentiles and answers at most feeHistoryMax blocks', async () => {
  const percentiles = (count: number) => Array.from({ length: count }, (_, i) => i / 2);
  expect(await complaint('eth_feeHistory', '0x1', 'latest', percentiles(100))).toBeUndefined();
  expect(await complaint('eth_feeHistory', '0x1', 'latest', percentiles(101))).toBe(
    'invalid reward percentile: over the query limit 100',
  );
  const history = await world.get('eth_feeHistory', '0x5', 'latest', []);
  expect([history.oldestBlock, history.gasUsedRatio]).toEqual(['0x3', [0, 0, 0]]);
});

test('as many address preimages are kept as the limit says', async () => {
  const { suite, chain } = world.ctx;
  const books = [1, 2].map((max) => new AddressPreimages({ suite, pause: async () => {} }, max));
  const known = await Promise.all(
    books.map(async (book) => {
      await book.learn(chain.latest());
      return [world.dev, world.other].map((one) => book.addressOf(suite.keccak256(one.address)));
    }),
  );
  const [dev, other] = [world.dev, world.other].map((one) => one.address);
  expect(known).toEqual([
    [dev, undefined],
    [dev, other],
  ]);
});

test('a batch limit of 0 means no limit', async () => {
  const { ctx } = await RpcWorld.open({ batchMax: 0, batchResponseBytesMax: 0 });
  const calls = Array.from({ length: 3 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }));
  const replies = JSON.parse((await handleEthRequest(ctx, JSON.stringify(calls), 'http')) ?? '');
  expect(replies.map(({ result }: { result?: string }) => result)).toEqual(['0x2328', '0x2328', '0x2328']);
});

test('eth_getLogs takes at most 4 topic positions, and 1000 addresses or topics at each', async () => {
  const logs = (filter: object) => complaint('eth_getLogs', filter);
  const many = (count: number, one: (n: number) => string) => Array.from({ length: count }, (_, n) => one(n));
  expect(await logs({ topics: many(4, word) })).toBeUndefined();
  expect(await logs({ topics: many(5, word) })).toContain('exceed max topics');
  expect(await logs({ topics: [many(1000, word)] })).toBeUndefined();
  expect(await logs({ topics: [many(1001, word)] })).toContain('exceed max topics');
  expect(await logs({ address: many(1000, address) })).toBeUndefined();
  expect(await logs({ address: many(1001, address) })).toBe(
    'exceed max addresses or topics per search position',
  );
  expect(await logs({ address: many(100_001, () => '') })).toContain('invalid addresses in query');
});

test('debug_accountRange shows at most 256 accounts, and debug_getModifiedAccounts at most 100000', async () => {
  const many = Array.from({ length: 300 }, (_, i) => ({ address: hex(address(i + 1)), balance: 1n }));
  const crowd = await RpcWorld.openOn(testGenesis({ accounts: many }));
  for (let i = 0; i < 2; i++) await crowd.commit();
  const page = await crowd.get('debug_accountRange', 'latest', '0x', 10_000, true, true, true);
  expect(Object.keys(page.accounts)).toHaveLength(256);
  expect(page.next).toBeDefined();
  const { chain } = crowd.ctx;
  const changed = async (count: number) => {
    const [hash] = chain.latest().accountRange(new Uint8Array(32), 1);
    const hashes = new Array<Uint8Array>(count).fill((hash as { keyHash: Uint8Array }).keyHash);
    const view = (height: number) => ({ ...chain.latest(), height, changedSince: () => hashes });
    const ctx = { ...crowd.ctx, chain: readerWith(chain, { view }) };
    const call = { jsonrpc: '2.0', id: 1, method: 'debug_getModifiedAccountsByNumber', params: [1, 2] };
    return JSON.parse((await handleEthRequest(ctx, JSON.stringify(call), 'http')) ?? '');
  };
  expect((await changed(100_000)).result).toHaveLength(100_000);
  expect((await changed(100_001)).error?.message).toBe('more than 100000 accounts changed');
});

test('a call gets the gas that it asks for, up to the node’s gas cap', async () => {
  const capped = await RpcWorld.open({ gasCap: 1_000_000n });
  // GAS, and returns it.
  const overrides = { [address(2)]: { code: '0x5a60005260206000f3' } };
  const left = async (gas: number) =>
    Number(
      await capped.get('eth_call', { to: address(2), gas: `0x${gas.toString(16)}` }, 'latest', overrides),
    );
  expect(await left(500_000)).toBe(500_000 - 21_000 - 2);
  for (const gas of [1_000_000, 1_000_001, 2 ** 40]) expect(await left(gas)).toBe(1_000_000 - 21_000 - 2);
});

test('a number beyond int64 is refused, as in Go', async () => {
  const shown = async (max: string) => {
    const call = `{"jsonrpc":"2.0","id":1,"method":"debug_accountRange","params":["latest","0x",${max},true,true,true]}`;
    return JSON.parse((await handleEthRequest(world.ctx, call, 'http')) ?? '').error?.message;
  };
  expect(await shown(String(2n ** 63n - 1n))).toBeUndefined();
  expect(await shown(String(2n ** 63n))).toContain('cannot unmarshal number 9223372036854775808');
});

test('the newest 32768 pending hashes are kept for filters, and fewer than twice as many in all', () => {
  const pending = new PendingHashes();
  const [max, total] = [32_768, 100_000];
  for (let i = 0; i < total; i++) pending.push(Uint8Array.of(i >>> 16, i >>> 8, i));
  const oldest = total - max;
  expect([pending.has(oldest), pending.has(oldest - 1)]).toEqual([true, false]);
  const kept = pending.from(oldest);
  expect([kept.length, kept[0]]).toEqual([max, Uint8Array.of(oldest >>> 16, oldest >>> 8, oldest)]);
  expect(pending.from(0).length).toBeLessThan(2 * max);
});

test('eth_simulateV1 runs at most 256 blocks, and blocks that fill gaps count', async () => {
  const simulated = (blocks: readonly object[]) =>
    complaint('eth_simulateV1', { blockStateCalls: blocks }, 'latest');
  const at = (number: number) => [{ blockOverrides: { number: `0x${number.toString(16)}` } }];
  const head = world.ctx.chain.head();
  expect(await simulated(at(head + 256))).toBeUndefined();
  expect(await simulated(at(head + 257))).toBe('too many blocks');
  expect(await simulated(at(2 ** 50))).toBe('too many blocks');
  // Before their order is looked at, as geth does.
  expect(await simulated(new Array(257).fill({ blockOverrides: { number: '0x1' } }))).toBe('too many blocks');
});

test('with an unlimited block size, the pending block shows the waiting transactions', async () => {
  const genesis = testGenesis({ accounts: [{ address: world.dev.address, balance: 10n ** 20n }] });
  const block = { ...genesis.params.block, maxBytes: -1 };
  const wide = await RpcWorld.openOn({ ...genesis, params: { ...genesis.params, block } });
  await wide.get('eth_sendTransaction', { from: to0xHex(wide.dev.address), to: address(7), value: '0x1' });
  expect((await wide.get('eth_getBlockByNumber', 'pending', false)).transactions).toHaveLength(1);
});
