/** `keys mnemonic`, `parse`, `migrate` and `list-key-types`. */
import { createHash, randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { decodeBech32, encodeBech32 } from '../../core/address/bech32.ts';
import { hrpOf } from '../../core/address/kinds.ts';
import { generateMnemonic } from '../../core/crypto/hd.ts';
import { parseHex, toUpperHex } from '../../core/lib/bytes.ts';
import { OperatingError } from '../operatingError.ts';
import { type KeysOptions, type Open, openFor } from './keysOpen.ts';
import { ask, confirmed } from './prompt.ts';
import type { World } from './world.ts';
import { toYaml } from './yaml.ts';

/** The SDK's minimum for typed entropy: 256 bits at 6 bits a character. */
const ENTROPY_CHARS_MIN = 43;

async function mnemonic(options: { unsafeEntropy?: boolean; yes?: boolean }, world: World): Promise<void> {
  if (options.unsafeEntropy !== true) {
    world.out(`${generateMnemonic(new Uint8Array(randomBytes(32)))}\n`);
    return;
  }
  const text = await ask('> WARNING: Generate at least 256-bits of entropy and enter the results here:\n');
  if (text.length < ENTROPY_CHARS_MIN)
    throw new OperatingError(
      `256-bits is 43 characters in Base-64, and 100 in Base-6. You entered ${text.length}, and probably want more`,
    );
  await confirmed(options.yes, `> Input length: ${text.length} [y/N]: `);
  world.out(`${generateMnemonic(new Uint8Array(createHash('sha256').update(text).digest()))}\n`);
}

/** Migrates old records. Keys that cannot be read are reported and left unchanged. */
function migrate({ keyring, world }: Open<KeysOptions>): void {
  for (const { item, problem } of keyring.migrate()) {
    world.err(
      problem === undefined
        ? `Successfully migrated key ${item}.\n`
        : `migrate err for key ${item}: ${JSON.stringify(problem)}\n`,
    );
    if (problem !== undefined) world.exitCode = 1;
  }
  world.err('Keys migration has been successfully executed.\n');
}

/** Prints all Bech32 forms of hex bytes, or the bytes of a Bech32 text. */
function parseText(text: string, { hrp, isJson, world }: Open<KeysOptions>): void {
  if (text.trim() === '') throw new OperatingError("couldn't parse empty input");
  const print = (value: unknown): void => world.out(isJson ? `${JSON.stringify(value)}\n` : toYaml(value));
  const bech32 = decodeBech32(text);
  if (bech32.ok) {
    print({ human: bech32.value.hrp, bytes: toUpperHex(bech32.value.bytes) });
    return;
  }
  const bytes = parseHex(text);
  if (!bytes.ok || bytes.value.length === 0)
    throw new OperatingError("couldn't find valid bech32 nor hex data");
  const kinds = (['acc', 'val', 'cons'] as const).flatMap((kind) => [
    hrpOf(kind, hrp),
    `${hrpOf(kind, hrp)}pub`,
  ]);
  print({ formats: kinds.map((prefix) => encodeBech32(prefix, bytes.value)) });
}

export function keysToolCommands(command: Command, world: World): void {
  const words = command
    .command('mnemonic')
    .option('--unsafe-entropy', 'from entropy that you type')
    .option('--indiscreet', 'accepted for compatibility: the words are always printed')
    .option('-y, --yes', 'do not ask')
    .description('24 new words');
  words.action(() => mnemonic(words.opts(), world));
  const parse = command.command('parse').argument('<hex|bech32>').description('an address in all its forms');
  parse.action(async (text: string) =>
    parseText(
      text,
      await openFor({ ...parse.optsWithGlobals<KeysOptions>(), keyringBackend: 'memory' }, world),
    ),
  );
  const migrated = command
    .command('migrate')
    .description("rewrite keys of SDK 0.45 and older in today's form");
  migrated.action(async () => migrate(await openFor(migrated.optsWithGlobals<KeysOptions>(), world)));
  command
    .command('list-key-types')
    .description('the algorithms of keys')
    .action(() => world.out('Supported key types/algos:\n["eth_secp256k1"]\n'));
}
