import { type GenesisMaker, initGenesis } from '../../core/app/genesis.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { Recent } from '../../core/lib/recent.ts';
import type { MempoolConfig } from '../../core/mempool/config.ts';
import type { Amend } from '../../core/node/amended.ts';
import { createNode } from '../../core/node/assembly.ts';
import { DEFAULT_NODE_CONFIG, type NodeCoreConfig } from '../../core/node/nodeConfig.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Cluster } from '../cluster.ts';
import { decodingOnce } from '../network/decoding.ts';
import type { EngineSpec } from '../scenario/chainSpecs.ts';
import type { Position } from '../world/facts.ts';
import { decodingTxsOnce } from './decodingTxs.ts';
import { FaithfulLog } from './faithfulLog.ts';
import { holdToOrder } from './inOrder.ts';
import { holdToTimers } from './obeyed.ts';
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
  const decodeFrame = decodingOnce();
  const verifyVote = verifyingOnce();
  const decodeTx = decodingTxsOnce();
  /** The log of each node's last life. */
  const logs = new Map<number, FaithfulLog>();
  let steps = 0;
  return async (env: LifeEnv): Promise<SimNode> => {
    const member = cluster.members[env.index];
    const validator =
      member === undefined ? undefined : { address: member.address, pubKey: member.signer.pubKey };
    const log = new FaithfulLog();
    const core = await createNode({
      genesis: cluster.genesis,
      kv: env.kv,
      suite,
      config,
      indexer: (env.isIndexed ?? engine.isIndexed) ? 'kv' : 'null',
      amend: amendOf(cluster),
      log: env.log,
      identity: {
        nodeId: env.name,
        moniker: env.name,
        version: env.version,
        listenAddress: '',
        rpcAddress: '',
        validator,
      },
      keys: { addresses: [], secret: () => undefined },
      pause: noPause,
      randomId: env.randomId,
      after: env.after,
      clock: env.now,
      decodeFrame,
      verifyVote,
      initGenesis: initOnce,
      decodeTx,
      sizes: engine.sizesMax === undefined ? undefined : smallSizes(engine.sizesMax),
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
    const { consensus, evidence, sync } = core.machine.parts;
    const { rs } = consensus;
    logs.get(env.index)?.compare(env.log, rs);
    holdToTimers(core.machine, rs, config.consensus.createEmptyBlocksIntervalMs > 0);
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
        config: config.consensus,
        suite,
        validator,
        deps: {
          reapTxs: () => [],
          pendingEvidence: () => [],
          checkEvidence: (list, at) => evidence.checkBlockEvidence(list, at),
          nextCall: () => 0,
        },
      },
    );
    logs.set(env.index, log);
    holdToOrder(core.driver, core.machine);
    let lastStep = steps++;
    const step = consensus.step.bind(consensus);
    consensus.step = (now, input, out) => {
      lastStep = steps++;
      step(now, input, out);
    };
    return {
      input: (input) => core.driver.input(input),
      backlog: () => core.driver.backlog,
      handle: (ask) => core.appService.handle(ask),
      position: (): Position => rs,
      lastStep: () => lastStep,
      rs: () => rs,
      stateHash: () => stateHash(rs),
      isSyncing: () => sync.active,
      rpc: core.rpc,
    };
  };
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
