import type { Command } from 'commander';
import { clearIndex, fillIndex, readCoverage } from '../../core/events/index/indexer.ts';
import { ChainReads } from '../../core/store/chainReads.ts';
import { loadNodeConfig } from '../config/nodeConfig.ts';
import { slicedPause } from '../system.ts';
import { onStoppedNode } from './stoppedNode.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

export function indexCommand(command: Command, world: World): void {
  command
    .command('rebuild')
    .summary('rebuild the event index from the stored blocks')
    .description(
      'Makes the event index anew from the stored blocks. The node must be stopped. Interrupted, it goes on when the node starts.',
    )
    .action(async () => rebuild(homeFrom(command.optsWithGlobals() as GlobalOptions, world), world));
}

async function rebuild(home: string, world: World): Promise<void> {
  const { files } = loadNodeConfig(home, new Map(), world.env);
  await onStoppedNode(files, 'index', async (kv) => {
    const reads = new ChainReads(kv);
    const indexed = {
      head: () => reads.head(),
      base: () => reads.base(),
      results: (height: number) => reads.loadResults(height),
    };
    await clearIndex(kv);
    await fillIndex(kv, indexed, slicedPause(), (height) =>
      world.err(`indexed up to height ${height} of ${reads.head()}\n`),
    );
    const coverage = readCoverage(kv);
    world.out(
      coverage === undefined
        ? 'no blocks to index\n'
        : `indexed heights ${coverage.from} to ${coverage.to}\n`,
    );
  });
}
