import type { CreatedApplication } from '../app/create.ts';
import { Consensus } from '../consensus/machine.ts';
import { txRoomBytes } from '../consensus/params.ts';
import { EvidenceGossip } from '../evidence/evidenceGossip.ts';
import { EVIDENCE_RANGE, EvidencePool } from '../evidence/pool.ts';
import { Gossip } from '../gossip/gossip.ts';
import { USUAL_SIZES } from '../lib/sizes.ts';
import { Mempool } from '../mempool/mempool.ts';
import { TxRelay } from '../p2p/txRelay.ts';
import type { KvStore } from '../store/kv.ts';
import { BlockSync } from '../sync/blockSync.ts';
import type { ChainState } from '../types/state.ts';
import { blockRules } from './blockRules.ts';
import { commitRules } from './commitRules.ts';
import type { CallId } from './contract.ts';
import { frameDecoder } from './ingress.ts';
import { NodeMachine } from './node.ts';
import type { CoreNodeOptions } from './options.ts';

/**
 * Most evidence records read at the start (pending, and committed but not expired). The pool's bounds and expiry keep
 * the number below this.
 */
const EVIDENCE_ENTRIES_MAX = 1_000_000;

/** The node's state machine, and those of its parts that RPC and the host read. */
export interface Machines {
  readonly machine: NodeMachine;
  readonly consensus: Consensus;
  readonly gossip: Gossip;
  readonly mempool: Mempool;
  readonly sync: BlockSync;
}

/** What the store holds at the start, and the means to read it. */
export interface Opened extends Pick<CreatedApplication, 'reader' | 'blocks'> {
  readonly kv: KvStore;
  readonly state: ChainState;
}

/** Makes the machines of a node and wires them to each other. They know nothing of each other beyond this wiring. */
export async function makeMachines(
  options: CoreNodeOptions,
  opened: Opened,
  nextCall: () => CallId,
): Promise<Machines> {
  const { genesis, suite, config, identity, sizes = USUAL_SIZES } = options;
  const { reader, blocks, state } = opened;
  const { initialHeight } = genesis;
  const self = identity.validator?.address;
  const mempool = new Mempool(config.mempool, suite.sha256, nextCall);
  mempool.setPrices(reader.nextBaseFee(), reader.gasLimit());
  mempool.setRoomBytes(txRoomBytes(state));
  const evidence = await openEvidence(options, opened);
  const lastCommit = blocks.loadSeenCommit(state.lastBlockHeight);
  const consensus = new Consensus({
    state,
    lastCommit,
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
  const sync = new BlockSync({
    enabled: config.blocksync === true,
    state,
    lastCommit,
    self,
    rules: blockRules(suite, (list, at) => evidence.checkBlockEvidence(list, at)),
    blocks: reader,
    nextCall,
    sizes,
  });
  const gossip = new Gossip({ blocks, rs: consensus.rs, initialHeight, self, sizes });
  const heightOf = (peer: string): number => gossip.peerRound(peer)?.height ?? 0;
  const evidenceGossip = new EvidenceGossip({ pool: evidence, peerHeight: heightOf, sizes });
  const txRelay = new TxRelay({
    self: identity.nodeId,
    sha256: suite.sha256,
    pooled: (key) => mempool.byKey(key),
    poolTxsMax: config.mempool.txsMax,
    txBytesMax: config.mempool.txBytesMax,
    sizes,
    // As in CometBFT's mempool: a peer further behind would check transactions against too old a state.
    isReady: (peer) => heightOf(peer) + 1 >= consensus.rs.height,
  });
  const decodeFrame = options.decodeFrame ?? frameDecoder(config.mempool.txBytesMax);
  const parts = { consensus, gossip, mempool, txRelay, evidence, evidenceGossip, sync };
  const machine = new NodeMachine({ ...parts, initialHeight, decodeFrame });
  return { machine, consensus, gossip, mempool, sync };
}

async function openEvidence(
  { suite }: CoreNodeOptions,
  { kv, reader, state }: Opened,
): Promise<EvidencePool> {
  return new EvidencePool({
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
}
