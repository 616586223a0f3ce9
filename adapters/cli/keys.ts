import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { type AddressKind, formatAddress, parseAnyAddress } from '../../core/address/kinds.ts';
import { ETH_PUB_KEY_URLS, TYPE_URL } from '../../core/app/typeUrls.ts';
import { ethAddress } from '../../core/crypto/addresses.ts';
import { ethHdPath, generateMnemonic } from '../../core/crypto/hd.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { fromBase64, toBase64 } from '../../core/lib/base64.ts';
import { onFile } from '../disk/files.ts';
import { type KeyInfo, type Keyring, openKeyring } from '../keyring/keyring.ts';
import { OperatingError } from '../operatingError.ts';
import { type KeysOptions, type Open, openFor, valueOrThrow } from './keysOpen.ts';
import { checkKeyType, NO_MULTISIG, refusedOptions } from './keysRefused.ts';
import { keysToolCommands } from './keysTools.ts';
import { keysTransferCommands } from './keysTransfer.ts';
import { ask, askHidden, isYes } from './prompt.ts';
import type { World } from './world.ts';
import { toYaml } from './yaml.ts';

interface AddOptions extends KeysOptions {
  readonly recover?: boolean;
  readonly source?: string;
  readonly interactive?: boolean;
  readonly pubkey?: string;
  readonly coinType: string;
  readonly backup: boolean;
  readonly dryRun?: boolean;
  readonly account: string;
  readonly index: string;
  readonly hdPath?: string;
  readonly keyType: string;
  readonly algo?: string;
}

interface ShowOptions extends KeysOptions {
  readonly bech: string;
  readonly address?: boolean;
  readonly pubkey?: boolean;
}

export function keysCommand(command: Command, world: World): void {
  command
    .option('--keyring-backend <backend>', 'where keys are kept: file, test (unprotected files) or memory')
    .option('--keyring-dir <dir>', 'folder of the keyring (default: the home)')
    .option('--output <form>', 'text or json');
  const addKey = command
    .command('add')
    .argument('<name>')
    .option('--recover', 'read the mnemonic from standard input instead of making one')
    .option('--source <file>', 'read the mnemonic from a file')
    .option('-i, --interactive', 'ask for the mnemonic and for its BIP-39 passphrase')
    .option('--pubkey <json>', 'keep a public key whose private key is elsewhere')
    .option('--no-backup', 'do not print the mnemonic')
    .option('--dry-run', 'show the key without keeping it')
    .option('--account <number>', "account in m/44'/60'/account'/0/index", '0')
    .option('--index <number>', "index in m/44'/60'/account'/0/index", '0')
    .option('--coin-type <number>', "coin type in m/44'/type'/account'/0/index", '60')
    .option('--hd-path <path>', 'the whole derivation path')
    .option('--key-type <type>', 'eth_secp256k1 (also as --algo)', 'eth_secp256k1')
    .addOption(new Option('--algo <type>').hideHelp());
  refusedOptions(addKey, ['--ledger', '--multisig <names>', '--multisig-threshold <number>', '--nosort']);
  addKey.description('make or recover a key');
  addKey.action(async (name: string) =>
    add(name, await openFor(addKey.optsWithGlobals<AddOptions>(), world)),
  );
  const showKey = command
    .command('show')
    .argument('<name|address...>')
    .option('--bech <kind>', 'form of the address: acc, val or cons', 'acc')
    .option('-a, --address', 'only the address')
    .option('-p, --pubkey', 'only the public key')
    .description('show a key');
  refusedOptions(showKey, ['--multisig-threshold <number>', '-d, --device']);
  showKey.action(async ([which = '', ...others]: readonly string[]) => {
    if (others.length > 0) throw new OperatingError(`show one key at a time: ${NO_MULTISIG}`);
    show(which, await openFor(showKey.optsWithGlobals<ShowOptions>(), world));
  });
  const listKeys = command
    .command('list')
    .option('-n, --list-names', 'only the names')
    .description('show all keys, sorted by name');
  listKeys.action(async () =>
    list(await openFor(listKeys.optsWithGlobals<KeysOptions & { listNames?: boolean }>(), world)),
  );
  keysTransferCommands(command, world);
  keysToolCommands(command, world);
}

