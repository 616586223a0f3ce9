import type { GenesisMaker } from '../app/genesis.ts';
import type { DecodeTx } from '../app/tx/decodeTx.ts';
import type { VoteVerifier } from '../codec/verifySignature.ts';
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

/** What a host has to provide. The core itself handles the effects `publish` and `reply`. */
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
  /** The records in the node's log, oldest first. Those at or below the stored height are skipped. */
  readonly log: readonly LogRecord[];
  readonly identity: NodeIdentity;
  readonly keys: NodeKeys;
  readonly pause: Pause;
  readonly randomId: () => Bytes;
  /** Wall clock for what users are shown. The protocol gets its time from the host. */
  readonly clock: Clock;
  /** Where events are indexed for searches; nowhere if absent. `psql` is implemented by the host. */
  readonly indexer?: 'kv' | 'psql' | 'null';
  /** Changes the application's answers to blocks. The simulator changes validators and params with it. */
  readonly amend?: Amend | undefined;
  /** Replaces the core's own decoder. A replacement may only cache that decoder's answers. */
  readonly decodeFrame?: FrameDecoder;
  /** The same for the verification of votes. */
  readonly verifyVote?: VoteVerifier;
  /** The same for the genesis state. */
  readonly initGenesis?: GenesisMaker;
  /** The same for decoding transactions. */
  readonly decodeTx?: DecodeTx;
  /** Timers for waiting requests; see RpcContext.after. */
  readonly after?: RpcContext['after'];
  /** How much is remembered and done at once; USUAL_SIZES by default. */
  readonly sizes?: Sizes | undefined;
  /** Called once the services exist that the host needs to perform effects. */
  outside(core: CoreServices): Outside;
}

export interface CoreServices {
  readonly appService: AppService;
  readonly hub: EventHub;
}
