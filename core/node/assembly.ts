import { type CreatedApplication, createApplication, StartError } from '../app/create.ts';
import type { EvmService } from '../app/evmService.ts';
import type { GenesisMaker } from '../app/genesis.ts';
import { DEFAULT_EVM_TIMEOUT_MS, TimeGuard } from '../app/guard.ts';
import type { DecodeTx } from '../app/tx/decodeTx.ts';
import type { VoteVerifier } from '../consensus/verifySignature.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import { EventHub } from '../events/hub.ts';
import { commitIndexOps, fillIndex } from '../events/index/indexer.ts';
import type { Bytes } from '../lib/bytes.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { NodeIdentity, NodeKeys, RpcContext } from '../rpc/context.ts';
import { guardedKv } from '../store/guardedKv.ts';
import type { KvStore } from '../store/kv.ts';
import { REMEDY } from '../store/recovery.ts';
import type { Clock, Pause } from '../types/app.ts';
import type { Genesis } from '../types/genesis.ts';
import type { ChainState } from '../types/state.ts';
import { type Amend, amended } from './amended.ts';
import { AppService } from './appService.ts';
import type { CallId, Effect, Host, LogRecord } from './contract.ts';
import { Driver } from './driver.ts';
import type { FrameDecoder } from './ingress.ts';
import { makeMachines } from './machines.ts';
import type { NodeMachine } from './node.ts';
import type { NodeCoreConfig } from './nodeConfig.ts';
import { Replies } from './replies.ts';
import { redoRolledBack } from './rollback.ts';
import { rpcContext } from './rpcContext.ts';

/** What the core cannot do by itself: the rest of a Host, after publish and reply are handled here. */
export interface Outside {
  now: Host['now'];
  append: Host['append'];
  perform(effect: Exclude<Effect, { kind: 'persist' | 'publish' | 'reply' }>): void;
}

export interface CoreNodeOptions {
  readonly genesis: Genesis;
  readonly kv: KvStore;
  readonly suite: CryptoSuite;
  readonly config: NodeCoreConfig;
  /** Records found in the node's log, oldest first; those at or below the stored height are skipped. */
  readonly log: readonly LogRecord[];
  readonly identity: NodeIdentity;
  readonly keys: NodeKeys;
  readonly pause: Pause;
  readonly randomId: () => Bytes;
  /** Wall clock for what is shown to users; the protocol is told the time by the host. */
  readonly clock: Clock;
  /** Where events are indexed for searches; absent: nowhere. Of `psql` only the host knows how. */
  readonly indexer?: 'kv' | 'psql' | 'null';
  /** What the application answers to blocks besides: so the simulator changes validators and params. */
  readonly amend?: Amend | undefined;
  /** Instead of the core's own; it may only remember what that has answered. */
  readonly decodeFrame?: FrameDecoder;
  /** The same of votes and their signatures. */
  readonly verifyVote?: VoteVerifier;
  /** The same of the state of genesis. */
  readonly initGenesis?: GenesisMaker;
  /** The same of transactions. */
  readonly decodeTx?: DecodeTx;
  /** Timers for requests that wait; RpcContext.after. */
  readonly after?: RpcContext['after'];
  /** How much is remembered and done at once; as usual unless told. */
  readonly sizes?: Sizes | undefined;
  /** Called once the parts that a host performs effects with exist. */
  outside(core: CoreServices): Outside;
}

export interface CoreServices {
  readonly appService: AppService;
  readonly hub: EventHub;
}

/** A whole node but for the world around it. The real node and the simulator both build it here. */
export interface CoreNode {
  readonly driver: Driver;
  readonly machine: NodeMachine;
  readonly rpc: RpcContext;
  readonly hub: EventHub;
  readonly appService: AppService;
  readonly evm: EvmService;
  /** The stored state that the node started from. */
  readonly startState: ChainState;
}

/** Opens the store (writing the genesis state into an empty one), replays the log, and wires the machines. */
export async function createNode(options: CoreNodeOptions): Promise<CoreNode> {
  const { suite, sizes = USUAL_SIZES } = options;
  const kv = guardedKv(options.kv);
  const made = await openApplication(options, kv);
  const app = options.amend === undefined ? made.app : amended(made.app, options.amend);
  if (options.indexer === 'kv') await fillIndex(kv, made.reader, options.pause);
  const state = await redoRolledBack(kv, suite, { app, state: made.state });
  let calls: CallId = 0;
  const nextCall = (): CallId => ++calls;
  const { reader, blocks } = made;
  const machines = await makeMachines(options, { kv, reader, blocks, state }, nextCall);
  const { machine } = machines;
  const replayed = machine.replay(options.log.filter((record) => record.height > state.lastBlockHeight));
  if (!replayed.ok)
    throw new StartError('log', `the log cannot be replayed: ${replayed.error.message}: ${REMEDY}`);

  const hub = new EventHub();
  const appService = new AppService(app);
  const replies = new Replies();
  const host = hostOf(options.outside({ appService, hub }), hub, replies);
  const driver = new Driver(machine, host, sizes);
  const rpc = rpcContext(options, { made, app, kv, machines, hub, driver, replies, nextCall });
  return { driver, machine, rpc, hub, appService, evm: made.evm, startState: state };
}

/** @param kv To which the index is written. */
function openApplication(options: CoreNodeOptions, kv: KvStore): Promise<CreatedApplication> {
  const { config, clock, pause, sizes = USUAL_SIZES } = options;
  const timeoutMs = config.rpc.evmTimeoutMs ?? DEFAULT_EVM_TIMEOUT_MS;
  return createApplication({
    // It guards its own reads.
    kv: options.kv,
    suite: options.suite,
    genesis: options.genesis,
    pause,
    initGenesis: options.initGenesis,
    decodeTx: options.decodeTx,
    sizes,
    guard: () => new TimeGuard({ now: clock, pause, timeoutMs }),
    ...(options.indexer === 'kv'
      ? { indexOps: (height, results) => commitIndexOps(kv, height, results) }
      : {}),
  });
}

/** Events and replies stay in this process, everything else is done outside. */
const hostOf = (outside: Outside, hub: EventHub, replies: Replies): Host => ({
  now: outside.now,
  append: outside.append,
  perform(effect) {
    if (effect.kind === 'publish') hub.publish(effect.event);
    else if (effect.kind === 'reply') replies.answer(effect);
    else outside.perform(effect);
  },
});