interface NewKey {
  /** Adds the key to a keyring under a name. */
  readonly addTo: (keyring: Keyring, name: string) => KeyInfo;
  /** Set for a new mnemonic, which the user must write down. */
  readonly mnemonic: string | undefined;
}

async function add(name: string, open: Open<AddOptions>): Promise<void> {
  const { options, world, keyring } = open;
  checkKeyType(options.algo ?? options.keyType);
  const target = options.dryRun === true ? openKeyring('memory', '', nobleSuite) : keyring;
  if (target.has(name)) {
    if (!isYes(await ask(`override the existing name ${name} [y/N]: `)))
      throw new OperatingError(`key overwrite confirmation for "${name}" aborted`);
  }
  const { addTo, mnemonic } =
    options.pubkey === undefined ? await newSecret(options) : offline(options.pubkey);
  // Added to a temporary keyring first: if the words or the address are refused, the old key must still exist.
  const { address } = addTo(openKeyring('memory', '', nobleSuite), name);
  const holder = target.show(address);
  if (holder.ok && holder.value.name !== name) throw new OperatingError('duplicated address created');
  if (target.has(name)) valueOrThrow(target.delete(name));
  const key = addTo(target, name);
  const record = recordOf(key, formatAddress('acc', open.hrp, key.address));
  const isShown = mnemonic !== undefined && options.backup;
  if (open.isJson) {
    world.out(`${JSON.stringify(isShown ? { ...record, mnemonic } : record)}\n`);
    return;
  }
  world.out(toYaml([record]));
  if (isShown) world.err(`${MNEMONIC_NOTICE}${mnemonic}\n`);
}

async function newSecret(options: AddOptions): Promise<NewKey> {
  const path = options.hdPath ?? pathOf(options);
  const given = await givenMnemonic(options);
  const mnemonic = given ?? generateMnemonic(new Uint8Array(randomBytes(32)));
  const passphrase = options.interactive === true ? await askPassphrase() : '';
  return {
    addTo: (keyring, name) => valueOrThrow(keyring.addMnemonic(name, mnemonic, path, passphrase)),
    mnemonic: given === undefined ? mnemonic : undefined,
  };
}

function pathOf({ coinType, account, index }: AddOptions): string {
  const [coin, accountNumber] = [whole('coin-type', coinType), whole('account', account)];
  const path = ethHdPath(accountNumber, whole('index', index));
  return coin === 60 ? path : path.replace("/60'/", `/${coin}'/`);
}

/** A key of which only the public half is stored. */
function offline(text: string): NewKey {
  let json: { '@type'?: unknown; key?: unknown } | null = null;
  try {
    json = JSON.parse(text);
  } catch {
    // Refused below.
  }
  const type = json?.['@type'];
  if (typeof type !== 'string' || !ETH_PUB_KEY_URLS.has(type))
    throw new OperatingError(`--pubkey: expected {"@type":"${TYPE_URL.ethPubKey}","key":"…"}`);
  const key = typeof json?.key === 'string' ? fromBase64(json.key) : undefined;
  if (key?.ok !== true || key.value.length !== 33 || !isPoint(key.value))
    throw new OperatingError(
      `invalid pubkey size, expected 33, got ${key?.ok === true ? key.value.length : 'no base64'}`,
    );
  const { value } = key;
  return { addTo: (keyring, name) => valueOrThrow(keyring.addOffline(name, value)), mnemonic: undefined };
}

function isPoint(key: Uint8Array): boolean {
  try {
    ethAddress(key);
    return true;
  } catch {
    return false;
  }
}

