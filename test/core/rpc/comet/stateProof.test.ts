import { RLP } from '@ethereumjs/rlp';
import { computeAddress } from 'ethers';
import protobuf from 'protobufjs';
import { beforeAll, expect, test } from 'vitest';
import { authKey } from '../../../../core/app/auth/keeper.ts';
import { handleCometPost } from '../../../../core/rpc/comet/http.ts';
import { bytesHex, type Loose, RpcWorld } from '../support/rpcWorld.ts';
import { verifyStateProof } from './stateProofVerifier.ts';

let world: RpcWorld;
const NOBODY = new Uint8Array(20).fill(0x5e);

beforeAll(async () => {
  world = await RpcWorld.open();
  for (let i = 0; i < 3; i++) {
    await world.get('eth_sendTransaction', {
      from: bytesHex(world.dev.address),
      to: bytesHex(world.other.address),
      value: '0x1',
    });
    await world.commit();
  }
  await world.commit();
});

async function call(method: string, params: unknown): Promise<Loose> {
  const { body } = await handleCometPost(
    world.ctx,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  );
  return JSON.parse(body).result;
}

async function query(store: string, key: Uint8Array, height: number, prove = true): Promise<Loose> {
  const data = Buffer.from(key).toString('hex');
  const params = { path: `/store/${store}/key`, data, height: String(height), prove };
  return (await call('abci_query', params)).response;
}

/** Of the header that the validators sign: that of the next height. */
async function appHashOf(height: number): Promise<Uint8Array> {
  const { header } = await call('header', { height: String(height + 1) });
  return Buffer.from(header.app_hash, 'hex');
}

const valueIn = (response: Loose): Uint8Array | undefined =>
  response.value === null ? undefined : Buffer.from(response.value, 'base64');

const { root } = protobuf.parse(
  'syntax = "proto3"; message StoredAccount { uint64 number_plus_one = 1; bytes pub_key = 2; }',
  { keepCase: true },
);

test("the header's app hash proves an account's nonce, balance and public key at every height", async () => {
  for (const height of [1, 2, 3]) {
    const account = await query('ethereum', world.dev.address, height);
    expect([account.code, account.height]).toEqual([0, String(height)]);
    const appHash = await appHashOf(height);
    await verifyStateProof(appHash, 'ethereum', world.dev.address, valueIn(account), account.proofOps.ops);
    const [nonce, balance] = RLP.decode(valueIn(account)) as Uint8Array[];
    expect(bytesHex(nonce as Uint8Array)).toBe(`0x0${height}`);
    const known = await world.get('eth_getBalance', bytesHex(world.dev.address), `0x${height}`);
    expect(BigInt(bytesHex(balance as Uint8Array))).toBe(BigInt(known));
    const record = await query('modules', authKey(world.dev.address), height);
    const key = authKey(world.dev.address);
    await verifyStateProof(appHash, 'modules', key, valueIn(record), record.proofOps.ops);
    const stored = root.lookupType('StoredAccount').decode(valueIn(record) as Uint8Array) as Loose;
    expect(computeAddress(bytesHex(stored.pub_key)).toLowerCase()).toBe(bytesHex(world.dev.address));
  }
});

test('the same proves that an account or an entry is not there', async () => {
  const appHash = await appHashOf(2);
  const account = await query('ethereum', NOBODY, 2);
  expect(account.value).toBeNull();
  await verifyStateProof(appHash, 'ethereum', NOBODY, undefined, account.proofOps.ops);
  const record = await query('modules', authKey(NOBODY), 2);
  expect(record.value).toBeNull();
  await verifyStateProof(appHash, 'modules', authKey(NOBODY), undefined, record.proofOps.ops);
});

test('a proof does not verify for another height, value, key or store', async () => {
  const [here, other] = [await appHashOf(2), await appHashOf(3)];
  const { address } = world.dev;
  const account = await query('ethereum', address, 2);
  const { ops } = account.proofOps;
  const value = valueIn(account) as Uint8Array;
  await expect(verifyStateProof(other, 'ethereum', address, value, ops)).rejects.toThrow('another app hash');
  await expect(verifyStateProof(here, 'ethereum', address, undefined, ops)).rejects.toThrow('says otherwise');
  const richer = value.slice();
  richer[value.length - 70] = (richer[value.length - 70] as number) ^ 1;
  await expect(verifyStateProof(here, 'ethereum', address, richer, ops)).rejects.toThrow('says otherwise');
  await expect(verifyStateProof(here, 'ethereum', NOBODY, undefined, ops)).rejects.toThrow('another key');
  await expect(verifyStateProof(here, 'modules', address, value, ops)).rejects.toThrow('unexpected steps');
});

test('without prove there is none, and the newest height waits for its header', async () => {
  expect((await query('ethereum', world.dev.address, 0, false)).proofOps).toBeNull();
  const newest = await query('ethereum', world.dev.address, 0);
  expect(Number(newest.height)).toBe(world.ctx.chain.head());
  await world.commit();
  const appHash = await appHashOf(Number(newest.height));
  const { ops } = newest.proofOps;
  await verifyStateProof(appHash, 'ethereum', world.dev.address, valueIn(newest), ops);
});

test('refusals have the code and text of the SDK', async () => {
  const ask = async (path: string, data: string, height: string): Promise<unknown[]> => {
    const { response } = await call('abci_query', { path, data, height, prove: true });
    return [response.code, response.codespace, response.log];
  };
  const address = bytesHex(world.dev.address).slice(2);
  const key = '/store/ethereum/key';
  expect(await ask(key, address, '99')).toEqual([
    18,
    'sdk',
    'cannot query with height in the future; please provide a valid height: invalid request',
  ]);
  expect(await ask(key, address, '-1')).toEqual([
    18,
    'sdk',
    'cannot query with height < 0; please provide a valid height: invalid request',
  ]);
  expect(await ask(key, '', '0')).toEqual([2, 'sdk', 'query cannot be zero length: tx parse error']);
  expect(await ask(key, 'abcd', '0')).toEqual([
    18,
    'sdk',
    'key is not an address of 20 bytes: invalid request',
  ]);
  expect(await ask('/store/modules/key', 'ab'.repeat(129), '0')).toEqual([
    18,
    'sdk',
    'key is longer than 128 bytes: invalid request',
  ]);
  expect(await ask('/store/iavl/key', '00', '0')).toEqual([6, 'sdk', 'no such store: iavl: unknown request']);
});
