import type { Bytes } from '../../core/lib/bytes.ts';
import type { Effect, Host, Input, LogRecord } from '../../core/node/contract.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import type { KvStore } from '../../core/store/kv.ts';
import type { AppAsk, AppReply } from '../../core/types/app.ts';
import type { Micros } from '../../core/types/ids.ts';
import type { NodeEvent } from '../../core/types/nodeEvent.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Position } from '../world/facts.ts';

/** A running node as the simulated process drives it. coreNode.ts makes one of the real core; tests may use toys. */
export interface SimNode {
  input(input: Input): void;
  /** Number of inputs that wait until the log is durable. */
  backlog(): number;
  handle(ask: AppAsk): Promise<AppReply>;
  position(): Position;
  /** Number of the last step of consensus, unique among all steps of all lives. A toy takes none. */
  lastStep(): number;
  /** The consensus state, for Byzantine wrappers and checkers; a toy has none. */
  rs(): RoundState | undefined;
  /** 32-bit hash of the consensus state: more than the position, computed only for traces. */
  stateHash(): number;
  /** Block sync is at work, and consensus rests. */
  isSyncing(): boolean;
  readonly rpc: RpcContext | undefined;
}

/** What one life of a process gives its node. */
export interface LifeEnv {
  readonly name: string;
  readonly index: number;
  /** Version of the program, as the node reports it. */
  readonly version: string;
  /** Whether it keeps an event index; undefined: as the scenario says of all nodes. */
  readonly isIndexed: boolean | undefined;
  readonly kv: KvStore;
  /** Records found in the log when this life began. */
  readonly log: readonly LogRecord[];
  readonly now: () => Micros;
  readonly append: Host['append'];
  perform(effect: Exclude<Effect, { kind: 'persist' }>): void;
  /** Every event the node publishes, in order. */
  readonly listen: (event: NodeEvent) => void;
  readonly randomId: () => Bytes;
  /** Calls once after `ms` milliseconds by the node's clock, unless the function it returns cancels that. */
  readonly after: (ms: number, call: () => void) => () => void;
}

export type NodeFactory = (env: LifeEnv) => Promise<SimNode>;
