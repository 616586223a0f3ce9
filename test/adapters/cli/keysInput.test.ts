/** What `keys` reads from standard input, in a process of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HDNodeWallet } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';

const MNEMONIC = 'test test test test test test test test test test test junk';
const PUB_KEY =
  '{"@type":"/ethermint.crypto.v1.ethsecp256k1.PubKey","key":"A4MYU1tUEF1Keq5gwI/EX5aHGBtP38YlvRp1P6c5f+11"}';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'orrery-keys-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const keys = (input: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const where = ['--home', home, 'keys', ...args, '--keyring-backend', 'test'];
    const child = spawn(process.execPath, ['bin/orrery.js', ...where]);
    const text = { out: '', err: '' };
    child.stdout.on('data', (data) => {
      text.out += data;
    });
    child.stderr.on('data', (data) => {
      text.err += data;
    });
    child.on('close', (code) => resolve({ code: code ?? 1, ...text }));
    child.stdin.end(input);
  });

test('--interactive takes words and a BIP-39 passphrase, which must be typed twice alike', async () => {
  const { out, err } = await keys(
    `${MNEMONIC}\nsalt\nsalt\n`,
    'add',
    'salted',
    '--interactive',
    '--output',
    'json',
  );
  expect(err).toContain('> Enter your bip39 mnemonic, or hit enter to generate one.\n');
  const shown = JSON.parse(out);
  expect(Object.keys(shown)).toEqual(['name', 'type', 'address', 'pubkey']);
  const theirs = HDNodeWallet.fromPhrase(MNEMONIC, 'salt', "m/44'/60'/0'/0/0");
  const parsed = await keys('', 'parse', shown.address, '--output', 'json');
  expect(JSON.parse(parsed.out).bytes).toBe(theirs.address.slice(2).toUpperCase());
  const differ = await keys(`${MNEMONIC}\nsalt\npepper\n`, 'add', 'x', '-i');
  expect([differ.code, differ.err.split('\n').at(-2)]).toEqual([1, "Error: passphrases don't match"]);
  const made = await keys('\n\n', 'add', 'made', '-i', '--output', 'json');
  expect(JSON.parse(made.out).mnemonic.split(' ')).toHaveLength(24);
});

test('--pubkey keeps a key without its secret, under the names of our relatives too', async () => {
  const added = await keys('', 'add', 'cold', '--pubkey', PUB_KEY, '--output', 'json');
  expect(JSON.parse(added.out)).toMatchObject({
    type: 'offline',
    address: 'chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4',
  });
  expect(added.err).toBe('');
  expect((await keys('', 'unsafe-export-eth-key', 'cold')).err).toContain('cold is offline');
  expect((await keys('', 'delete', 'cold', '-y')).err).toBe('Public key reference deleted\n');
  for (const bad of ['x', '{"@type":"/x"}', PUB_KEY.replace('A4MY', 'A4M')])
    expect((await keys('', 'add', 'bad', '--pubkey', bad)).err).toMatch(
      /^Error: (--pubkey: expected|invalid pubkey size)/,
    );
});

test('an override that is not confirmed leaves the old key, and a confirmed one replaces it', async () => {
  await keys('', 'add', 'kept', '--output', 'json');
  const before = (await keys('', 'show', 'kept', '-a')).out;
  const refused = await keys('n\n', 'add', 'kept');
  expect(refused.err).toContain('override the existing name kept [y/N]: ');
  expect(refused.err).toContain('Error: key overwrite confirmation for "kept" aborted\n');
  expect((await keys('', 'show', 'kept', '-a')).out).toBe(before);
  expect((await keys('y\n', 'add', 'kept')).code).toBe(0);
  expect((await keys('', 'show', 'kept', '-a')).out).not.toBe(before);
  expect((await keys('', 'migrate')).err).toBe('Keys migration has been successfully executed.\n');
});

test('unsafe-import-eth-key asks for a passphrase first, as the tools do whose scripts call it', async () => {
  const hex = `${'22'.repeat(32)}`;
  const short = await keys('short\n', 'unsafe-import-eth-key', 'eth', hex);
  expect([short.code, short.err]).toEqual([1, expect.stringContaining('at least 8 characters')]);
  const taken = await keys('12345678\n', 'unsafe-import-eth-key', 'eth', hex);
  expect([taken.code, taken.err]).toEqual([0, 'Enter passphrase to encrypt your key:']);
  expect((await keys('', 'unsafe-export-eth-key', 'eth')).out).toBe(`${hex}\n`);
});
