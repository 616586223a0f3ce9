import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decryptJwe, encryptJwe } from '../../../adapters/keyring/jwe.ts';
import { type Keyring, openKeyring } from '../../../adapters/keyring/keyring.ts';
import { decodeRecord, encodeRecord } from '../../../adapters/keyring/record.ts';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { hex, toHex } from '../../../core/lib/bytes.ts';
import { tempDir } from '../tempDir.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';
const DEV0 = 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const DEV0_SECRET = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

interface JweVectors {
  readonly password: string;
  readonly files: readonly { readonly file: string; readonly jwe: string; readonly payload_json: string }[];
}
const vectors = JSON.parse(readFileSync('test/vectors/evm/keyring_file_jwe.json', 'utf8')) as JweVectors;

const unwrap = <T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: { message: string } },
): T => {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};

const codeOf = (result: {
  readonly ok: boolean;
  readonly error?: { readonly code: string };
}): string | undefined => result.error?.code;

describe('a keyring file', () => {
  test.each(vectors.files)('written by the Cosmos SDK is decrypted: $file', ({ jwe, payload_json }) => {
    const payload = unwrap(decryptJwe(vectors.password, jwe));
    expect(new TextDecoder().decode(payload)).toBe(payload_json);
  });

  test('decrypts with the right password, and fails for a wrong one or a changed character', () => {
    const payload = Uint8Array.of(1, 2, 3);
    const text = encryptJwe('test', payload, '2026-01-01');
    expect(unwrap(decryptJwe('test', text))).toEqual(payload);
    expect(codeOf(decryptJwe('toast', text))).toBe('jwe-password');
    const dot = text.lastIndexOf('.');
    const changed = `${text.slice(0, dot - 2)}${text[dot - 2] === 'A' ? 'B' : 'A'}${text.slice(dot - 1)}`;
    expect(codeOf(decryptJwe('test', changed))).toBe('jwe-password');
  });

  test.each(['', 'a.b.c.d.e', 'a.b.c', `${Buffer.from('{"alg":"none"}').toString('base64url')}....`])(
    'that is no such thing is refused: %j',
    (text) => expect(codeOf(decryptJwe('test', text))).toBe('jwe-format'),
  );

  test('asking for endless rounds is refused at once', () => {
    const [header = '', ...rest] = encryptJwe('test', Uint8Array.of(1), '2026-01-01', 1).split('.');
    const greedy = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), p2c: 10_000_001 };
    const text = [Buffer.from(JSON.stringify(greedy)).toString('base64url'), ...rest].join('.');
    expect(codeOf(decryptJwe('test', text))).toBe('jwe-format');
  });
});

