import type { ChainReader, EthTx, SignedEthTx } from '../app/chain.ts';
import type { EvmService } from '../app/evmService.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import type { EventHub } from '../events/hub.ts';
import type { EventSearch } from '../events/index/search.ts';
import type { BitSet } from '../lib/bitset.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { Sizes } from '../lib/sizes.ts';
import type { DialOrder } from '../p2p/peersContract.ts';
import type { CheckReply, Pause } from '../types/app.ts';
import type { PartSetHeader } from '../types/block.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Genesis } from '../types/genesis.ts';
import type { Address, Hash, Height, Micros, Millis, PeerId, Round } from '../types/ids.ts';
import type { ChannelState, NodeInfo } from '../types/peer.ts';
import type { TxResult } from '../types/result.ts';
import type { RoundState } from '../types/roundState.ts';
import type { EvidenceResult, SubmitResult } from '../types/submit.ts';
import type { PublicKey } from '../types/validator.ts';
import type { VoteType } from '../types/vote.ts';

/** What waits of one sender; the same object for as long as it is the same. */
export interface PooledSender {
  readonly sender: Address;
  /** Follow the state's nonce without a gap. */
  readonly pending: readonly EthTx[];
  readonly queued: readonly EthTx[];
}

/** The mempool as readers see it. */
export interface PoolReader {
  /** Next nonce after the executable txs of the sender, or undefined when the pool has none of its. */
  pendingNonce(sender: Address): bigint | undefined;
  /** By Ethereum hash. */
  byEthHash(hash: Hash): EthTx | undefined;
  stats(): { readonly pending: number; readonly queued: number; readonly bytes: number };
  /** Ethereum transactions by sender, senders in order of address, each in order of nonce. */
  content(): readonly PooledSender[];
  /** Consensus transactions that a proposer would take now, in its order, up to so many bytes. */
  best(bytesMax: number): readonly Bytes[];
  /** The first `max` txs in arrival order. */
  list?(max: number): readonly Bytes[];
}

/** Where a peer stands in consensus, as far as it told us. */
export interface PeerRoundReader {
  /** 0 until it has said. */
  readonly height: Height;
  readonly round: Round;
  readonly step: number;
  readonly lastCommitRound: Round;
  /** When it entered the round, by our clock; 0 until it has said. */
  readonly startTime: Micros;
  readonly hasProposal: boolean;
  /** Of its proposal's proof of lock, or -1. */
  readonly polRound: Round;
  readonly partsHeader: PartSetHeader | undefined;
  readonly parts: BitSet | undefined;
  readonly lastCommit: BitSet | undefined;
  /** Messages that it sent us. */
  readonly received: { readonly votes: number; readonly blockParts: number };
  /** Votes of it for heights that neither of us can be at: with too many it is dropped. */
  readonly strayVotes: number;
  votes(round: Round, type: VoteType): BitSet | undefined;
}

/** The consensus machine and what it knows of peers, for operators. A live view: read it in one go. */
export interface ConsensusReader {
  readonly roundState: RoundState;
  peers(): readonly { readonly id: PeerId; readonly round: PeerRoundReader }[];
}

/** Keys the node may sign with (dev accounts, keyring); empty on a production node unless configured. */
export interface NodeKeys {
  readonly addresses: readonly Address[];
  /** 32-byte secret of an address in `addresses`; undefined while it is locked. */
  secret(address: Address): Bytes | undefined;
  /** Keys that requests bring, each under its own password; absent where requests may bring none. */
  readonly vault?: KeyVault;
}

/** Some of NodeKeys' keys. Errors are sentences for whoever asked. */
export interface KeyVault {
  has(address: Address): boolean;
  /** A new key. */
  create(password: string): Result<Address, string>;
  /** `secret` is one of secp256k1. */
  add(secret: Bytes, password: string): Result<Address, string>;
  /** The secret, for this once. */
  open(address: Address, password: string): Result<Bytes, string>;
  /** Without a time, until the node stops or the key is locked. */
  unlock(address: Address, password: string, ms: Millis | undefined): Result<void, string>;
  lock(address: Address): void;
}

export interface NodeIdentity {
  readonly nodeId: string;
  readonly moniker: string;
  /** Release of this software. */
  readonly version: string;
  readonly listenAddress: string;
  readonly rpcAddress: string;
  readonly validator: { readonly address: Address; readonly pubKey: PublicKey } | undefined;
}

