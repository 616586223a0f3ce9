import type { Command } from 'commander';
import { decodeBech32 } from '../../core/address/bech32.ts';
import { toEip55 } from '../../core/address/eip55.ts';
import { formatAddress, hrpOf, parseAnyAddress } from '../../core/address/kinds.ts';
import { ETH_PUB_KEY_URLS, TYPE_URL } from '../../core/app/typeUrls.ts';
import { ed25519Address, ethAddress } from '../../core/crypto/addresses.ts';
import { aminoPrefix, PUB_KEY_NAMES } from '../../core/crypto/amino.ts';
import { fromBase64, toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, equalBytes, parseHex, toHex, toUpperHex } from '../../core/lib/bytes.ts';
import { hrpOfHome } from '../config/genesisFile.ts';
import { OperatingError } from '../operatingError.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

interface DebugOptions extends GlobalOptions {
  readonly prefix?: string;
  readonly eip55?: boolean;
  readonly type?: string;
}

const ED25519_URL = '/cosmos.crypto.ed25519.PubKey';
/** Maximum bytes for `debug raw-bytes`. */
const RAW_BYTES_MAX = 1_048_576;

export function debugCommand(command: Command, world: World): void {
  const add = (
    name: string,
    argument: string | undefined,
    description: string,
    run: (text: string, hrp: string, options: DebugOptions) => string,
    furnish: (sub: Command) => void = () => {},
  ): void => {
    const sub = command
      .command(name)
      .option('--prefix <prefix>', "bech32 prefix of the chain (default: the home's)")
      .description(description);
    if (argument !== undefined) sub.argument(argument);
    furnish(sub);
    sub.action((given: unknown) => {
      const options: DebugOptions = sub.optsWithGlobals();
      const hrp = options.prefix ?? hrpOfHome(homeFrom(options, world));
      world.out(run(typeof given === 'string' ? given : '', hrp, options));
    });
  };
  add('addr', '<address>', 'show every form of an address', addressForms, (sub) =>
    sub.option('--eip55', 'show the EIP-55 form too'),
  );
  add('pubkey', '<json>', 'the address of a public key in proto JSON', pubKeyForms);
  add('pubkey-raw', '<key>', 'a public key in hex, base64 or Bech32', rawKeyForms, (sub) =>
    sub.option('-t, --type <type>', 'ed25519 or eth_secp256k1', 'ed25519'),
  );
  add('raw-bytes', '<bytes>', 'decimal bytes like "[72 101 108]" as hex', rawBytes);
  add('prefixes', undefined, 'the Bech32 prefixes of this chain', (_, hrp) =>
    lines(`Bech32 Acc: ${hrp}`, `Bech32 Val: ${hrpOf('val', hrp)}`, `Bech32 Con: ${hrpOf('cons', hrp)}`),
  );
}

const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');

function addressForms(text: string, hrp: string, { eip55 }: DebugOptions): string {
  const parsed = parseAnyAddress(text, hrp);
  if (!parsed.ok)
    throw new OperatingError(
      `expected a valid hex or bech32 address (acc prefix ${hrp}), got '${text}': ${parsed.error.message}`,
    );
  const { address } = parsed.value;
  return lines(
    `Address: [${address.join(' ')}]`,
    `Address (hex): ${toUpperHex(address)}`,
    ...(eip55 === true ? [`Address (EIP-55): ${toEip55(address)}`] : []),
    `Bech32 Acc: ${formatAddress('acc', hrp, address)}`,
    `Bech32 Val: ${formatAddress('val', hrp, address)}`,
  );
}

const checkedAddress = (key: Bytes): Bytes => {
  try {
    return ethAddress(key);
  } catch {
    throw new OperatingError('the key is not a point of secp256k1');
  }
};

