import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { toUpperHex } from '../../core/lib/bytes.ts';
import { loadNodeConfig } from '../config/nodeConfig.ts';
import type { BlockSummary, RunningNode } from '../nodeOptions.ts';
import { OperatingError } from '../operatingError.ts';
import { logTo } from './log.ts';
import { nodeFromHome, runNode } from './runNode.ts';
import { addSettingFlags } from './settingFlags.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

export function startCommand(command: Command, world: World): void {
  const flags = addSettingFlags(command);
  command.option('--chain-id <id>', 'refuse to run any other chain').action(async () => {
    const options: GlobalOptions & { chainId?: string } = command.optsWithGlobals();
    const home = homeFrom(options, world);
    const config = loadNodeConfig(home, flags, world.env);
    if (!existsSync(config.files.genesis))
      throw new OperatingError(`${config.files.genesis} does not exist; orrery init makes a home`);
    const node = nodeFromHome(config);
    if (options.chainId !== undefined && options.chainId !== node.genesis.chainId)
      throw new OperatingError(`${home} holds the chain ${node.genesis.chainId}, not ${options.chainId}`);
    const log = logTo(world, config);
    const onBlock = (block: BlockSummary): void => log('info', blockText(block));
    await runNode({ ...node, unlocked: [], log, onBlock }, ({ endpoints }: RunningNode) => {
      log('info', `orrery ${node.version} runs ${node.genesis.chainId}; node id ${node.nodeId}`);
      for (const [name, url] of Object.entries(endpoints))
        if (url !== undefined) log('info', `${name} ${url}`);
    });
    log('info', 'stopped');
  });
}

const blockText = ({ height, round, hash, txs, gasUsed }: BlockSummary): string =>
  `committed height=${height} round=${round} hash=${toUpperHex(hash)} txs=${txs} gas=${gasUsed}`;