describe.each(['test', 'memory'] as const)('the %s keyring', (backend) => {
  const opened = (): Keyring => openKeyring(backend, tempDir(), nobleSuite);

  test('keeps the key of a mnemonic under its name and its address', () => {
    const keyring = opened();
    const added = unwrap(keyring.addMnemonic('dev0', `  ${MNEMONIC.replace(' ', '   ')}\n`));
    expect(toHex(added.address)).toBe(DEV0);
    expect(added).toMatchObject({ name: 'dev0', kind: 'local' });
    expect(unwrap(keyring.show('dev0'))).toEqual(added);
    expect(unwrap(keyring.show(hex(DEV0)))).toEqual(added);
    expect(toHex(unwrap(keyring.secret('dev0')))).toBe(DEV0_SECRET);
    expect(toHex(unwrap(keyring.secret(hex(DEV0))))).toBe(DEV0_SECRET);
  });

  test('lists by name, and forgets what is deleted', () => {
    const keyring = opened();
    for (const [name, index] of [
      ['zoe', 0],
      ['adam', 1],
      ['a/b %2F', 2],
    ] as const) {
      unwrap(keyring.addMnemonic(name, MNEMONIC, `m/44'/60'/0'/0/${index}`));
    }
    expect(keyring.list().map(({ name }) => name)).toEqual(['a/b %2F', 'adam', 'zoe']);
    expect(toHex(unwrap(keyring.delete('zoe')).address)).toBe(DEV0);
    expect(keyring.list().length).toBe(2);
    expect(codeOf(keyring.show('zoe'))).toBe('key-unknown');
    expect(codeOf(keyring.show(hex(DEV0)))).toBe('key-unknown');
    expect(codeOf(keyring.delete('zoe'))).toBe('key-unknown');
  });

  test('refuses a second key of one name, a second name of one key, and an invalid key', () => {
    const keyring = opened();
    unwrap(keyring.addMnemonic('dev0', MNEMONIC));
    expect(codeOf(keyring.addMnemonic('dev0', MNEMONIC, "m/44'/60'/0'/0/1"))).toBe('key-exists');
    expect(keyring.addMnemonic('other', MNEMONIC)).toMatchObject({
      error: { code: 'key-duplicate', message: 'duplicated address created' },
    });
    expect(codeOf(keyring.addMnemonic('x', MNEMONIC.replace('junk', 'test')))).toBe('mnemonic');
    expect(codeOf(keyring.addMnemonic('x', MNEMONIC, '44/60'))).toBe('hd-path');
    expect(codeOf(keyring.add('x', new Uint8Array(32)))).toBe('key-secret');
    expect(codeOf(keyring.add('x', new Uint8Array(31).fill(1)))).toBe('key-secret');
    expect(codeOf(keyring.add('x', new Uint8Array(32).fill(0xff)))).toBe('key-secret');
    for (const name of ['', '  ', 'a\nb', 'x'.repeat(201)]) {
      expect(codeOf(keyring.add(name, hex(DEV0_SECRET)))).toBe('key-name');
    }
    expect(keyring.list().length).toBe(1);
  });

  test('keeps a public key without its secret', () => {
    const keyring = opened();
    const publicKey = nobleSuite.secp256k1PublicKey(hex(DEV0_SECRET), true);
    expect(toHex(unwrap(keyring.addOffline('cold', publicKey)).address)).toBe(DEV0);
    expect(unwrap(keyring.show('cold')).kind).toBe('offline');
    expect(codeOf(keyring.secret('cold'))).toBe('key-secret');
  });
});

describe('the test keyring on disk', () => {
  test('has the files of the SDK, private to the user, and is read again', () => {
    const home = tempDir();
    unwrap(openKeyring('test', home, nobleSuite).addMnemonic('dev0', MNEMONIC));
    const dir = join(home, 'keyring-test');
    expect(readdirSync(dir).sort()).toEqual(['dev0.info', `${DEV0}.address`]);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, 'dev0.info')).mode & 0o777).toBe(0o600);
    const payload = unwrap(decryptJwe('test', readFileSync(join(dir, `${DEV0}.address`), 'utf8')));
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
      Key: `${DEV0}.address`,
      Data: Buffer.from('dev0.info').toString('base64'),
    });
    expect(toHex(unwrap(openKeyring('test', home, nobleSuite).secret('dev0')))).toBe(DEV0_SECRET);
  });

  test('can add a key again whose deletion was interrupted', () => {
    const home = tempDir();
    const keyring = openKeyring('test', home, nobleSuite);
    unwrap(keyring.addMnemonic('dev0', MNEMONIC));
    rmSync(join(home, 'keyring-test', 'dev0.info'));
    const other = unwrap(keyring.addMnemonic('dev0', MNEMONIC, "m/44'/60'/0'/0/1"));
    expect(codeOf(keyring.show(hex(DEV0)))).toBe('key-unknown');
    expect(codeOf(keyring.secret(hex(DEV0)))).toBe('key-unknown');
    unwrap(keyring.addMnemonic('again', MNEMONIC));
    expect(unwrap(keyring.show(hex(DEV0))).name).toBe('again');
    expect(unwrap(keyring.show(other.address)).name).toBe('dev0');
  });

  test('with a damaged file says which', () => {
    const home = tempDir();
    unwrap(openKeyring('test', home, nobleSuite).addMnemonic('dev0', MNEMONIC));
    const path = join(home, 'keyring-test', 'dev0.info');
    writeFileSync(path, 'damaged');
    const show = (): unknown => openKeyring('test', home, nobleSuite).show('dev0');
    expect(show).toThrow(OperatingError);
    expect(show).toThrow(`cannot open key file ${path}: 1 parts, expected 5`);
  });

  test('with a file that was cut says what is cut', () => {
    const home = tempDir();
    unwrap(openKeyring('test', home, nobleSuite).addMnemonic('dev0', MNEMONIC));
    const path = join(home, 'keyring-test', 'dev0.info');
    const parts = readFileSync(path, 'utf8').split('.');
    for (const [cut, reason] of [
      [1, 'wrapped key of wrong length'],
      [2, 'nonce or tag of wrong length'],
      [4, 'nonce or tag of wrong length'],
    ] as const) {
      writeFileSync(path, parts.map((part, i) => (i === cut ? part.slice(0, -4) : part)).join('.'));
      expect(() => openKeyring('test', home, nobleSuite).show('dev0')).toThrow(reason);
    }
  });

  test('refuses the backend `os` and names the available ones', () => {
    expect(() => openKeyring('os', tempDir(), nobleSuite)).toThrow(
      'keyring backend "os" is not available here: use file, test or memory',
    );
  });
});