function pubKeyForms(text: string, hrp: string): string {
  let json: { readonly '@type'?: unknown; readonly key?: unknown } | null;
  try {
    json = JSON.parse(text);
  } catch {
    throw new OperatingError(`expected a public key like {"@type":"${TYPE_URL.ethPubKey}","key":"…"}`);
  }
  const type = json?.['@type'];
  const key = fromBase64(typeof json?.key === 'string' ? json.key : '!');
  if (!key.ok) throw new OperatingError(`public key: ${key.error.message}`);
  if (type === ED25519_URL && key.value.length === 32)
    return lines(`Address: ${toUpperHex(ed25519Address(key.value))}`, `PubKey Hex: ${toHex(key.value)}`);
  if (typeof type !== 'string' || !ETH_PUB_KEY_URLS.has(type))
    throw new OperatingError(`public key of type ${String(type)}, expected ${TYPE_URL.ethPubKey}`);
  if (key.value.length !== 33)
    throw new OperatingError(`invalid pubkey size, expected 33, got ${key.value.length}`);
  const address = checkedAddress(key.value);
  return lines(
    `Address (EIP-55): ${toEip55(address)}`,
    `Bech32 Acc: ${formatAddress('acc', hrp, address)}`,
    `PubKey Hex: ${toHex(key.value)}`,
  );
}

/** Decodes a raw public key. In Bech32 it may follow amino's prefix and a length byte. */
function rawKeyOf(text: string, hrp: string, length: number): Bytes | undefined {
  const asHex = parseHex(text);
  if (asHex.ok) return asHex.value;
  const bech32 = decodeBech32(text);
  if (bech32.ok) {
    const { bytes, hrp: prefix } = bech32.value;
    if (!(['acc', 'val', 'cons'] as const).some((kind) => prefix === `${hrpOf(kind, hrp)}pub`))
      return undefined;
    if (bytes.length !== length + 5) return bytes;
    const names = length === 32 ? ['tendermint/PubKeyEd25519'] : PUB_KEY_NAMES;
    const isKnown = names.some((name) => equalBytes(aminoPrefix(name), bytes.subarray(0, 4)));
    return isKnown && bytes[4] === length ? bytes.slice(5) : undefined;
  }
  const base64 = fromBase64(text);
  return base64.ok ? base64.value : undefined;
}

function rawKeyForms(text: string, hrp: string, { type }: DebugOptions): string {
  const isConsensus = type === 'ed25519';
  if (!isConsensus && type !== 'eth_secp256k1' && type !== 'secp256k1')
    throw new OperatingError(`--type: expected ed25519 or eth_secp256k1, found ${type}`);
  const expected = isConsensus ? 32 : 33;
  const key = rawKeyOf(text, hrp, expected);
  if (key?.length !== expected)
    throw new OperatingError(
      `expected ${expected} bytes in hex, base64 or Bech32 (${hrp}pub, ${hrpOf('val', hrp)}pub, ${hrpOf('cons', hrp)}pub), got '${text}'`,
    );
  const address = isConsensus ? ed25519Address(key) : checkedAddress(key);
  const url = isConsensus ? ED25519_URL : TYPE_URL.ethPubKey;
  return lines(
    `Parsed key as ${isConsensus ? 'ed25519' : 'eth_secp256k1'}`,
    `Address: ${toUpperHex(address)}`,
    `JSON (base64): ${JSON.stringify({ '@type': url, key: toBase64(key) })}`,
    `Bech32 Acc: ${formatAddress('acc', hrp, address)}`,
    `Bech32 Validator Operator: ${formatAddress('val', hrp, address)}`,
    `Bech32 Validator Consensus: ${formatAddress('cons', hrp, address)}`,
  );
}

function rawBytes(text: string): string {
  const parts = text
    .replace(/^\s*\[/, '')
    .replace(/\]\s*$/, '')
    .trim()
    .split(/[\s,]+/)
    .filter((part) => part !== '');
  if (parts.length > RAW_BYTES_MAX) throw new OperatingError(`more than ${RAW_BYTES_MAX} bytes`);
  const bytes = parts.map((part) => {
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255)
      throw new OperatingError(`expected a byte from 0 to 255, found ${part}`);
    return Number(part);
  });
  return lines(toUpperHex(Uint8Array.from(bytes)));
}
