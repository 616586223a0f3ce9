import type { ChainReader } from '../app/chain.ts';
import type { CreatedApplication } from '../app/create.ts';
import type { EventHub } from '../events/hub.ts';
import { EventSearch, searchReads } from '../events/index/search.ts';
import { USUAL_SIZES } from '../lib/sizes.ts';
import type { Indexing, RpcContext } from '../rpc/context.ts';
import type { KvStore } from '../store/kv.ts';
import type { Application } from '../types/app.ts';
import type { Height } from '../types/ids.ts';
import type { CallId } from './contract.ts';
import type { Driver } from './driver.ts';
import type { Machines } from './machines.ts';
import type { CoreNodeOptions } from './options.ts';
import { poolReader } from './poolReader.ts';
import type { Replies } from './replies.ts';

/** Most submitted transactions that wait for the pool's answer. Further clients are told that the pool is full. */
const SUBMITS_MAX = 8192;

/** The parts of a running node that RPC uses. */
export interface Running {
  readonly made: CreatedApplication;
  /** The application that consensus uses, with its amended answers. */
  readonly app: Application;
  readonly kv: KvStore;
  readonly machines: Machines;
  readonly hub: EventHub;
  readonly driver: Driver;
  readonly replies: Replies;
  readonly nextCall: () => CallId;
}

/** The context that the node's RPC servers work with. */
export function rpcContext(options: CoreNodeOptions, running: Running): RpcContext {
  const { made, app, machines, hub } = running;
  const { consensus, gossip, mempool, sync } = machines;
  const { reader, evm, decoder } = made;
  return {
    chain: reader,
    evm,
    pool: poolReader(mempool, decoder),
    wrapEthTx: (signed) => decoder.wrap(signed),
    hub,
    keys: options.keys,
    identity: options.identity,
    genesis: options.genesis,
    limits: options.config.rpc,
    suite: options.suite,
    now: options.clock,
    randomId: options.randomId,
    indexing: indexingOf({ ...options, kv: running.kv }, reader),
    checkTx: (tx) => app.checkTx(tx, false),
    simulate: (tx) => made.app.simulate(tx),
    pause: options.pause,
    sizes: options.sizes ?? USUAL_SIZES,
    ...(options.after === undefined ? {} : { after: options.after }),
    ...givers(options, running),
    consensus: {
      roundState: consensus.rs,
      peers: () => gossip.peers,
      peerRound: (id) => gossip.peerRound(id),
    },
    catchingUp: () => sync.active || isBehind(gossip.peerHeightMax(), reader.head()),
  };
}

/** What clients submit goes to the machine as an input. They wait for the reply. */
const givers = (
  { suite }: CoreNodeOptions,
  { machines, driver, replies, nextCall }: Running,
): Pick<RpcContext, 'submit' | 'submitEvidence' | 'flushPool'> => ({
  submit(tx) {
    if (replies.submits.size >= SUBMITS_MAX) {
      const refusal = machines.mempool.fullness();
      return Promise.resolve({ kind: 'refused', hash: suite.sha256(tx), refusal });
    }
    const call = nextCall();
    const reply = replies.submits.wait(call);
    driver.input({ kind: 'submit', call, tx });
    return reply;
  },
  submitEvidence(sent) {
    const call = nextCall();
    const reply = replies.evidences.wait(call);
    driver.input({ kind: 'evidence', call, evidence: sent });
    return reply;
  },
  async flushPool() {
    const call = nextCall();
    const reply = replies.flushes.wait(call);
    driver.input({ kind: 'flushPool', call });
    await reply;
  },
});

function indexingOf({ indexer, kv, pause, sizes }: CoreNodeOptions, reader: ChainReader): Indexing {
  if (indexer !== 'kv') return { kind: indexer ?? 'null' };
  return { kind: 'kv', search: new EventSearch(kv, searchReads(reader), pause, sizes) };
}

/** A peer that works on height h has committed h - 1; one block behind is normal. */
const isBehind = (peerHeight: Height, head: Height): boolean => peerHeight - 1 > head + 1;
