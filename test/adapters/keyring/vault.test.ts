import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { decryptKeystore } from '../../../adapters/keyring/keystore.ts';
import { Vault } from '../../../adapters/keyring/vault.ts';
import { hex, toHex } from '../../../core/lib/bytes.ts';
import { wallet } from '../../core/app/support/wallet.ts';
import { tempDir } from '../tempDir.ts';

const SECRET = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const { address: ADDRESS } = wallet(0);

let dir: string;
let nowMs: number;
let passedMs: number;
const open = () => new Vault(join(dir, 'keystore'), { wall: () => nowMs, steady: () => passedMs });

beforeEach(() => {
  dir = tempDir();
  nowMs = 1_700_000_000_000;
  passedMs = 5_000;
});

test('a key is kept under its password, in a file as geth keeps it, and found again after a restart', () => {
  const vault = open();
  expect(vault.addresses).toEqual([]);
  expect(vault.add(SECRET, 'rose')).toEqual({ ok: true, value: ADDRESS });
  const made = vault.create('tulip');
  const [file, ...rest] = readdirSync(join(dir, 'keystore')).sort();
  expect(rest).toHaveLength(1);
  const names = [file, ...rest].map((name) => String(name));
  const own = String(names.find((name) => name.endsWith(toHex(ADDRESS))));
  expect(own).toMatch(/^UTC--2023-11-14T22-13-20\.000000000Z--[0-9a-f]{40}$/);
  const path = join(dir, 'keystore', own);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).not.toContain(toHex(SECRET));
  expect(decryptKeystore(readFileSync(path, 'utf8'), 'rose')).toEqual({ ok: true, value: SECRET });
  const again = open();
  expect(again.addresses).toHaveLength(2);
  expect(made.ok && again.has(made.value)).toBe(true);
  expect(again.open(ADDRESS, 'rose')).toEqual({ ok: true, value: SECRET });
  expect(again.open(ADDRESS, 'tulip')).toEqual({
    ok: false,
    error: 'could not decrypt key with given password',
  });
});

test('a file under the name of another account does not sign as that account', () => {
  const vault = open();
  const made = vault.create('tulip');
  const folder = join(dir, 'keystore');
  const [file = ''] = readdirSync(folder);
  writeFileSync(join(folder, `${file.slice(0, -40)}${toHex(ADDRESS)}`), readFileSync(join(folder, file)));
  const again = open();
  expect(again.has(ADDRESS)).toBe(true);
  expect(made.ok && again.open(made.value, 'tulip').ok).toBe(true);
  expect(again.open(ADDRESS, 'tulip')).toMatchObject({
    error: expect.stringMatching(/^key content mismatch: have/),
  });
  expect(again.unlock(ADDRESS, 'tulip', undefined).ok).toBe(false);
  expect(again.secret(ADDRESS)).toBeUndefined();
});

test('a key signs only while it is unlocked', () => {
  const vault = open();
  vault.add(SECRET, 'rose');
  expect(vault.secret(ADDRESS)).toBeUndefined();
  expect(vault.unlock(ADDRESS, 'tulip', 1000).ok).toBe(false);
  expect(vault.secret(ADDRESS)).toBeUndefined();
  expect(vault.unlock(ADDRESS, 'rose', 1000).ok).toBe(true);
  passedMs += 999;
  // Whoever sets the clock back keeps no key open.
  nowMs -= 3_600_000;
  expect(vault.secret(ADDRESS)).toEqual(SECRET);
  passedMs += 1;
  expect(vault.secret(ADDRESS)).toBeUndefined();
  vault.unlock(ADDRESS, 'rose', undefined);
  passedMs += 1_000_000_000;
  expect(vault.secret(ADDRESS)).toEqual(SECRET);
  vault.lock(ADDRESS);
  expect(vault.secret(ADDRESS)).toBeUndefined();
});

test('refuses an empty password, an invalid key and an existing key', () => {
  const vault = open();
  expect(vault.add(SECRET, '')).toEqual({ ok: false, error: 'a key needs a password' });
  expect(vault.add(new Uint8Array(32), 'rose')).toEqual({ ok: false, error: 'invalid private key' });
  expect(vault.add(new Uint8Array(32).fill(255), 'rose')).toEqual({
    ok: false,
    error: 'invalid private key',
  });
  expect(vault.add(new Uint8Array(31).fill(1), 'rose')).toEqual({ ok: false, error: 'invalid private key' });
  vault.add(SECRET, 'rose');
  expect(vault.add(SECRET, 'tulip')).toEqual({ ok: false, error: 'account already exists' });
  expect(vault.open(wallet(1).address, 'rose')).toEqual({
    ok: false,
    error: 'no key for given address or file',
  });
});

test('a password has at most 1024 characters', () => {
  const vault = open();
  expect(vault.add(SECRET, 'x'.repeat(1025))).toEqual({
    ok: false,
    error: 'a password has at most 1024 characters',
  });
  expect(vault.add(SECRET, 'x'.repeat(1024)).ok).toBe(true);
});

test('the keystore holds at most 1000 keys', () => {
  mkdirSync(join(dir, 'keystore'));
  for (let i = 1; i < 1000; i++)
    writeFileSync(join(dir, 'keystore', `UTC--then--${i.toString(16).padStart(40, '0')}`), '');
  const vault = open();
  expect(vault.add(SECRET, 'rose').ok).toBe(true);
  expect(vault.create('rose')).toEqual({ ok: false, error: 'the keystore holds 1000 keys already' });
  expect(vault.addresses).toHaveLength(1000);
});
