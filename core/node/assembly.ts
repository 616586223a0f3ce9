import type { ChainReader } from '../app/chain.ts';
import { createApplication, StartError } from '../app/create.ts';
import type { EvmService } from '../app/evmService.ts';
import type { GenesisMaker } from '../app/genesis.ts';
import { DEFAULT_EVM_TIMEOUT_MS, TimeGuard } from '../app/guard.ts';
import type { DecodeTx } from '../app/tx/decodeTx.ts';
import { Consensus } from '../consensus/machine.ts';
import { txRoomBytes } from '../consensus/params.ts';
import type { VoteVerifier } from '../consensus/verifySignature.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import { EventHub } from '../events/hub.ts';
import { commitIndexOps, fillIndex } from '../events/index/indexer.ts';
import { EventSearch, searchReads } from '../events/index/search.ts';
import { EvidenceGossip } from '../evidence/evidenceGossip.ts';
import { EVIDENCE_RANGE, EvidencePool } from '../evidence/pool.ts';
import { Gossip } from '../gossip/gossip.ts';
import { present } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import { Mempool } from '../mempool/mempool.ts';
import { TxRelay } from '../p2p/txRelay.ts';
import type { Indexing, NodeIdentity, NodeKeys, RpcContext } from '../rpc/context.ts';
import { guardedKv } from '../store/guardedKv.ts';
import type { KvStore } from '../store/kv.ts';
import { REMEDY } from '../store/recovery.ts';
import { BlockSync } from '../sync/blockSync.ts';
import type { Clock, Pause } from '../types/app.ts';
import type { Genesis } from '../types/genesis.ts';
import type { Height } from '../types/ids.ts';
import type { ChainState } from '../types/state.ts';
import type { EvidenceResult, FlushResult, SubmitResult } from '../types/submit.ts';
import { type Amend, amended } from './amended.ts';
import { AppService } from './appService.ts';
import { blockRules } from './blockRules.ts';
import { commitRules } from './commitRules.ts';
import type { CallId, Effect, Host, LogRecord } from './contract.ts';
import { Driver } from './driver.ts';
import { type FrameDecoder, frameDecoder } from './ingress.ts';
import { NodeMachine } from './node.ts';
import type { NodeCoreConfig } from './nodeConfig.ts';
import { poolReader } from './poolReader.ts';
import { redoRolledBack } from './rollback.ts';
import { Waiters } from './waiters.ts';

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

/** Submitted transactions that wait for the pool's verdict; clients beyond are told that the pool is full. */
const SUBMITS_MAX = 8192;

/** Pending and young committed evidence read at start; the pool's own bounds and the expiry keep it below. */
const EVIDENCE_ENTRIES_MAX = 1_000_000;

