import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { devAccounts } from '../config/devAccounts.ts';
import { DEVNET_CHAIN_ID } from '../config/devnetHome.ts';
import { parseDuration } from '../config/duration.ts';
import { checkChainId } from '../config/genesisFile.ts';
import { makeTestnet, testnetHome } from '../config/testnetHomes.ts';
import { OperatingError } from '../operatingError.ts';
import { systemNow } from '../system.ts';
import { runTestnet } from './testnetProcesses.ts';
import type { World } from './world.ts';

const VALIDATORS = '4';
const VALIDATORS_MAX = 100;
const POWER = 10n;
const DIR = './.testnets';

interface DirOptions {
  readonly outputDir: string;
  readonly nodeDirPrefix: string;
}

interface InitOptions extends DirOptions {
  readonly validatorCount: string;
  readonly chainId: string;
  readonly validatorPowers?: string;
  readonly singleHost?: boolean;
  readonly basePort?: string;
  readonly startingIpAddress: string;
  readonly commitTimeout?: string;
}

export function testnetCommand(command: Command, world: World): void {
  const init = filesOptions(command.command('init-files')).description('create the homes of a new network');
  init.action(() => {
    const homes = initFiles(init.optsWithGlobals());
    world.out(`Successfully initialized ${homes.length} node directories\n`);
  });
  const start = filesOptions(command.command('start')).description(
    'run the network of --output-dir as processes of this machine, making its homes first if there are none',
  );
  start.action(async () => {
    const options: InitOptions = start.optsWithGlobals();
    if (existingHomes(options).length === 0) {
      const homes = initFiles({ ...options, singleHost: true });
      world.out(`Successfully initialized ${homes.length} node directories\n`);
    }
    await runTestnet(existingHomes(options), world);
  });
}

const filesOptions = (command: Command): Command =>
  command
    .option('--validator-count <number>', 'validators, one home each', VALIDATORS)
    .option('-o, --output-dir <dir>', 'where the homes are', DIR)
    .option('--node-dir-prefix <prefix>', 'name of a home without its number', 'node')
    .option('--chain-id <id>', 'name_EVMID-EPOCH', DEVNET_CHAIN_ID)
    .option('--validator-powers <list>', 'voting powers, separated by commas (default 10 each)')
    .option('--single-host', 'all nodes on this machine, each with its own ports')
    .option('--base-port <port>', 'with --single-host: ports of node i start at port + 10 i')
    .option('--starting-ip-address <ip>', 'address of the first node, the others follow', '192.168.0.1')
    .option('--commit-timeout <duration>', 'consensus.timeout_commit of every node');

function initFiles(options: InitOptions): readonly string[] {
  return makeTestnet({
    dir: path.resolve(options.outputDir),
    chainId: checkChainId(options.chainId),
    namePrefix: options.nodeDirPrefix,
    powers: powersOf(options),
    place:
      options.singleHost === true
        ? {
            kind: 'local',
            basePort:
              options.basePort === undefined
                ? undefined
                : wholeOf('base-port', options.basePort, 1024, 65535),
          }
        : { kind: 'hosts', firstIp: options.startingIpAddress },
    settings: new Map(
      options.commitTimeout === undefined
        ? []
        : [['consensus.timeout_commit', durationOf(options.commitTimeout)]],
    ),
    accounts: devAccounts(),
    suite: nobleSuite,
    randomSeed: () => new Uint8Array(randomBytes(32)),
    now: systemNow(),
  });
}

function existingHomes({ outputDir, nodeDirPrefix }: DirOptions): readonly string[] {
  const homes: string[] = [];
  for (let i = 0; i < VALIDATORS_MAX; i++) {
    const home = testnetHome(path.resolve(outputDir), nodeDirPrefix, i);
    if (!existsSync(path.join(home, 'config', 'genesis.json'))) break;
    homes.push(home);
  }
  return homes;
}

function powersOf({ validatorCount, validatorPowers }: InitOptions): readonly bigint[] {
  const count = wholeOf('validator-count', validatorCount, 1, VALIDATORS_MAX);
  if (validatorPowers === undefined) return Array.from({ length: count }, () => POWER);
  const powers = validatorPowers
    .split(',')
    .map((text) => BigInt(wholeOf('validator-powers', text.trim(), 1, 1e15)));
  if (powers.length !== count)
    throw new OperatingError(`--validator-powers: ${powers.length} powers for ${count} validators`);
  return powers;
}

function wholeOf(flag: string, text: string, min: number, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new OperatingError(`--${flag}: expected a whole number from ${min} to ${max}, found "${text}"`);
  return value;
}

function durationOf(text: string): string {
  if (parseDuration(text) === undefined)
    throw new OperatingError(
      `--commit-timeout: expected a duration such as "500ms" or "2s", found "${text}"`,
    );
  return text;
}
