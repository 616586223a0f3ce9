import type { GenesisMaker } from '../app/genesis.ts';
import type { DecodeTx } from '../app/tx/decodeTx.ts';
import type { VoteVerifier } from '../consensus/verifySignature.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import type { EventHub } from '../events/hub.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Sizes } from '../lib/sizes.ts';
import type { NodeIdentity, NodeKeys, RpcContext } from '../rpc/context.ts';
import type { KvStore } from '../store/kv.ts';
import type { Clock, Pause } from '../types/app.ts';
import type { Genesis } from '../types/genesis.ts';
import type { Amend } from './amended.ts';
import type { AppService } from './appService.ts';
import type { Effect, Host, LogRecord } from './contract.ts';
import type { FrameDecoder } from './ingress.ts';
import type { NodeCoreConfig } from './nodeConfig.ts';

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
