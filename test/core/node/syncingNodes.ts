/** Whole nodes in the simulator with block sync switched on, as nodes of a real network have it. */
import { DEFAULT_CONSENSUS_CONFIG } from '../../../core/consensus/contract.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { type CoreNode, createNode } from '../../../core/node/assembly.ts';
import { DEFAULT_NODE_CONFIG } from '../../../core/node/nodeConfig.ts';
import { makeCluster } from '../../../sim/cluster.ts';
import { keyedHashSuite } from '../../../sim/keyedHash.ts';
import type { NodeFactory } from '../../../sim/machine/simNode.ts';
import type { ScenarioReport } from '../../../sim/report.ts';
import type { RunOptions } from '../../../sim/run.ts';
import { runUnasked } from '../../support/runUnasked.ts';

/** One life of a node: what it stored by block sync, and the node itself. */
export interface SyncLife {
  readonly name: string;
  readonly node: CoreNode;
  /** Heights that were stored while block sync was at work. */
  readonly synced: number[];
  /** Heights of the evidence that entered its pool. */
  readonly accused: number[];
}

export const syncingNodes = (powers: readonly number[], lives: SyncLife[]): NodeFactory => {
  const suite = keyedHashSuite(nobleSuite);
  const specs = powers.map((power, i) => ({ name: `v${i}`, power }));
  const cluster = makeCluster(suite, specs as unknown as Parameters<typeof makeCluster>[1]);
  return async (env) => {
    const member = cluster.members[env.index];
    if (member === undefined) throw new Error('no such member');
    const node = await createNode({
      genesis: cluster.genesis,
      kv: env.kv,
      suite,
      config: {
        ...DEFAULT_NODE_CONFIG,
        consensus: { ...DEFAULT_CONSENSUS_CONFIG, timeoutCommitMs: 1000 },
        blocksync: true,
      },
      indexer: 'kv',
      log: env.log,
      identity: {
        nodeId: env.name,
        moniker: env.name,
        version: '',
        listenAddress: '',
        rpcAddress: '',
        validator: { address: member.address, pubKey: member.signer.pubKey },
      },
      keys: { addresses: [], secret: () => undefined },
      pause: async () => {},
      randomId: env.randomId,
      clock: env.now,
      outside: () => ({ now: env.now, append: env.append, perform: env.perform }),
    });
    const life: SyncLife = { name: env.name, node, synced: [], accused: [] };
    lives.push(life);
    node.hub.listen((event) => {
      if (event.kind === 'newEvidence') life.accused.push(event.height);
      if (event.kind === 'committed' && node.machine.parts.sync.active) {
        life.synced.push(event.block.header.height);
      }
    });
    node.hub.listen(env.listen);
    const { rs } = node.machine.parts.consensus;
    return {
      input: (input) => node.driver.input(input),
      backlog: () => node.driver.backlog,
      handle: (ask) => node.appService.handle(ask),
      position: () => rs,
      rs: () => rs,
      lastStep: () => 0,
      stateHash: () => 0,
      isSyncing: () => node.machine.parts.sync.active,
      rpc: node.rpc,
    };
  };
};

export async function runSyncing(
  text: string,
  powers: readonly number[],
  options: RunOptions = {},
): Promise<{ readonly report: ScenarioReport; readonly lives: readonly SyncLife[] }> {
  const lives: SyncLife[] = [];
  const nodes = () => syncingNodes(powers, lives);
  const result = await runUnasked(text, { crypto: 'keyed-hash', nodes, ...options });
  if (!result.ok) throw new Error(result.error.message);
  return { report: result.value, lives };
}