/** One connected peer, for operators. */
export interface PeerStatus {
  readonly info: NodeInfo;
  readonly ip: string;
  readonly isOutbound: boolean;
  readonly upMicros: Micros;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly channels: readonly ChannelState[];
}

/** The network as readers see it. */
export interface NetworkReader {
  /** `host:port` of every open listener. */
  readonly listeners: readonly string[];
  /** Sorted by peer id. */
  peerStatuses(): readonly PeerStatus[];
  /** Begins to dial; an error when no more peers can be remembered. */
  dial?(order: DialOrder): Result<void, string>;
  /** Peers that are not let in for now, and why. Sorted by peer id. */
  bans?(): readonly { readonly peer: PeerId; readonly reason: string; readonly until: Micros }[];
}

export interface RpcLimits {
  readonly gasCap: bigint;
  /** Longest that one request may execute code; 0 is no limit, absent is geth's default. */
  readonly evmTimeoutMs?: Millis;
  readonly txFeeCapWei: bigint;
  readonly logsMax: number;
  readonly blockRangeMax: number;
  readonly feeHistoryMax: number;
  readonly batchMax: number;
  readonly batchResponseBytesMax: number;
  /** Characters of what one answer gathers from many blocks or transactions, roughly; ANSWER_CHARS_MAX where absent. */
  readonly answerCharsMax?: number;
  readonly bodyBytesMax: number;
  readonly filtersMax: number;
  readonly filterTimeoutMs: number;
  readonly allowUnprotectedTxs: boolean;
  /** Enabled JSON-RPC namespaces; a disabled one answers -32601. */
  readonly namespaces: readonly string[];
  /** Of the consensus RPC; CometBFT's defaults where absent. */
  readonly comet?: Partial<CometLimits>;
}

export interface CometLimits {
  readonly subscriptionClientsMax: number;
  readonly subscriptionsPerClientMax: number;
  readonly batchMax: number;
  readonly broadcastCommitTimeoutMs: Millis;
  /** Serves the methods that change the node itself. */
  readonly unsafe: boolean;
}

/** Where events are searched: in the node's own index, not here but in PostgreSQL, or nowhere. */
export type Indexing =
  | { readonly kind: 'kv'; readonly search: EventSearch }
  | { readonly kind: 'psql' }
  | { readonly kind: 'null' };

/** Everything a transport-free handler may ask. One object a node, shared by all surfaces. */
export interface RpcContext {
  readonly chain: ChainReader;
  readonly evm: EvmService;
  readonly pool: PoolReader;
  readonly hub: EventHub;
  readonly keys: NodeKeys;
  readonly identity: NodeIdentity;
  readonly genesis: Genesis;
  readonly limits: RpcLimits;
  readonly suite: CryptoSuite;
  /** Wall clock of the host, for filter deadlines and X-Server-Time only. */
  now(): Micros;
  /** Enters the node as an input; resolves with the mempool's verdict. `tx` is the consensus tx (TxRaw). */
  submit(tx: Bytes): Promise<SubmitResult>;
  /** Enters the node as an input; resolves with what became of it. Absent where no node runs. */
  submitEvidence?(evidence: Evidence): Promise<EvidenceResult>;
  /** Enters the node as an input; resolves when the pool is empty. Absent where no node runs. */
  flushPool?(): Promise<void>;
  /** Absent where no node runs. */
  readonly consensus?: ConsensusReader;
  /** The consensus transaction of a recovered one, so that the node need not recover it again. */
  wrapEthTx?(signed: SignedEthTx): Bytes;
  /** Host randomness for ids of filters and subscriptions; 16 bytes. */
  randomId(): Bytes;
  /** Connected p2p peers; absent while the node has no network. */
  peerCount?(): number;
  /** Absent while the node has no network. */
  readonly network?: NetworkReader;
  /** Absent: the node's host has no index. */
  readonly indexing?: Indexing;
  /** What a Cosmos transaction would do on the latest state, whatever its signature and fee. */
  simulate?(tx: Bytes): TxResult;
  /** CheckTx on the latest state; the pool hears nothing of it. */
  checkTx?(tx: Bytes): Promise<CheckReply>;
  /** Lets others run between two pieces of long work; absent where nothing else waits. */
  readonly pause?: Pause;
  readonly sizes?: Sizes;
  /** Calls once after so many milliseconds, unless cancelled by the function returned. */
  after?(ms: Millis, call: () => void): () => void;
  /** True while the node is behind its peers. */
  catchingUp(): boolean;
}