async function askPassphrase(): Promise<string> {
  const passphrase = await askHidden(
    '> Enter your bip39 passphrase. This is combined with the mnemonic to derive the seed. Most users should just hit enter to use the default, ""\n',
  );
  if (passphrase !== '' && (await askHidden('> Repeat the passphrase:\n')) !== passphrase)
    throw new OperatingError("passphrases don't match");
  return passphrase;
}

const MNEMONIC_NOTICE =
  '\n**Important** write this mnemonic phrase in a safe place.\n' +
  'It is the only way to recover your account if you ever forget your password.\n\n';

async function givenMnemonic(options: AddOptions): Promise<string | undefined> {
  const { source } = options;
  if (source !== undefined) return onFile('read', source, () => readFileSync(source, 'utf8')).trim();
  if (options.recover === true) return (await ask('> Enter your bip39 mnemonic\n')).trim();
  if (options.interactive !== true) return undefined;
  const words = (await ask('> Enter your bip39 mnemonic, or hit enter to generate one.\n')).trim();
  return words === '' ? undefined : words;
}

/** Largest index in a derivation path; the next higher bit marks a hardened one. */
const ELEMENT_MAX = 2 ** 31 - 1;

function whole(flag: string, text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= ELEMENT_MAX) return value;
  throw new OperatingError(`--${flag}: expected a whole number 0..${ELEMENT_MAX}, found ${text}`);
}

function show(which: string, { options, world, keyring, hrp, isJson }: Open<ShowOptions>): void {
  const kind = (['acc', 'val', 'cons'] as const).find((one) => one === options.bech);
  if (kind === undefined)
    throw new OperatingError(`invalid Bech32 prefix encoding provided: ${options.bech}`);
  const isPart = options.address === true || options.pubkey === true;
  if (options.address === true && options.pubkey === true)
    throw new OperatingError('cannot use both --address and --pubkey at once');
  if (isPart && options.output !== undefined)
    throw new OperatingError('cannot use --output with --address or --pubkey');
  const key = find(which, keyring, hrp);
  const address = formatAddress(kind, hrp, key.address);
  if (options.address === true) world.out(`${address}\n`);
  else if (options.pubkey === true) world.out(`${pubKeyText(key)}\n`);
  else if (isJson) world.out(`${JSON.stringify(recordOf(key, address))}\n`);
  else world.out(toYaml([recordOf(key, address)]));
}

/** Looks up by name first, because a name may look like an address. */
function find(which: string, keyring: Keyring, hrp: string): KeyInfo {
  const named = keyring.show(which);
  if (named.ok) return named.value;
  const parsed = parseAnyAddress(which, hrp);
  const found = parsed.ok ? keyring.show(parsed.value.address) : named;
  if (found.ok) return found.value;
  throw new OperatingError(`${which} is not a valid name or address: ${found.error.message}`);
}

function list({
  options,
  world,
  keyring,
  hrp,
  isJson,
}: Open<KeysOptions & { readonly listNames?: boolean }>): void {
  const keys = keyring.list((name, problem) => world.err(`cannot read key ${name}: ${problem}\n`));
  const records = keys.map((key) =>
    recordOf(key, formatAddress('acc' satisfies AddressKind, hrp, key.address)),
  );
  if (options.listNames === true) world.out(keys.map((key) => `${key.name}\n`).join(''));
  else if (isJson) world.out(`${JSON.stringify(records)}\n`);
  else world.out(records.length === 0 ? 'No records were found in keyring\n' : toYaml(records));
}

const pubKeyText = (key: KeyInfo): string =>
  JSON.stringify({ '@type': TYPE_URL.ethPubKey, key: toBase64(key.publicKey) });

/** A key in the SDK's output form; `pubkey` is a JSON text. */
const recordOf = (key: KeyInfo, address: string) => ({
  name: key.name,
  type: key.kind,
  address,
  pubkey: pubKeyText(key),
});
