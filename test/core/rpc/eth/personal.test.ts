import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Hex, recoverMessageAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Vault } from '../../../../adapters/keyring/vault.ts';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { bytesHex, type JsonReply, type Loose, RpcWorld } from '../support/rpcWorld.ts';

const KEY = '5e'.repeat(32);
const dir = mkdtempSync(join(tmpdir(), 'orrery-test-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const IMPORTED = privateKeyToAccount(`0x${KEY}`).address.toLowerCase();

let world: RpcWorld;
let dev: Hex;
/** The same node with a place for keys that requests bring. */
let ask: (method: string, ...params: unknown[]) => Promise<JsonReply>;

beforeAll(async () => {
  world = await RpcWorld.open();
  dev = bytesHex(world.dev.address) as Hex;
  const now = (): number => world.nowMicros / 1000;
  const vault = new Vault(dir, { wall: now, steady: now });
  const { keys } = world.ctx;
  const ctx = {
    ...world.ctx,
    limits: { ...world.ctx.limits, namespaces: [...world.ctx.limits.namespaces, 'personal'] },
    keys: {
      get addresses() {
        return [...keys.addresses, ...vault.addresses];
      },
      secret: (address: Uint8Array) => keys.secret(address) ?? vault.secret(address),
      vault,
    },
  };
  ask = async (method, ...params) =>
    JSON.parse(
      (await handleEthRequest(ctx, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), 'http')) ??
        'null',
    );
});

const get = async (method: string, ...params: unknown[]): Promise<Loose> => {
  const reply = await ask(method, ...params);
  if (reply.error !== undefined) throw new Error(reply.error.message);
  return reply.result;
};
const refusal = async (method: string, ...params: unknown[]) => (await ask(method, ...params)).error?.message;

test('a key that a request brings signs only under its password or while unlocked', async () => {
  expect(await get('personal_importRawKey', KEY, 'rose')).toBe(IMPORTED);
  expect(await get('personal_listAccounts')).toEqual([dev, IMPORTED]);
  expect(await get('eth_accounts')).toEqual([dev, IMPORTED]);
  expect(await refusal('eth_sign', IMPORTED, '0x68656c6c6f')).toBe(
    'authentication needed: password or unlock',
  );
  const signature = await get('personal_sign', '0x68656c6c6f', IMPORTED, 'rose');
  expect((await recoverMessageAddress({ message: 'hello', signature })).toLowerCase()).toBe(IMPORTED);
  expect(await get('personal_ecRecover', '0x68656c6c6f', signature)).toBe(IMPORTED);
  const wrong = 'could not decrypt key with given password';
  expect(await refusal('personal_sign', '0x68656c6c6f', IMPORTED, 'tulip')).toBe(wrong);
  expect(await refusal('personal_unlockAccount', IMPORTED, 'tulip')).toBe(wrong);
  expect(await get('personal_unlockAccount', IMPORTED, 'rose', 60)).toBe(true);
  world.nowMicros += 59_999_000;
  expect(await get('eth_sign', IMPORTED, '0x68656c6c6f')).toBe(signature);
  world.nowMicros += 1_000;
  expect(await refusal('eth_sign', IMPORTED, '0x68656c6c6f')).toBe(
    'authentication needed: password or unlock',
  );
  expect(await get('personal_unlockAccount', IMPORTED, 'rose', '0x0')).toBe(true);
  expect(await get('personal_lockAccount', IMPORTED)).toBe(true);
  expect(await refusal('eth_sign', IMPORTED, '0x68656c6c6f')).toBe(
    'authentication needed: password or unlock',
  );
});

test('an account is unlocked for five minutes, for as long as it is said, or for good', async () => {
  const locked = 'authentication needed: password or unlock';
  const sign = () => ask('eth_sign', IMPORTED, '0x00').then(({ error }) => error?.message);
  expect(await get('personal_unlockAccount', IMPORTED, 'rose')).toBe(true);
  world.nowMicros += 299_999_000;
  expect(await sign()).toBe(undefined);
  world.nowMicros += 1_000;
  expect(await sign()).toBe(locked);
  expect(await refusal('personal_unlockAccount', IMPORTED, 'rose', 9_223_372_037)).toBe(
    'unlock duration too large',
  );
  expect(await get('personal_unlockAccount', IMPORTED, 'rose', 9_223_372_036)).toBe(true);
  expect(await get('personal_unlockAccount', IMPORTED, 'rose', 0)).toBe(true);
  world.nowMicros += 1_000_000_000_000_000;
  expect(await sign()).toBe(undefined);
  expect(await get('personal_lockAccount', IMPORTED)).toBe(true);
});

test('a signature must be one, over the message that it is said to be over', async () => {
  const signature: string = await get('personal_sign', '0x68656c6c6f', dev, '');
  const of = (v: string, rs = signature.slice(0, -2)) =>
    refusal('personal_ecRecover', '0x68656c6c6f', rs + v);
  expect(await of('')).toBe('signature must be 65 bytes long');
  expect(await of('1b00')).toBe('signature must be 65 bytes long');
  for (const v of ['00', '1a', '1d'])
    expect(await of(v)).toBe('invalid Ethereum signature (V is not 27 or 28)');
  expect(await of('1b', `0x${'00'.repeat(64)}`)).toBe('invalid signature');
  expect(await get('personal_ecRecover', '0x68656c6c', signature)).not.toBe(dev);
});

test('a new account can be funded and can spend with its password', async () => {
  const made = await get('personal_newAccount', 'iris');
  await get('eth_sendTransaction', { from: dev, to: made, value: '0xde0b6b3a7640000' });
  await world.commit();
  expect(await refusal('eth_sendTransaction', { from: made, to: dev, value: '0x1' })).toBe(
    'authentication needed: password or unlock',
  );
  const hash = await get('personal_sendTransaction', { from: made, to: dev, value: '0x1' }, 'iris');
  await world.commit();
  expect(await get('eth_getTransactionReceipt', hash)).toMatchObject({ from: made, to: dev, status: '0x1' });
});

test('dev accounts are always unlocked, and others unknown', async () => {
  expect(await get('personal_unlockAccount', dev, 'whatever', 5)).toBe(true);
  expect(await get('personal_lockAccount', dev)).toBe(false);
  expect(await get('eth_sign', dev, '0x00')).toBe(await get('personal_sign', '0x00', dev, ''));
  const stranger = `0x${'77'.repeat(20)}`;
  expect(await refusal('personal_unlockAccount', stranger, 'rose')).toBe('no key for given address or file');
  expect(await refusal('personal_sign', '0x00', stranger, 'rose')).toBe('unknown account');
  expect(await get('personal_listWallets')).toBe(null);
  expect(await refusal('personal_initializeWallet', 'keycard://1')).toBe(
    'smartcard wallets are not supported',
  );
  expect(await refusal('personal_unpair', 'keycard://1', '0000')).toBe('smartcard wallets are not supported');
});

test('a key needs a password, must be a key, and is taken once', async () => {
  expect(await refusal('personal_newAccount', '')).toBe('a key needs a password');
  expect((await ask('personal_newAccount')).error?.code).toBe(-32602);
  expect(await refusal('personal_importRawKey', KEY, 'rose')).toBe('account already exists');
  expect(await refusal('personal_importRawKey', `0x${KEY}`, 'rose')).toBe('account already exists');
  expect(await refusal('personal_importRawKey', 'xyz', 'rose')).toBe('invalid hex data for private key');
  expect(await refusal('personal_importRawKey', '00', 'rose')).toBe('invalid length, need 256 bits');
  expect(await refusal('personal_importRawKey', '00'.repeat(32), 'rose')).toBe('invalid private key');
});

test('a node without unlocked keys takes none', async () => {
  const { error } = await world.rpc('personal_newAccount', 'rose');
  expect(error).toEqual({
    code: -32000,
    message: 'this node takes no keys from requests: use `orrery keys`, or a devnet',
  });
});
