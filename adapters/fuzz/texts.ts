/** Targets for addresses, paths, mnemonics, armor and key files. */
import fc from 'fast-check';
import { decodeBech32, encodeBech32 } from '../../core/address/bech32.ts';
import { toEip55 } from '../../core/address/eip55.ts';
import { formatAddress, parseAnyAddress } from '../../core/address/kinds.ts';
import { sha256 } from '../../core/crypto/hash.ts';
import {
  deriveSecret,
  generateMnemonic,
  isMnemonic,
  mnemonicToSeed,
  parseHdPath,
} from '../../core/crypto/hd.ts';
import { compileQuery } from '../../core/events/query/query.ts';
import { compareText, concat, to0xHex, toHex } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import { armorKey, unarmorKey } from '../keyring/armor.ts';
import { decryptJwe, encryptJwe } from '../keyring/jwe.ts';
import { second } from './second.ts';
import { agree, bytesOf, damaged, type FuzzTarget, holds, holdsLater, seldom } from './target.ts';

const address = bytesOf(20);
const secret = bytesOf(32).filter((bytes) => bytes[0] !== 0xff && bytes.some((byte) => byte !== 0));

const anyForm = fc
  .tuple(address, fc.constantFrom('acc', 'val', 'cons', 'hex', 'eip55'))
  .map(([bytes, form]) => {
    if (form === 'hex') return toHex(bytes);
    return form === 'eip55' ? toEip55(bytes) : formatAddress(form as 'acc', 'chain', bytes);
  });

const words = fc.oneof(...[16, 20, 24, 28, 32].map(bytesOf)).map(generateMnemonic);

const path = fc
  .array(fc.tuple(fc.nat({ max: 0x7fff_ffff }), fc.constantFrom('', "'", 'h', 'H')), { maxLength: 6 })
  .map((elements) => ['m', ...elements.map(([index, mark]) => index + mark)].join('/'));

async function addressProperty() {
  const ethers = await second('ethers');
  const encoding = await second('@cosmjs/encoding');
  return holds(fc.oneof(damaged(anyForm), fc.string()), (text) => {
    const parsed = parseAnyAddress(text, 'chain');
    if (parsed.ok) {
      const { kind, address: bytes } = parsed.value;
      if (bytes.length !== 20) throw new Error(`address of ${bytes.length} bytes`);
      const again = kind === 'hex' ? toHex(bytes) : formatAddress(kind, 'chain', bytes);
      agree('the text again', again, text.toLowerCase().replace(/^0x/, ''));
      if (kind === 'hex')
        agree(
          'EIP-55 as ethers has it',
          toEip55(bytes),
          ethers?.getAddress(to0xHex(bytes)) ?? toEip55(bytes),
        );
    }
    const bech32 = decodeBech32(text);
    if (encoding === undefined || text.length > 90) return;
    let theirs: unknown;
    try {
      theirs = toHex(encoding.fromBech32(text, 1023).data);
    } catch {
      theirs = 'refused';
    }
    agree('Bech32 as CosmJS reads it', bech32.ok ? toHex(bech32.value.bytes) : 'refused', theirs);
    if (bech32.ok)
      agree('Bech32 again', encodeBech32(bech32.value.hrp, bech32.value.bytes), text.toLowerCase());
  });
}

const seeds = fc.uint8Array({ minLength: 16, maxLength: 64 });

async function hdPathProperty() {
  const ethers = await second('ethers');
  return holds(fc.tuple(damaged(path), seeds, seldom), ([text, seed, isDerived]) => {
    const parsed = parseHdPath(text);
    if (!parsed.ok || !isDerived) return;
    const derived = deriveSecret(seed, text);
    if (!derived.ok || ethers === undefined || text === 'm' || parsed.value.length > 6) return;
    const theirs = ethers.HDNodeWallet.fromSeed(seed).derivePath(text.replaceAll(/[hH]/g, "'")).privateKey;
    agree('the secret as ethers derives it', to0xHex(derived.value), theirs);
  });
}

