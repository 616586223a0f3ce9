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

/** Exit code that shells use for a process ended by Ctrl-C. */
const EXIT_INTERRUPTED = 130;
/** Time in ms that a start may still take after a stop signal. */
const START_MS_MAX = 5_000;

/** Start options from the files of a home. */
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

/** Runs a node until a signal stops it (resolves) or it fails (rejects). A second signal exits at once. */
export async function runNode(options: StartOptions, onStarted: (node: RunningNode) => void): Promise<void> {
  let node: RunningNode | undefined;
  let stopping: Promise<void> | undefined;
  const signals = new StopSignals({
    stop: () => {
      stopping = node?.stop();
      // A start may be waiting for free space on a full disk; nothing needs a clean shutdown yet.
      if (node === undefined) setTimeout(() => process.exit(EXIT_INTERRUPTED), START_MS_MAX).unref();
    },
    hurry: () => process.exit(EXIT_INTERRUPTED),
  });
  // A closed pipe (`orrery devnet | head`) stops the node, as nobody reads its output. Any other failure to write the
  // log (a full disk, a closed terminal) must not stop a validator.
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
