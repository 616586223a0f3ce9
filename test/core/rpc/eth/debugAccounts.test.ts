import { type Hex, hexToBytes, keccak256 } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { deploying, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { signRaw } from '../../app/support/wallet.ts';
import { bytesHex, type Loose, RpcWorld, readerWith } from '../support/rpcWorld.ts';

let world: RpcWorld;
let store: string;
let nonce = 0;
const FRESH = `0x${'d4'.repeat(20)}`;

const send = async (fields: Record<string, unknown>): Promise<string> => {
  const raw = await signRaw(world.dev, { nonce: nonce++, gas: 100_000n, ...fields });
  return world.get('eth_sendRawTransaction', bytesHex(raw));
};
const fault = async (method: string, ...params: unknown[]) => (await world.rpc(method, ...params)).error;
const dev = () => bytesHex(world.dev.address);

beforeAll(async () => {
  world = await RpcWorld.open();
  await send({ data: deploying(STORE_AND_LOG), gas: 1_000_000n });
  await world.commit();
  store = (await world.get('eth_getBlockReceipts', 'latest'))[0].contractAddress;
  await send({ to: store, data: word(5) });
  await world.commit();
  await send({ to: FRESH, value: 3n, gas: 21_000n });
  await world.commit();
  await world.commit();
});

const range = (options: Loose = {}, at: unknown = 'latest') => {
  const { start = '0x', max = 256, nocode = false, nostorage = false, incompletes = false } = options;
  return world.get('debug_accountRange', at, start, max, nocode, nostorage, incompletes);
};

describe('debug_accountRange', () => {
  test('shows every account of the state under its address', async () => {
    const all = await range();
    const complete = await range({ incompletes: true });
    expect(complete).toEqual(all);
    for (const max of [0, -1, 10_000]) expect(await range({ max })).toEqual(all);
    const header = await world.get('eth_getHeaderByNumber', 'latest');
    expect(`0x${all.root}`).toBe(header.stateRoot);
    for (const [address, account] of Object.entries<Loose>(all.accounts)) {
      expect(account.key).toBe(keccak256(address as Hex));
      expect(account.address).toBe(address.toLowerCase());
      expect(account.balance).toBe(BigInt(await world.get('eth_getBalance', address)).toString());
      expect(account.nonce).toBe(Number(await world.get('eth_getTransactionCount', address)));
      expect(account.code ?? '0x').toBe(await world.get('eth_getCode', address));
      const proof = await world.get('eth_getProof', address, [], 'latest');
      expect([account.root, account.codeHash]).toEqual([proof.storageHash, proof.codeHash]);
    }
    const shown = Object.keys(all.accounts).map((address) => address.toLowerCase());
    expect(shown).toEqual(expect.arrayContaining([dev(), store, FRESH]));
    const bare = Object.values<Loose>((await range({ nocode: true })).accounts);
    expect(bare.filter(({ code }) => code !== undefined)).toEqual([]);
    expect(Object.values<Loose>(all.accounts).some(({ code }) => code !== undefined)).toBe(true);
  });

  test('continues where a page ended', async () => {
    const all = Object.keys((await range()).accounts);
    const found: string[] = [];
    let start = '0x';
    for (let pages = 0; pages <= all.length; pages++) {
      const page = await range({ start, max: 2 });
      found.push(...Object.keys(page.accounts));
      if (page.next === undefined) break;
      start = `0x${Buffer.from(page.next, 'base64').toString('hex')}`;
    }
    expect(found).toEqual(all);
  });

  test('answers for old states, and refuses unknown blocks', async () => {
    const lower = (dumped: Loose) => Object.keys(dumped.accounts).map((one) => one.toLowerCase());
    expect(lower(await range({}, '0x2'))).not.toContain(FRESH);
    expect(lower(await range({}, '0x3'))).toContain(FRESH);
    expect(lower(await range({}, 'earliest'))).not.toContain(store);
    expect(lower(await range({}, 'pending'))).toContain(FRESH);
    expect((await fault('debug_accountRange', '0x63', '0x', 1, true, true, true))?.message).toBe(
      'block #99 not found',
    );
    expect((await fault('debug_accountRange', 'latest', '0x', '1', true, true, true))?.message).toBe(
      'invalid argument 2: json: cannot unmarshal string into Go value of type int',
    );
  });

  test('debug_dumpBlock is its first page', async () => {
    expect(await world.get('debug_dumpBlock', 'latest')).toEqual(await range());
    expect(await world.get('debug_dumpBlock', '0x1')).toEqual(await range({}, '0x1'));
  });
});

describe('debug_getModifiedAccounts', () => {
  const byNumber = (...numbers: number[]) => world.get('debug_getModifiedAccountsByNumber', ...numbers);
  const hashOf = async (number: number) =>
    (await world.get('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).hash;

  test('names what one block changed, and what changed from one to another', async () => {
    const two = await byNumber(2);
    expect(two).toEqual(expect.arrayContaining([dev(), store]));
    expect(two).not.toContain(FRESH);
    const three = await byNumber(3);
    expect(three).toEqual(expect.arrayContaining([dev(), FRESH]));
    expect(three).not.toContain(store);
    expect(await byNumber(1, 3)).toEqual(expect.arrayContaining([dev(), store, FRESH]));
    expect(await byNumber(2, 3)).toEqual(three);
    const hashes = three.map((address: Hex) => keccak256(hexToBytes(address)));
    expect(hashes).toEqual(hashes.toSorted());
  });

  test('takes hashes as well as numbers', async () => {
    expect(await world.get('debug_getModifiedAccountsByHash', await hashOf(3))).toEqual(await byNumber(3));
    expect(await world.get('debug_getModifiedAccountsByHash', await hashOf(1), await hashOf(3))).toEqual(
      await byNumber(1, 3),
    );
  });

  test('lets other work run while it walks, even where nothing is found', async () => {
    let steps = 0;
    function* changedSince(): Generator<Uint8Array | undefined> {
      for (; steps < 150; steps++) yield undefined;
      yield chain.latest().accountRange(new Uint8Array(32), 1)[0]?.keyHash;
    }
    const { chain } = world.ctx;
    const pausedAt: number[] = [];
    const view = (height: number) => ({ ...chain.latest(), height, changedSince });
    const pause = async (): Promise<void> => void pausedAt.push(steps);
    const ctx = { ...world.ctx, chain: readerWith(chain, { view }), pause };
    const call = { jsonrpc: '2.0', id: 1, method: 'debug_getModifiedAccountsByNumber', params: [1, 2] };
    const { result } = JSON.parse((await handleEthRequest(ctx, JSON.stringify(call), 'http')) as string);
    expect(result).toHaveLength(1);
    expect(pausedAt).toEqual([63, 127, 150]);
  });

  test('refuses in the words of geth', async () => {
    const words = async (...numbers: unknown[]) =>
      (await fault('debug_getModifiedAccountsByNumber', ...numbers))?.message;
    expect(await words(99)).toBe('start block 63 not found');
    expect(await words(1, 99)).toBe('end block 99 not found');
    expect(await words(0)).toBe('block 0 has no parent');
    expect(await words(3, 1)).toBe('start block height (3) must be less than end block height (1)');
    expect(await words('0x1')).toBe(
      'invalid argument 0: json: cannot unmarshal string into Go value of type uint64',
    );
  });
});

test('debug_preimage knows the addresses of the state', async () => {
  for (const address of [dev(), store, FRESH])
    expect(await world.get('debug_preimage', keccak256(address as Hex))).toBe(address);
  expect((await fault('debug_preimage', word(1)))?.message).toBe('unknown preimage');
});

test('debug_getAccessibleState names the first block whose state is there', async () => {
  expect(await world.get('debug_getAccessibleState', '0x1', '0x3')).toBe(1);
  expect(await world.get('debug_getAccessibleState', 'latest', '0x1')).toBe(4);
  const words = async (...ends: unknown[]) => (await fault('debug_getAccessibleState', ...ends))?.message;
  expect(await words('0x1', '0x1')).toBe('from and to needs to be different');
  expect(await words('0x63', '0x1')).toBe('missing header 99');
});

test('debug_getAccessibleState lets other work run while it looks at blocks whose state is gone', async () => {
  let pauses = 0;
  const { chain } = world.ctx;
  const view = (height: number) => (height < 3 ? undefined : chain.view(height));
  const pause = async (): Promise<void> => void pauses++;
  const ctx = { ...world.ctx, chain: readerWith(chain, { view }), pause };
  const call = { jsonrpc: '2.0', id: 1, method: 'debug_getAccessibleState', params: ['0x1', '0x4'] };
  const { result } = JSON.parse((await handleEthRequest(ctx, JSON.stringify(call), 'http')) as string);
  expect([result, pauses]).toEqual([3, 2]);
});