describe('a keyring record', () => {
  const key = {
    name: 'dev0',
    kind: 'local',
    publicKey: nobleSuite.secp256k1PublicKey(hex(DEV0_SECRET), true),
    secret: hex(DEV0_SECRET),
  } as const;

  test.each(['/ethermint.crypto.v1', '/cosmos.evm.crypto.v1'])('of a relative is read: %s', (prefix) => {
    expect(unwrap(decodeRecord(renameUrls(encodeRecord(key), prefix)))).toEqual(key);
  });

  test('of a multisig or of another algorithm is an error that says so', () => {
    const renamed = renameUrls(encodeRecord(key), '/cosmos.crypto.x1');
    expect(decodeRecord(renamed)).toMatchObject({
      error: {
        code: 'record',
        message: 'dev0 has a public key of type /cosmos.crypto.x1.ethsecp256k1.PubKey',
      },
    });
    expect(decodeRecord(encodeRecord({ ...key, secret: undefined }))).toMatchObject({
      error: { message: 'dev0 has a private key of type none' },
    });
    const multi = Uint8Array.of(0x0a, 1, 0x6d, 0x2a, 0);
    expect(decodeRecord(multi)).toMatchObject({ error: { message: 'm is a multisig key' } });
    expect(codeOf(decodeRecord(hex(vectorData())))).toBe('record');
  });
});

/** The amino record of the SDK before 0.46. */
const vectorData = (): string => (vectors.files[0] as unknown as { data_hex: string }).data_hex;

/** Rewrites the package of both type URLs, and the lengths of what holds them (all below 128). */
function renameUrls(record: Uint8Array, prefix: string): Uint8Array {
  const old = Buffer.from('/chain.crypto.v1');
  const copy = Buffer.from(record);
  const pub = copy.indexOf(old);
  const priv = copy.indexOf(old, pub + 1);
  // Before a URL stands its length; before its tag, the length of Any; before that of the private key, that of Local.
  for (const at of [pub - 1, pub - 3, priv - 1, priv - 3, priv - 5]) {
    copy[at] = (copy[at] as number) + prefix.length - old.length;
  }
  const parts = [
    copy.subarray(0, pub),
    copy.subarray(pub + old.length, priv),
    copy.subarray(priv + old.length),
  ];
  return new Uint8Array(Buffer.from(parts.map((part) => part.toString('latin1')).join(prefix), 'latin1'));
}
