import { createCipheriv } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { encryptKeystoreJsonSync, Wallet } from 'ethers';
import { argon2id } from 'hash-wasm';
import { describe, expect, test } from 'vitest';
import { armorKey, unarmorKey } from '../../../adapters/keyring/armor.ts';
import { unlockKeyring } from '../../../adapters/keyring/keyring.ts';
import { decryptKeystore, encryptKeystore } from '../../../adapters/keyring/keystore.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { hex, to0xHex } from '../../../core/lib/bytes.ts';
import { tempDir } from '../tempDir.ts';

const SECRET = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const PASSWORD = 'correct horse';

/** Of geth's v3_test_vector.json. */
const SHORT = [
  {
    ciphertext: '9517cd5bdbe69076f9bf5057248c6c050141e970efa36ce53692d5d59a3984',
    iv: 'e0c41130a323adc1446fc82f724bca2f',
    salt: '711f816911c92d649fb4c84b047915679933555030b3552c1212609b38208c63',
    mac: 'd5e116151c6aa71470e67a7d42c9620c75c4d23229847dcc127794f0732b0db5',
    secret: 'fa7b3db73dc7dfdf8c5fbdb796d741e4488628c41fc4febd9160a866ba0f35',
  },
  {
    ciphertext: '108b7d34f3442fc26ab1ab90ca91476ba6bfa8c00975a49ef9051dc675aa',
    iv: '3ca92af36ad7c2cd92454c59cea5ef00',
    salt: 'd0769e608fb86cda848065642a9c6fa046845c928175662b8e356c77f914cd3b',
    mac: '75d0e6759f7b3cefa319c3be41680ab6beea7d8328653474bd06706d4cc67420',
    secret: '81c29e8142bb6a81bef5a92bda7a8328a5c85bb2f9542e76f9b0f94fc018',
  },
];

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

  test('of SDK 0.50 and newer, under argon2 and ChaCha20-Poly1305, opens with its password only', async () => {
    const salt = Buffer.alloc(16, 0xab);
    const cost = { parallelism: 4, iterations: 1, memorySize: 65_536, hashLength: 32 };
    const key = await argon2id({ password: PASSWORD, salt, ...cost, outputType: 'binary' });
    const seal = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 });
    // The amino name ethermint/PrivKeyEthSecp256k1 as its prefix, and the length.
    const amino = Buffer.concat([Buffer.from('fcd2efcc20', 'hex'), SECRET]);
    const body = Buffer.concat([seal.update(amino), seal.final(), seal.getAuthTag()]).toString('base64');
    const lines = [
      '-----BEGIN TENDERMINT PRIVATE KEY-----',
      `salt: ${salt.toString('hex').toUpperCase()}`,
      'type: eth_secp256k1',
      'kdf: argon2',
      '',
      body.slice(0, 64),
      body.slice(64),
      '-----END TENDERMINT PRIVATE KEY-----',
    ];
    expect(await unarmorKey(lines.join('\n'), PASSWORD)).toEqual({ ok: true, value: SECRET });
    expect(await unarmorKey(lines.join('\n'), 'wrong horse')).toMatchObject({
      error: { code: 'armor-password' },
    });
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

  test.each(SHORT)('whose secret lacks its leading zeros ($secret) gets them back', (short) => {
    const { ciphertext, iv, salt, mac, secret } = short;
    const kdfparams = { dklen: 32, n: 2, r: 8, p: 1, salt };
    const crypto = { cipher: 'aes-128-ctr', cipherparams: { iv }, ciphertext, kdf: 'scrypt', kdfparams, mac };
    const opened = decryptKeystore(JSON.stringify({ version: 3, crypto }), 'foo');
    expect(opened).toEqual({ ok: true, value: hex(secret.padStart(64, '0')) });
  });

  test('may have upper-case hex and 0x, and invalid hex is told apart from a wrong password', () => {
    const ours = JSON.parse(encryptKeystore(SECRET, PASSWORD, 1024));
    const { crypto } = ours;
    const with0x = (text: string): string => `0x${text.toUpperCase()}`;
    const salted = (salt: unknown) => ({ ...crypto.kdfparams, salt });
    const other = {
      ...crypto,
      ciphertext: with0x(crypto.ciphertext),
      cipherparams: { iv: with0x(crypto.cipherparams.iv) },
      kdfparams: salted(with0x(crypto.kdfparams.salt)),
      mac: with0x(crypto.mac),
    };
    expect(decryptKeystore(JSON.stringify({ ...ours, crypto: other }), PASSWORD)).toEqual({
      ok: true,
      value: SECRET,
    });
    for (const damage of [
      { kdfparams: salted('xyz') },
      { kdfparams: salted(7) },
      { mac: `${crypto.mac}zz` },
      { cipherparams: null },
      { ciphertext: '' },
    ])
      expect(
        decryptKeystore(JSON.stringify({ ...ours, crypto: { ...crypto, ...damage } }), PASSWORD),
      ).toMatchObject({ error: { code: 'keystore-format' } });
    expect(decryptKeystore('{"version":3,"crypto":null}', PASSWORD)).toMatchObject({
      error: { code: 'keystore-format' },
    });
  });

  test('opens with a password in the form that ethers gives it, and in the form that geth leaves it', () => {
    const typed = 'pa\u0073\u0301word \uFF11\uFF12';
    const ethers = encryptKeystoreJsonSync(new Wallet(to0xHex(SECRET)), typed, { scrypt: { N: 1024 } });
    const geth = encryptKeystore(SECRET, typed, 1024);
    for (const keystore of [ethers, geth])
      expect(decryptKeystore(keystore, typed)).toEqual({ ok: true, value: SECRET });
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