/** Opens the store (writing the genesis state into an empty one), replays the log, and wires the machines. */
export async function createNode(options: CoreNodeOptions): Promise<CoreNode> {
  const { genesis, suite, config, identity, sizes = USUAL_SIZES } = options;
  const kv = guardedKv(options.kv);
  const made = await createApplication({
    // It guards its own reads.
    kv: options.kv,
    suite,
    genesis,
    pause: options.pause,
    initGenesis: options.initGenesis,
    decodeTx: options.decodeTx,
    sizes,
    guard: () =>
      new TimeGuard({
        now: options.clock,
        pause: options.pause,
        timeoutMs: config.rpc.evmTimeoutMs ?? DEFAULT_EVM_TIMEOUT_MS,
      }),
    ...(options.indexer === 'kv'
      ? { indexOps: (height, results) => commitIndexOps(kv, height, results) }
      : {}),
  });
  const { reader, evm, blocks } = made;
  const app = options.amend === undefined ? made.app : amended(made.app, options.amend);
  if (options.indexer === 'kv') await fillIndex(kv, reader, options.pause);
  const state = await redoRolledBack(kv, suite, { app, state: made.state });
  let calls: CallId = 0;
  const nextCall = (): CallId => ++calls;
  const mempool = new Mempool(config.mempool, suite.sha256, nextCall);
  mempool.setPrices(reader.nextBaseFee(), reader.gasLimit());
  mempool.fit(txRoomBytes(state));
  const evidence = new EvidencePool({
    suite,
    state,
    has: (key) => kv.get(key) !== undefined,
    entries: await kv.range({ ...EVIDENCE_RANGE, limitMax: EVIDENCE_ENTRIES_MAX }),
    validatorsAt: (height) => reader.validators(height),
    blockTimeAt: (height) => reader.blockMeta(height)?.header.time,
    headerAt: (height) => reader.blockMeta(height)?.header,
    commitAt: (height) => reader.commit(height),
    commits: commitRules(suite),
  });
  const consensus = new Consensus({
    state,
    lastCommit: blocks.loadSeenCommit(state.lastBlockHeight),
    config: config.consensus,
    suite,
    verifyVote: options.verifyVote,
    validator: identity.validator,
    deps: {
      reapTxs: (maxBytes) => mempool.reap(maxBytes).map((tx) => tx.bytes),
      pendingEvidence: (maxBytes) => evidence.pendingEvidence(maxBytes),
      checkEvidence: (list, at) => evidence.checkBlockEvidence(list, at),
      nextCall,
    },
  });
  const lastCommit = blocks.loadSeenCommit(state.lastBlockHeight);
  const sync = new BlockSync({
    enabled: config.blocksync === true,
    state,
    lastCommit,
    self: identity.validator?.address,
    rules: blockRules(suite, (list, at) => evidence.checkBlockEvidence(list, at)),
    blocks: reader,
    nextCall,
    sizes,
  });
  const gossip = new Gossip({
    blocks,
    rs: consensus.rs,
    initialHeight: genesis.initialHeight,
    self: identity.validator?.address,
    sizes,
  });
  const evidenceGossip = new EvidenceGossip({
    pool: evidence,
    peerHeight: (peer) => gossip.peerRound(peer)?.height ?? 0,
    sizes,
  });
  const txRelay = new TxRelay({
    self: identity.nodeId,
    sha256: suite.sha256,
    pooled: (key) => mempool.byKey(key),
    poolTxsMax: config.mempool.txsMax,
    sizes,
    // As CometBFT's pool: a peer further behind would judge transactions by a state that is too old for them.
    isReady: (peer) => (gossip.peerRound(peer)?.height ?? 0) + 1 >= consensus.rs.height,
  });
  const { initialHeight } = genesis;
  const machine = new NodeMachine({
    consensus,
    gossip,
    mempool,
    txRelay,
    evidence,
    evidenceGossip,
    sync,
    initialHeight,
    decodeFrame: options.decodeFrame ?? frameDecoder(config.mempool.txBytesMax),
  });
  const replayed = machine.replay(options.log.filter((record) => record.height > state.lastBlockHeight));
  if (!replayed.ok)
    throw new StartError('log', `the log cannot be replayed: ${replayed.error.message}: ${REMEDY}`);

  const hub = new EventHub();
  const appService = new AppService(app);
  const submits = new Waiters<SubmitResult>();
  const evidences = new Waiters<EvidenceResult>();
  const flushes = new Waiters<FlushResult>();
  const outside = options.outside({ appService, hub });
  const host: Host = {
    now: outside.now,
    append: outside.append,
    perform(effect) {
      if (effect.kind === 'publish') hub.publish(effect.event);
      else if (effect.kind === 'reply') {
        const { call, result } = effect;
        if (result.kind === 'flushed') flushes.answer(call, result);
        else if (result.kind === 'evidence') evidences.answer(call, result);
        else submits.answer(call, result);
      } else outside.perform(effect);
    },
  };
  const driver = new Driver(machine, host, sizes);
  const rpc: RpcContext = {
    chain: reader,
    evm,
    pool: poolReader(mempool, made.decoder),
    wrapEthTx: (signed) => made.decoder.wrap(signed),
    hub,
    keys: options.keys,
    identity,
    genesis,
    limits: config.rpc,
    suite,
    now: options.clock,
    submit(tx) {
      if (submits.size >= SUBMITS_MAX)
        return Promise.resolve({ kind: 'refused', hash: suite.sha256(tx), refusal: mempool.fullness() });
      const call = nextCall();
      const reply = submits.wait(call);
      driver.input({ kind: 'submit', call, tx });
      return reply;
    },
    randomId: options.randomId,
    indexing: indexingOf({ ...options, kv }, reader),
    checkTx: (tx) => app.checkTx(tx, false),
    simulate: (tx) => made.app.simulate(tx),
    pause: options.pause,
    sizes,
    ...(options.after === undefined ? {} : { after: options.after }),
    submitEvidence(sent) {
      const call = nextCall();
      const reply = evidences.wait(call);
      driver.input({ kind: 'evidence', call, evidence: sent });
      return reply;
    },
    async flushPool() {
      const call = nextCall();
      const reply = flushes.wait(call);
      driver.input({ kind: 'flushPool', call });
      await reply;
    },
    consensus: {
      roundState: consensus.rs,
      peers: () => gossip.peers.map((id) => ({ id, round: present(gossip.peerRound(id), 'a peer of ours') })),
    },
    catchingUp: () => sync.active || isBehind(gossip.peerHeightMax(), reader.head()),
  };
  return { driver, machine, rpc, hub, appService, evm, startState: state };
}

function indexingOf({ indexer, kv, pause, sizes }: CoreNodeOptions, reader: ChainReader): Indexing {
  if (indexer !== 'kv') return { kind: indexer ?? 'null' };
  return { kind: 'kv', search: new EventSearch(kv, searchReads(reader), pause, sizes) };
}

/** A peer that works on height h has committed h - 1; one block behind is normal. */
const isBehind = (peerHeight: Height, head: Height): boolean => peerHeight - 1 > head + 1;
