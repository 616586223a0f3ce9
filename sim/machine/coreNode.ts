import { type GenesisMaker, initGenesis } from '../../core/app/genesis.ts';
import type { ConsensusOptions } from '../../core/consensus/contract.ts';
import type { Consensus } from '../../core/consensus/machine.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { Recent } from '../../core/lib/recent.ts';
import type { MempoolConfig } from '../../core/mempool/config.ts';
import type { Amend } from '../../core/node/amended.ts';
import { type CoreNode, createNode } from '../../core/node/assembly.ts';
import { DEFAULT_NODE_CONFIG, type NodeCoreConfig } from '../../core/node/nodeConfig.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Cluster } from '../cluster.ts';
import { decodingOnce } from '../network/decoding.ts';
import type { EngineSpec } from '../scenario/chainSpecs.ts';
import type { Position } from '../world/facts.ts';
import { checkInputOrder } from './checkInputOrder.ts';
import { checkTimers } from './checkTimers.ts';
import { decodingTxsOnce } from './decodingTxs.ts';
import { FaithfulLog } from './faithfulLog.ts';
import type { LifeEnv, NodeFactory, SimNode } from './simNode.ts';
import { smallSizes } from './smallSizes.ts';
import { verifyingOnce } from './verifying.ts';

/** A real node lets its sockets run between two transactions. Here nothing else waits. */
const noPause = async (): Promise<void> => {};

const configOf = (engine: EngineSpec): NodeCoreConfig => ({
  ...DEFAULT_NODE_CONFIG,
  consensus: engine.consensus,
  blocksync: engine.blockSync ?? false,
  mempool: poolOf(engine),
});

/** A small pool keeps the proportions of the default one, roughly. */
export function poolOf({ poolTxs, poolBytes, poolLifetime, poolMaxWait }: EngineSpec): MempoolConfig {
  const own = DEFAULT_NODE_CONFIG.mempool;
  const quarter = poolTxs === undefined ? undefined : Math.max(1, poolTxs >> 2);
  return {
    ...own,
    txsMax: poolTxs ?? own.txsMax,
    bytesMax: poolBytes ?? own.bytesMax,
    laneSlots: quarter ?? own.laneSlots,
    queuedMax: quarter ?? own.queuedMax,
    queuedLifetimeMs: poolLifetime === undefined ? own.queuedLifetimeMs : Math.floor(poolLifetime / 1_000),
    maxWaitMs: poolMaxWait === undefined ? own.maxWaitMs : Math.floor(poolMaxWait / 1_000),
  };
}

/** Genesis states that are kept. One process runs many worlds, and their states depend on few fields of genesis. */
const GENESES_MAX = 64;
const geneses = new Recent<ReturnType<GenesisMaker>>(GENESES_MAX);

/** All nodes begin with one genesis. Its state is computed once, and each node writes it. */
const initOnce: GenesisMaker = (kv, genesis, suite) => {
  const { chainId, genesisTime, initialHeight, params, appState } = genesis;
  const name = JSON.stringify([chainId, genesisTime, initialHeight, params.block.maxGas, appState]);
  let made = geneses.get(name);
  if (made === undefined) {
    made = initGenesis(kv, genesis, suite);
    geneses.set(name, made);
  }
  return made;
};

/** Makes nodes of the real core: the simulator replaces only what is around them. */
export function coreNodes(cluster: Cluster, suite: CryptoSuite, engine: EngineSpec): NodeFactory {
  const config = configOf(engine);
  /** What one node has decoded, verified or computed holds for all. */
  const shared = {
    decodeFrame: decodingOnce(),
    verifyVote: verifyingOnce(),
    decodeTx: decodingTxsOnce(),
    initGenesis: initOnce,
  };
  /** The log of each node's last life. */
  const logs = new Map<number, FaithfulLog>();
  let steps = 0;
  return async (env: LifeEnv): Promise<SimNode> => {
    const log = new FaithfulLog();
    const core = await createNode({
      ...optionsOf(env, cluster, engine),
      ...shared,
      suite,
      config,
      outside: () => ({
        now: env.now,
        append: log.append(env.append),
        perform(effect) {
          log.check(effect);
          env.perform(effect);
        },
      }),
    });
    core.hub.listen(env.listen);
    const { consensus, sync } = core.machine.parts;
    const { rs } = consensus;
    logs.get(env.index)?.compare(env.log, rs);
    logs.set(env.index, log);
    attachChecks(core, log, env, {
      config: config.consensus,
      suite,
      validator: validatorOf(cluster, env.index),
    });
    const lastStep = countSteps(consensus, () => steps++);
    return {
      input: (input) => core.driver.input(input),
      backlog: () => core.driver.backlog,
      handle: (ask) => core.appService.handle(ask),
      position: (): Position => rs,
      lastStep,
      rs: () => rs,
      stateHash: () => stateHash(rs),
      isSyncing: () => sync.active,
      rpc: core.rpc,
    };
  };
}

