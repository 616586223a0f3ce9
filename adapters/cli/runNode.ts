import { nobleSuite } from '../../core/crypto/noble.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { loadGenesis } from '../config/genesisFile.ts';
import type { NodeConfig } from '../config/nodeConfig.ts';
import { loadNodeKey, nodeIdOf } from '../config/nodeKey.ts';
import { isThere } from '../disk/files.ts';
import type { RunningNode, StartOptions } from '../nodeOptions.ts';
import { loadValidatorKey } from '../signer/keyFile.ts';
import { refuseLostKey } from '../signer/lostKey.ts';
import { StopSignals } from './stopSignals.ts';
import { packageVersion } from './version.ts';

/** What a shell reports for a process that Ctrl-C has killed. */
const EXIT_INTERRUPTED = 130;
/** So long a start that is asked to stop may still take. */
const START_MS_MAX = 5_000;

/** What the files of a home say about the node that is to run on it. */
export function nodeFromHome(
  config: NodeConfig,
  suite: CryptoSuite = nobleSuite,
): Pick<StartOptions, 'config' | 'genesis' | 'nodeId' | 'nodeSeed' | 'validatorKey' | 'version'> {
  const { files } = config;
  const nodeSeed = loadNodeKey(files.nodeKey, suite);
  refuseLostKey(files.validatorKey, files.validatorState);
  return {
    config,
    genesis: loadGenesis(files.genesis),
    nodeSeed,
    nodeId: nodeIdOf(nodeSeed, suite),
    validatorKey: isThere(files.validatorKey) ? loadValidatorKey(files.validatorKey, suite) : undefined,
    version: packageVersion(),
  };
}

/** Runs a node until a signal asks it to stop (resolves) or it cannot go on (rejects). A second signal does not wait. */
export async function runNode(options: StartOptions, onStarted: (node: RunningNode) => void): Promise<void> {
  let node: RunningNode | undefined;
  let stopping: Promise<void> | undefined;
  const signals = new StopSignals({
    stop: () => {
      stopping = node?.stop();
      // A start may wait for room on a full disk; there is nothing to end cleanly yet.
      if (node === undefined) setTimeout(() => process.exit(EXIT_INTERRUPTED), START_MS_MAX).unref();
    },
    hurry: () => process.exit(EXIT_INTERRUPTED),
  });
  // A closed pipe (`orrery devnet | head`) means that nobody reads any more. Whatever else a log cannot be written for (a
  // disk of its own that is full, a terminal that has gone) stops no validator.
  const onUnwritten = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE' && !signals.isAsked) signals.ask();
  };
  signals.listen();
  process.stdout.on('error', onUnwritten);
  process.stderr.on('error', onUnwritten);
  try {
    const { startNode } = await import('../node.ts');
    const running = await startNode(options);
    node = running;
    if (signals.isAsked) stopping = running.stop();
    else onStarted(running);
    await running.stopped;
    await stopping;
  } finally {
    signals.unlisten();
    process.stdout.off('error', onUnwritten);
    process.stderr.off('error', onUnwritten);
  }
}
