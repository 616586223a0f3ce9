import { type CreatedApplication, createApplication, StartError } from '../app/create.ts';
import type { EvmService } from '../app/evmService.ts';
import { DEFAULT_EVM_TIMEOUT_MS, TimeGuard } from '../app/guard.ts';
import { EventHub } from '../events/hub.ts';
import { commitIndexOps, fillIndex } from '../events/index/indexer.ts';
import { USUAL_SIZES } from '../lib/sizes.ts';
import type { RpcContext } from '../rpc/context.ts';
import { guardedKv } from '../store/guardedKv.ts';
import type { KvStore } from '../store/kv.ts';
import { REMEDY } from '../store/recovery.ts';
import type { ChainState } from '../types/state.ts';
import { amended } from './amended.ts';
import { AppService } from './appService.ts';
import type { CallId, Host } from './contract.ts';
import { Driver } from './driver.ts';
import { makeMachines } from './machines.ts';
import type { NodeMachine } from './node.ts';
import type { CoreNodeOptions, Outside } from './options.ts';
import { Replies } from './replies.ts';
import { redoRolledBack } from './rollback.ts';
import { rpcContext } from './rpcContext.ts';

/** A whole node except for its environment. The real node and the simulator both build it here. */
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

/** `kv` is the store that the index is written to. */
function openApplication(options: CoreNodeOptions, kv: KvStore): Promise<CreatedApplication> {
  const { config, clock, pause, sizes = USUAL_SIZES } = options;
  const timeoutMs = config.rpc.evmTimeoutMs ?? DEFAULT_EVM_TIMEOUT_MS;
  return createApplication({
    // The store without a guard: the application guards its own reads.
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

/** Events and replies are handled here. The host performs all other effects. */
const hostOf = (outside: Outside, hub: EventHub, replies: Replies): Host => ({
  now: outside.now,
  append: outside.append,
  perform(effect) {
    if (effect.kind === 'publish') hub.publish(effect.event);
    else if (effect.kind === 'reply') replies.answer(effect);
    else outside.perform(effect);
  },
});
