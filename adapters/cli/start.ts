import type { Command } from 'commander';
import { toUpperHex } from '../../core/lib/bytes.ts';
import { loadNodeConfig } from '../config/nodeConfig.ts';
import { acceleratedSuite } from '../crypto/accelerated.ts';
import { isThere } from '../disk/files.ts';
import { createLogger } from '../log/logger.ts';
import type { BlockSummary, RunningNode } from '../nodeOptions.ts';
import { OperatingError } from '../operatingError.ts';
import { nodeFromHome, runNode } from './runNode.ts';
import { addSettingFlags } from './settingFlags.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

export function startCommand(command: Command, world: World): void {
  const flags = addSettingFlags(command);
  command.option('--chain-id <id>', 'refuse to run any other chain').action(async () => {
    const options: GlobalOptions & { chainId?: string } = command.optsWithGlobals();
    const home = homeFrom(options, world);
    const config = loadNodeConfig(home, flags, world.env);
    if (!isThere(config.files.genesis))
      throw new OperatingError(`${config.files.genesis} does not exist; orrery init makes a home`);
    const node = nodeFromHome(config, await acceleratedSuite());
    if (options.chainId !== undefined && options.chainId !== node.genesis.chainId)
      throw new OperatingError(`${home} holds the chain ${node.genesis.chainId}, not ${options.chainId}`);
    const log = createLogger({ level: config.logLevel, format: config.logFormat });
    const onBlock = ({ height, round, hash, txs, gasUsed }: BlockSummary): void =>
      log.info('committed', { height, round, hash: toUpperHex(hash), txs, gas: gasUsed });
    await runNode({ ...node, unlocked: [], log, onBlock }, ({ endpoints }: RunningNode) => {
      const { version, genesis, nodeId } = node;
      log.info('started', { version, chain: genesis.chainId, node: nodeId, ...endpoints });
    });
    log.info('stopped');
  });
}
