/** `keys delete`, `rename`, `export` and `import`, with the SDK's unsafe forms of the last two. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type Bytes, parseHex, toHex, toUpperHex } from '../../core/lib/bytes.ts';
import { onFile } from '../disk/files.ts';
import { armorKey, unarmorKey } from '../keyring/armor.ts';
import { decryptKeystore, encryptKeystore } from '../keyring/keystore.ts';
import { PASSPHRASE_CHARS_MIN } from '../keyring/passphrase.ts';
import { OperatingError } from '../operatingError.ts';
import { type KeysOptions, type Open, openFor, valueOrThrow } from './keysOpen.ts';
import { checkKeyType } from './keysRefused.ts';
import { askHidden, confirmed } from './prompt.ts';
import type { World } from './world.ts';

const YES = '-y, --yes';

interface YesOptions extends KeysOptions {
  readonly yes?: boolean;
}
interface ExportOptions extends YesOptions {
  readonly unarmoredHex?: boolean;
  readonly unsafe?: boolean;
  readonly keystore?: boolean;
}

async function newPassword(question: string): Promise<string> {
  const password = await askHidden(question);
  if (password.length < PASSPHRASE_CHARS_MIN)
    throw new OperatingError(`password must be at least ${PASSPHRASE_CHARS_MIN} characters`);
  return password;
}

async function remove(names: readonly string[], open: Open<YesOptions>): Promise<void> {
  for (const name of names) {
    const { kind } = valueOrThrow(open.keyring.show(name));
    await confirmed(open.options.yes, 'Key reference will be deleted. Continue? [y/N]: ');
    valueOrThrow(open.keyring.delete(name));
    open.world.err(kind === 'local' ? 'Key deleted forever (uh oh!)\n' : 'Public key reference deleted\n');
  }
}

async function rename(from: string, to: string, open: Open<YesOptions>): Promise<void> {
  valueOrThrow(open.keyring.show(from));
  await confirmed(open.options.yes, `Key reference will be renamed from ${from} to ${to}. Continue? [y/N]: `);
  valueOrThrow(open.keyring.rename(from, to));
  open.world.err(`Key was successfully renamed from ${from} to ${to}\n`);
}

async function exportKey(name: string, open: Open<ExportOptions>): Promise<void> {
  const { unarmoredHex, unsafe, yes, keystore } = open.options;
  if ((unarmoredHex === true) !== (unsafe === true))
    throw new OperatingError('the flags unsafe and unarmored-hex must be used together');
  const secret = valueOrThrow(open.keyring.secret(name));
  if (unsafe === true) {
    await confirmed(
      yes,
      'WARNING: The private key will be exported as an unarmored hexadecimal string. USE AT YOUR OWN RISK. Continue? [y/N]: ',
    );
    open.world.out(`${toHex(secret)}\n`);
    return;
  }
  const password = await newPassword('Enter passphrase to encrypt the exported key:');
  open.world.out(
    keystore === true ? `${encryptKeystore(secret, password)}\n` : await armorKey(secret, password),
  );
}

function addSecret(name: string, secret: Bytes, open: Open<KeysOptions>): void {
  if (open.keyring.has(name)) throw new OperatingError(`cannot overwrite key: ${name}`);
  valueOrThrow(open.keyring.add(name, secret));
}

/** Imports an armored key, or the keystore file of an Ethereum wallet. */
async function importKey(name: string, file: string, open: Open<KeysOptions>): Promise<void> {
  if (open.keyring.has(name)) throw new OperatingError(`cannot overwrite key: ${name}`);
  const text = onFile('read', file, () => readFileSync(file, 'utf8'));
  const password = await askHidden('Enter passphrase to decrypt your key:');
  const secret = text.trimStart().startsWith('{')
    ? decryptKeystore(text, password)
    : await unarmorKey(text, password);
  addSecret(name, valueOrThrow(secret), open);
}

async function importHex(name: string, given: string | undefined, open: Open<KeysOptions>): Promise<void> {
  const secret = parseHex((given ?? (await askHidden('Enter the private key in hex:'))).trim());
  if (!secret.ok) throw new OperatingError(`private key: ${secret.error.message}`);
  addSecret(name, secret.value, open);
}

export function keysTransferCommands(command: Command, world: World): void {
  const opened = <O extends KeysOptions>(sub: Command): Promise<Open<O>> =>
    openFor(sub.optsWithGlobals<O>(), world);
  const del = command
    .command('delete')
    .argument('<name...>')
    .option(YES, 'do not ask')
    .option('-f, --force', 'do not ask')
    .description('remove keys');
  del.action(async (names: readonly string[]) => {
    const open = await opened<YesOptions & { force?: boolean }>(del);
    await remove(names, {
      ...open,
      options: { ...open.options, yes: open.options.yes === true || open.options.force === true },
    });
  });
  const ren = command
    .command('rename')
    .argument('<old>')
    .argument('<new>')
    .option(YES, 'do not ask')
    .description('give a key another name');
  ren.action(async (from: string, to: string) => rename(from, to, await opened<YesOptions>(ren)));
  const exp = command
    .command('export')
    .argument('<name>')
    .option('--unarmored-hex', 'as hex, with --unsafe')
    .option('--unsafe', 'as hex, with --unarmored-hex')
    .option('--keystore', 'as an Ethereum keystore file (version 3)')
    .option(YES, 'do not ask')
    .description('print a key, protected by a password');
  exp.action(async (name: string) => exportKey(name, await opened<ExportOptions>(exp)));
  const imp = command
    .command('import')
    .argument('<name>')
    .argument('<file>')
    .description('read an armored key or an Ethereum keystore file');
  imp.action(async (name: string, file: string) => importKey(name, file, await opened(imp)));
  hexCommands(command, world);
}

/** Imports and exports of private keys in hex. */
function hexCommands(command: Command, world: World): void {
  const opened = <O extends KeysOptions>(sub: Command): Promise<Open<O>> =>
    openFor(sub.optsWithGlobals<O>(), world);
  const hex = command
    .command('import-hex')
    .argument('<name>')
    .argument('[hex]')
    .option('--key-type <type>', 'eth_secp256k1', 'eth_secp256k1')
    .description('take a private key in hex; without it, it is read from the terminal without echo');
  hex.action(async (name: string, given: string | undefined) => {
    const open = await opened<KeysOptions & { readonly keyType: string }>(hex);
    checkKeyType(open.options.keyType);
    await importHex(name, given, open);
  });
  const ethIn = command
    .command('unsafe-import-eth-key')
    .argument('<name>')
    .argument('[hex]')
    .description('take a private key in hex, as the Ethereum tools of the Cosmos SDK do');
  ethIn.action(async (name: string, given: string | undefined) => {
    // Asked first, in the order in which existing scripts answer. Not used: the keyring has its own password.
    await newPassword('Enter passphrase to encrypt your key:');
    await importHex(name, given, await opened(ethIn));
  });
  const eth = command
    .command('unsafe-export-eth-key')
    .argument('<name>')
    .description('print a private key in hex');
  eth.action(async (name: string) => {
    const open = await opened(eth);
    world.out(`${toUpperHex(valueOrThrow(open.keyring.secret(name)))}\n`);
  });
}