async function mnemonicProperty() {
  const ethers = await second('ethers');
  return holds(fc.tuple(damaged(words), seldom), ([text, hasSeed]) => {
    const isOurs = isMnemonic(text);
    const isPlain = /^[a-z]+( [a-z]+)*$/.test(text);
    if (ethers !== undefined && isPlain)
      agree('taken as by ethers', isOurs, ethers.Mnemonic.isValidMnemonic(text));
    if (hasSeed && isOurs && ethers !== undefined && isPlain) {
      agree(
        'the seed as ethers has it',
        to0xHex(mnemonicToSeed(text)),
        ethers.Mnemonic.fromPhrase(text).computeSeed(),
      );
    }
  });
}

export const TEXT_TARGETS: readonly FuzzTarget[] = [
  { name: 'address', doc: 'every text form of an address', property: addressProperty },
  { name: 'hd-path', doc: 'derivation paths', property: hdPathProperty },
  { name: 'mnemonic', doc: 'BIP-39 words', property: mnemonicProperty },
  {
    name: 'keyring-file',
    doc: 'files of the keyring (JWE)',
    property: () =>
      holds(
        fc.tuple(
          fc.uint8Array({ maxLength: 64 }),
          fc.string({ maxLength: 16 }),
          fc.nat(),
          fc.string({ maxLength: 1 }),
          // As few rounds as possible: they protect passwords, and none needs protection here.
          fc.integer({ min: 1, max: 3 }),
        ),
        ([payload, password, at, letter, rounds]) => {
          const text = encryptJwe(password, payload, '2026-01-01T00:00:00Z', rounds);
          const opened = decryptJwe(password, text);
          agree('what was put in', opened.ok ? toHex(opened.value) : opened.error, toHex(payload));
          const i = at % text.length;
          const changed = text.slice(0, i) + letter + text.slice(i + 1);
          const other = decryptJwe(password, changed);
          if (other.ok) agree('a damaged file', toHex(other.value), toHex(payload));
        },
      ),
  },
  {
    name: 'armor',
    doc: 'armored private keys',
    property: () =>
      holdsLater(fc.tuple(secret, fc.nat(), fc.string({ maxLength: 1 })), async ([key, at, letter]) => {
        const text = await armorKey(key, 'password', quickDraw);
        const whole = await unarmorKey(text, 'password', quickDraw);
        agree('what was put in', whole.ok ? toHex(whole.value) : whole.error, toHex(key));
        const i = at % text.length;
        const damage = text.slice(0, i) + letter + text.slice(i + 1);
        const other = await unarmorKey(damage, 'password', quickDraw);
        if (other.ok) agree('a damaged armor', toHex(other.value), toHex(key));
      }),
  },
  {
    name: 'query',
    doc: 'the event query language',
    property: () =>
      holds(damaged(queryText), (text) => {
        const query = compileQuery(text);
        if (!query.ok && typeof query.error !== 'string') throw new Error('a refusal without words');
      }),
  },
];

const queryText = fc
  .array(
    fc.tuple(
      fc.constantFrom('tm.event', 'tx.height', 'transfer.recipient', 'a.b'),
      fc.constantFrom('=', '<', '<=', '>', '>=', 'CONTAINS', 'EXISTS'),
      fc.constantFrom("'Tx'", '5', '1.5', 'TIME 2026-01-01T00:00:00Z', 'DATE 2026-01-01', ''),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((rows) => rows.map((row) => row.join(' ')).join(' AND '));

/** Replaces bcrypt, scrypt and argon2, which are slow by design and not tested here. */
async function quickDraw(kdf: string, password: string, salt: Uint8Array): Promise<Uint8Array | undefined> {
  if (!['bcrypt', 'scrypt', 'argon2'].includes(kdf)) return undefined;
  return sha256(concat(encodeUtf8(`${kdf} ${password} `), salt));
}

export const byName = (a: FuzzTarget, b: FuzzTarget): number => compareText(a.name, b.name);
