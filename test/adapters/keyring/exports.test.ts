import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { encryptKeystoreJsonSync, Wallet } from 'ethers';
import { describe, expect, test } from 'vitest';
import { armorKey, unarmorKey } from '../../../adapters/keyring/armor.ts';
import { unlockKeyring } from '../../../adapters/keyring/keyring.ts';
import { decryptKeystore, encryptKeystore } from '../../../adapters/keyring/keystore.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { hex, to0xHex } from '../../../core/lib/bytes.ts';
import { tempDir } from '../tempDir.ts';

const SECRET = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const PASSWORD = 'correct horse';

describe('an armored key', () => {
  test('opens with its password only', async () => {
    const armor = await armorKey(SECRET, PASSWORD);
    expect(armor).toMatch(
      /^-----BEGIN TENDERMINT PRIVATE KEY-----\nkdf: bcrypt\nsalt: [0-9A-F]{32}\ntype: eth_secp256k1\n\n/,
    );
    expect(await unarmorKey(armor, PASSWORD)).toEqual({ ok: true, value: SECRET });
    expect(await unarmorKey(armor, 'wrong horse')).toMatchObject({
      error: { code: 'armor-password', message: 'invalid account password' },
    });
    const at = armor.indexOf('\n\n') + 10;
    const changed = `${armor.slice(0, at)}${armor[at] === 'A' ? 'B' : 'A'}${armor.slice(at + 1)}`;
    expect(await unarmorKey(changed, PASSWORD)).toMatchObject({ error: { message: 'checksum is wrong' } });
    expect(await unarmorKey('hello', PASSWORD)).toMatchObject({ error: { code: 'armor-format' } });
  });
});

describe('an Ethereum keystore', () => {
  test('of ours opens in ethers, and one of ethers in ours', async () => {
    const ours = encryptKeystore(SECRET, PASSWORD, 1024);
    expect((await Wallet.fromEncryptedJson(ours, PASSWORD)).privateKey).toBe(to0xHex(SECRET));
    const wallet = new Wallet(to0xHex(SECRET));
    const theirs = encryptKeystoreJsonSync(wallet, PASSWORD, { scrypt: { N: 1024 } });
    expect(decryptKeystore(theirs, PASSWORD)).toEqual({ ok: true, value: SECRET });
    expect(decryptKeystore(theirs, 'x')).toMatchObject({ error: { message: 'invalid account password' } });
  });

  test('that wants more work or memory than we give is refused at once', () => {
    const ours = JSON.parse(encryptKeystore(SECRET, PASSWORD, 1024));
    for (const greed of [{ n: 2 ** 40 }, { n: 2 ** 20, r: 16 }]) {
      const { crypto } = ours;
      const greedy = { ...ours, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, ...greed } } };
      expect(decryptKeystore(JSON.stringify(greedy), PASSWORD)).toMatchObject({
        error: { code: 'keystore-format' },
      });
    }
  });
});

describe('the file keyring', () => {
  const person = (...answers: string[]) => {
    const told: string[] = [];
    return {
      told,
      askHidden: async (question: string) => {
        told.push(question);
        return answers.shift() ?? '';
      },
      tell: (text: string) => void told.push(text),
    };
  };

  test('asks for a password twice at first and once later, and keeps only its hash, unreadable to others', async () => {
    const dir = tempDir();
    const first = person('short', PASSWORD, PASSWORD);
    const keyring = await unlockKeyring('file', dir, nobleSuite, first);
    expect(first.told[2]).toBe('Enter keyring passphrase (attempt 2/3):');
    expect(keyring.add('me', SECRET).ok).toBe(true);
    const keyhash = join(dir, 'keyring-file', 'keyhash');
    expect(readFileSync(keyhash, 'utf8')).toMatch(/^\$2[aby]\$04\$/);
    for (const file of [keyhash, join(dir, 'keyring-file', 'me.info')])
      expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await unlockKeyring('file', dir, nobleSuite, person('a wrong password', PASSWORD));
    expect(again.secret('me')).toEqual({ ok: true, value: SECRET });
    expect(again.list().map(({ name }) => name)).toEqual(['me']);
    expect(again.rename('me', 'you').ok).toBe(true);
    expect(again.list().map(({ name }) => name)).toEqual(['you']);
    expect(again.show(again.list()[0]?.address ?? '').ok).toBe(true);
  });

  test('gives up after three wrong passwords', async () => {
    const dir = tempDir();
    await unlockKeyring('file', dir, nobleSuite, person(PASSWORD, PASSWORD));
    const wrong = person('wrong password', 'wrong password', 'wrong password');
    await expect(unlockKeyring('file', dir, nobleSuite, wrong)).rejects.toThrow(
      'too many failed passphrase attempts',
    );
    expect(wrong.told.filter((text) => text === 'incorrect passphrase\n')).toHaveLength(3);
  });
});
