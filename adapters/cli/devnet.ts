import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { EvmService } from '../../core/app/evmService.ts';
import { formatDuration } from '../../core/lib/duration.ts';
import { devAccounts } from '../config/devAccounts.ts';
import {
  DEVNET_CHAIN_ID,
  devnetSettings,
  fundedDevAccounts,
  prepareDevnetHome,
} from '../config/devnetHome.ts';
import { parseDuration } from '../config/duration.ts';
import { checkChainId } from '../config/genesisFile.ts';
import { loadNodeConfig } from '../config/nodeConfig.ts';
import { acceleratedSuite } from '../crypto/accelerated.ts';
import { createLogger } from '../log/logger.ts';
import { OperatingError } from '../operatingError.ts';
import { systemNow } from '../system.ts';
import { banner, blockLine } from './banner.ts';
import { tellingConsole } from './devnet/consoleCalls.ts';
import { Narrator } from './devnet/narrator.ts';
import { nodeFromHome, runNode } from './runNode.ts';
import { addSettingFlags } from './settingFlags.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

const BLOCK_TIME = '1s';
const MONIKER = 'devnet';

interface DevnetOptions extends GlobalOptions {
  readonly chainId?: string;
  readonly blockTime?: string;
  readonly quiet?: boolean;
}

export function devnetCommand(command: Command, world: World): void {
  const flags = addSettingFlags(command, devnetSettings(MONIKER, BLOCK_TIME));
  command
    .option('--block-time <duration>', `time between blocks without transactions (default ${BLOCK_TIME})`)
    .option('--chain-id <id>', `of a new chain (default ${DEVNET_CHAIN_ID})`)
    .option('--quiet', 'no lines about blocks, transactions and console.log')
    .action(() => devnet(command.optsWithGlobals(), flags, world));
}

async function devnet(
  options: DevnetOptions,
  flags: ReadonlyMap<string, string>,
  world: World,
): Promise<void> {
  const home = homeFrom(options, world);
  const blockTime = blockTimeOf(options.blockTime);
  const accounts = devAccounts();
  const suite = await acceleratedSuite();
  prepareDevnetHome({
    home,
    accounts,
    chainId: checkChainId(options.chainId ?? DEVNET_CHAIN_ID),
    moniker: MONIKER,
    blockTime: blockTime ?? BLOCK_TIME,
    suite,
    randomSeed: () => new Uint8Array(randomBytes(32)),
    now: systemNow(),
  });
  const settings = new Map(flags);
  if (blockTime !== undefined) settings.set('consensus.create_empty_blocks_interval', blockTime);
  const config = loadNodeConfig(home, settings, world.env);
  const node = nodeFromHome(config, suite);
  if (options.chainId !== undefined && options.chainId !== node.genesis.chainId)
    throw new OperatingError(`${home} holds the chain ${node.genesis.chainId}, not ${options.chainId}`);
  const unlocked = fundedDevAccounts(node.genesis, accounts, home);
  const start = {
    ...node,
    unlocked,
    log: createLogger({ level: config.logLevel, format: config.logFormat }),
    // Blocks may be committed before the banner is printed; their lines must not precede it.
    onBlock: (block: Parameters<typeof blockLine>[0]) => {
      if (isShown && options.quiet !== true) world.out(blockLine(block));
    },
    ...(options.quiet === true
      ? {}
      : { watchedEvm: (evm: EvmService) => tellingConsole(evm, suite, (line) => world.out(`${line}\n`)) }),
    onReadable: (rpc: ConstructorParameters<typeof Narrator>[0]) => {
      if (options.quiet !== true) new Narrator(rpc, (line) => world.out(`${line}\n`)).start();
    },
  };
  let isShown = false;
  await runNode(start, ({ endpoints }) => {
    world.out(banner({ ...node, home, endpoints, accounts: unlocked }));
    isShown = true;
  });
  world.out('stopped\n');
}

function blockTimeOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === undefined || ms < 1)
    throw new OperatingError(
      `flag --block-time: expected a duration such as "500ms" or "2s", found "${text}"`,
    );
  return formatDuration(ms);
}
