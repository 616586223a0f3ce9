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

/** Pooled transactions of one sender. The same object is returned while they do not change. */
export interface PooledSender {
  readonly sender: Address;
  /** Consecutive nonces that start at the state's nonce. */
  readonly pending: readonly EthTx[];
  readonly queued: readonly EthTx[];
}

/** The mempool for readers. */
export interface PoolReader {
  /** Next nonce after the sender's executable transactions; undefined when the pool has none from it. */
  pendingNonce(sender: Address): bigint | undefined;
  /** Finds a transaction by its Ethereum hash. */
  byEthHash(hash: Hash): EthTx | undefined;
  stats(): { readonly pending: number; readonly queued: number; readonly bytes: number };
  /** Ethereum transactions by sender: senders in order of address, transactions in order of nonce. */
  content(): readonly PooledSender[];
  /** Consensus transactions that a proposer would include now, in its order, of at most `bytesMax` bytes in total. */
  best(bytesMax: number): readonly Bytes[];
  /** The first `max` txs in arrival order. */
  list?(max: number): readonly Bytes[];
}

/** A peer's position in consensus, as far as its messages tell. */
export interface PeerRoundReader {
  /** 0 until the peer has sent it. */
  readonly height: Height;
  readonly round: Round;
  readonly step: number;
  readonly lastCommitRound: Round;
  /** When the peer entered the round, by this node's clock; 0 until the peer has sent its position. */
  readonly startTime: Micros;
  readonly hasProposal: boolean;
  /** POL round of its proposal, or -1. */
  readonly polRound: Round;
  readonly partsHeader: PartSetHeader | undefined;
  readonly parts: BitSet | undefined;
  readonly lastCommit: BitSet | undefined;
  /** Counts messages received from the peer. */
  readonly received: { readonly votes: number; readonly blockParts: number };
  /** Votes from the peer for heights that neither side can be at. Too many of them disconnect the peer. */
  readonly strayVotes: number;
  votes(round: Round, type: VoteType): BitSet | undefined;
}

/** The consensus state machine and what it knows of peers, for operators. A live view: read it synchronously. */
export interface ConsensusReader {
  readonly roundState: RoundState;
  peers(): readonly { readonly id: PeerId; readonly round: PeerRoundReader }[];
  /** undefined for a peer that is not connected. */
  peerRound(id: PeerId): PeerRoundReader | undefined;
}

/** Keys that this node may sign with (dev accounts, keyring). Empty on a production node unless configured. */
export interface NodeKeys {
  readonly addresses: readonly Address[];
  /** 32-byte secret key of an address in `addresses`; undefined while it is locked. */
  secret(address: Address): Bytes | undefined;
  /** Keys created or imported by requests, each with its own password. Absent where requests must not add keys. */
  readonly vault?: KeyVault;
}

/** The part of NodeKeys that requests can manage. Errors are sentences for the caller. */
export interface KeyVault {
  has(address: Address): boolean;
  /** Creates a key. */
  create(password: string): Result<Address, string>;
  /** Imports a key. `secret` must be a valid secp256k1 key. */
  add(secret: Bytes, password: string): Result<Address, string>;
  /** Returns the secret without unlocking the key. */
  open(address: Address, password: string): Result<Bytes, string>;
  /** Without `ms`, the key stays unlocked until the node stops or locks it. */
  unlock(address: Address, password: string, ms: Millis | undefined): Result<void, string>;
  lock(address: Address): void;
}

export interface NodeIdentity {
  readonly nodeId: string;
  readonly moniker: string;
  /** Version of this software. */
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

/** The p2p network for readers. */
export interface NetworkReader {
  /** `host:port` of every open listener. */
  readonly listeners: readonly string[];
  /** Sorted by peer id. */
  peerStatuses(): readonly PeerStatus[];
  /** Starts to dial. Fails if too many peers are named, or if the network is not running. */
  dial?(order: DialOrder): Result<void, string>;
  /** Banned peers and the reasons, sorted by peer id. */
  bans?(): readonly { readonly peer: PeerId; readonly reason: string; readonly until: Micros }[];
}

export interface RpcLimits {
  readonly gasCap: bigint;
  /** Maximum execution time of one request; 0 means no limit, absent means geth's default. */
  readonly evmTimeoutMs?: Millis;
  readonly txFeeCapWei: bigint;
  readonly logsMax: number;
  readonly blockRangeMax: number;
  readonly feeHistoryMax: number;
  readonly batchMax: number;
  readonly batchResponseBytesMax: number;
  /** Approximate characters that one answer may collect from many blocks or transactions; default ANSWER_CHARS_MAX. */
  readonly answerCharsMax?: number;
  readonly bodyBytesMax: number;
  readonly filtersMax: number;
  readonly filterTimeoutMs: number;
  readonly allowUnprotectedTxs: boolean;
  /** Enabled JSON-RPC namespaces; a disabled one answers -32601. */
  readonly namespaces: readonly string[];
  /** Limits of the consensus RPC; CometBFT's defaults where absent. */
  readonly comet?: Partial<CometLimits>;
}

export interface CometLimits {
  readonly subscriptionClientsMax: number;
  readonly subscriptionsPerClientMax: number;
  readonly batchMax: number;
  readonly broadcastCommitTimeoutMs: Millis;
  /** Enables the methods that change the node itself. */
  readonly unsafe: boolean;
}

/** Where events can be searched: in the node's own index, only in PostgreSQL, or nowhere. */
export type Indexing =
  | { readonly kind: 'kv'; readonly search: EventSearch }
  | { readonly kind: 'psql' }
  | { readonly kind: 'null' };

/** Everything that a handler may use, independent of the transport. One object per node, shared by all APIs. */
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
  /** Host's wall clock: filter deadlines, X-Server-Time, uptimes of peers, time of the pending block. */
  now(): Micros;
  /** Passes the consensus transaction (TxRaw) to the node as an input; resolves with the mempool's verdict. */
  submit(tx: Bytes): Promise<SubmitResult>;
  /** Passes evidence to the node as an input; resolves with the outcome. Absent where no node runs. */
  submitEvidence?(evidence: Evidence): Promise<EvidenceResult>;
  /** Empties the mempool through an input to the node; resolves when it is empty. Absent where no node runs. */
  flushPool?(): Promise<void>;
  /** Absent where no node runs. */
  readonly consensus?: ConsensusReader;
  /** Wraps an Ethereum transaction with its recovered sender, so that the node need not recover it again. */
  wrapEthTx?(signed: SignedEthTx): Bytes;
  /** 16 bytes of host randomness, for ids of filters and subscriptions. */
  randomId(): Bytes;
  /** Number of connected p2p peers; absent if the node has no network. */
  peerCount?(): number;
  /** Absent if the node has no network. */
  readonly network?: NetworkReader;
  /** Absent if the node's host has no index. */
  readonly indexing?: Indexing;
  /** The result of a Cosmos transaction on the latest state; its signature and fee are not checked. */
  simulate?(tx: Bytes): TxResult;
  /** CheckTx on the latest state, without adding the transaction to the pool. */
  checkTx?(tx: Bytes): Promise<CheckReply>;
  /** Lets other work run between two steps of long work; absent where nothing else waits. */
  readonly pause?: Pause;
  readonly sizes?: Sizes;
  /** Calls `call` once after `ms`, unless the returned function cancels it. */
  after?(ms: Millis, call: () => void): () => void;
  /** True while the node is behind its peers. */
  catchingUp(): boolean;
}
