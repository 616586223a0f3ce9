import { expect, test } from 'vitest';
import { type Items, memoryItems } from '../../../adapters/keyring/items.ts';
import { Keyring } from '../../../adapters/keyring/keyring.ts';
import { aminoPrefix } from '../../../core/crypto/amino.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { type Bytes, concat, hex, toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';

const SECRET = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const PUBLIC = nobleSuite.secp256k1PublicKey(SECRET, true);
const ADDRESS = 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266';

const field = (number: number, data: Bytes): Bytes =>
  concat(Uint8Array.of(number * 8 + 2, data.length), data);
const amino = (name: string, key: Bytes): Bytes =>
  concat(new Uint8Array(aminoPrefix(name)), Uint8Array.of(key.length), key);

function legacy(kind: 'localInfo' | 'offlineInfo', name: string, secret: Bytes = SECRET): Bytes {
  const algo = field(kind === 'localInfo' ? 4 : 3, encodeUtf8('eth_secp256k1'));
  return concat(
    new Uint8Array(aminoPrefix(`crypto/keys/${kind}`)),
    field(1, encodeUtf8(name)),
    field(2, amino('ethermint/PubKeyEthSecp256k1', PUBLIC)),
    ...(kind === 'localInfo' ? [field(3, amino('ethermint/PrivKeyEthSecp256k1', secret))] : []),
    algo,
  );
}

const ringOf = (items: Items): Keyring => new Keyring(items, nobleSuite);

test('amino prefixes are those that Tendermint documents', () => {
  expect(Buffer.from(aminoPrefix('tendermint/PubKeySecp256k1')).toString('hex')).toBe('eb5ae987');
  expect(Buffer.from(aminoPrefix('tendermint/PrivKeySecp256k1')).toString('hex')).toBe('e1b0f79b');
});

test('a key of an old keyring opens after it was migrated, and is migrated once', () => {
  const items = memoryItems();
  items.set('old.info', legacy('localInfo', 'old'));
  const keyring = ringOf(items);
  expect(keyring.show('old')).toMatchObject({ ok: false, error: { code: 'key-unreadable' } });
  expect(keyring.migrate()).toEqual([{ item: 'old.info', problem: undefined }]);
  expect(keyring.secret(hex(ADDRESS))).toEqual({ ok: true, value: SECRET });
  expect(items.names()).toEqual([`${ADDRESS}.address`, 'old.info']);
  expect(keyring.migrate()).toEqual([]);
});

test('an offline key keeps its public half', () => {
  const items = memoryItems();
  items.set('cold.info', legacy('offlineInfo', 'cold'));
  const keyring = ringOf(items);
  expect(keyring.migrate()).toEqual([{ item: 'cold.info', problem: undefined }]);
  const shown = keyring.show('cold');
  expect(shown.ok && [shown.value.kind, toHex(shown.value.publicKey)]).toEqual(['offline', toHex(PUBLIC)]);
});

test('records that are damaged, misnamed or of another algorithm stay unchanged and are reported', () => {
  const items = memoryItems();
  const other = hex('59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
  const wrong: Readonly<Record<string, Bytes>> = {
    'a.info': legacy('localInfo', 'b'),
    'c.info': legacy('localInfo', 'c', other),
    'd.info': legacy('localInfo', 'd').slice(0, -20),
    'e.info': concat(new Uint8Array(aminoPrefix('crypto/keys/ledgerInfo')), field(1, encodeUtf8('e'))),
  };
  for (const [name, data] of Object.entries(wrong)) items.set(name, data);
  const told = ringOf(items).migrate();
  expect(told.map(({ item }) => item)).toEqual(Object.keys(wrong));
  for (const { problem } of told) expect(problem).toMatch(/./);
  for (const [name, data] of Object.entries(wrong)) expect(items.get(name)).toEqual(data);
});