function validatorOf({ members }: Cluster, index: number): ConsensusOptions['validator'] {
  const member = members[index];
  return member === undefined ? undefined : { address: member.address, pubKey: member.signer.pubKey };
}

/** The options of a node that depend on the node itself or on the scenario. */
const optionsOf = (env: LifeEnv, cluster: Cluster, engine: EngineSpec) => ({
  genesis: cluster.genesis,
  kv: env.kv,
  indexer: (env.isIndexed ?? engine.isIndexed) ? ('kv' as const) : ('null' as const),
  amend: amendOf(cluster),
  log: env.log,
  identity: {
    nodeId: env.name,
    moniker: env.name,
    version: env.version,
    listenAddress: '',
    rpcAddress: '',
    validator: validatorOf(cluster, env.index),
  },
  keys: { addresses: [], secret: () => undefined },
  pause: noPause,
  randomId: env.randomId,
  after: env.after,
  clock: env.now,
  sizes: engine.sizesMax === undefined ? undefined : smallSizes(engine.sizesMax),
});

/** Checks while the node runs that its timers, its log and the order of its effects are right. A fault throws. */
function attachChecks(
  core: CoreNode,
  log: FaithfulLog,
  env: LifeEnv,
  options: Pick<ConsensusOptions, 'config' | 'suite' | 'validator'>,
): void {
  const { consensus, evidence, sync } = core.machine.parts;
  const { rs } = consensus;
  checkTimers(core.machine, rs, options.config.createEmptyBlocksIntervalMs > 0);
  log.attach(
    core.machine,
    {
      rs,
      conflicts: () => consensus.conflicts,
      isResting: () => sync.active,
      state: core.startState,
      log: env.log,
    },
    {
      ...options,
      deps: {
        reapTxs: () => [],
        pendingEvidence: () => [],
        checkEvidence: (list, at) => evidence.checkBlockEvidence(list, at),
        nextCall: () => 0,
      },
    },
  );
  checkInputOrder(core.driver, core.machine);
}

/** Numbers the steps of a node's consensus. Returns a function that gives the number of the last one. */
function countSteps(consensus: Consensus, next: () => number): () => number {
  let last = next();
  const step = consensus.step.bind(consensus);
  consensus.step = (now, input, out) => {
    last = next();
    step(now, input, out);
  };
  return () => last;
}

/** The application itself never changes validators or parameters; the scenario does. */
const amendOf =
  ({ schedule, members }: Cluster): Amend =>
  (height, reply) => {
    const [changes, paramUpdates] = [schedule.changes(height), schedule.newParams(height)];
    if (changes.length === 0 && paramUpdates === undefined) return reply;
    const validatorUpdates = changes.map(({ name, power }) => {
      const { signer } = present(
        members.find((one) => one.name === name),
        'a validator',
      );
      return { pubKey: signer.pubKey, power };
    });
    return { ...reply, validatorUpdates, paramUpdates };
  };

/** Hashes what decides a node's next vote: its position, its locks and proposal, and the votes it has seen. */
function stateHash(rs: RoundState): number {
  let hash = 17;
  const add = (value: number): void => {
    hash = Math.imul(hash ^ value, 0x01000193) ^ (hash >>> 11);
  };
  for (const value of [rs.height, rs.round, rs.step, rs.lockedRound, rs.validRound, rs.commitRound])
    add(value);
  for (const id of [rs.lockedBlock, rs.validBlock, rs.proposal?.blockId]) {
    for (let i = 0; i < 4; i++) add(id?.hash[i] ?? -1);
  }
  for (let round = 0; round <= rs.round; round++) {
    for (const type of ['prevote', 'precommit'] as const) {
      for (const word of rs.votes(round, type)?.bits.words() ?? []) add(word);
    }
  }
  return hash >>> 0;
}
