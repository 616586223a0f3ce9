/** A scenario as the runner executes it: every name checked, every duration in virtual µs. */

import type { PublicKey } from '../../core/types/validator.ts';
import type { DiskFaultKind } from '../disk/disk.ts';
import type { PowerLoss } from '../disk/powerLoss.ts';
import type { Expr } from '../expr/expr.ts';
import type { CrashPoint } from '../machine/life.ts';
import type { Delay } from '../network/delay.ts';
import type { LinkFaults } from '../network/link.ts';
import type { EngineSpec, GenesisSpec, UpdateSpec } from './chainSpecs.ts';
import type {
  AccuserSpec,
  AttackerSpec,
  BankSpec,
  ClientSpec,
  LightSpec,
  ListenerSpec,
  SubscriberSpec,
  WatcherSpec,
} from './clientSpecs.ts';

export type StepWord = 'propose' | 'prevote' | 'precommit' | 'commit';

/** When something happens. All given parts must hold at once. */
export type When =
  | { readonly kind: 'at'; readonly at: number }
  | { readonly kind: 'every'; readonly period: number }
  | {
      readonly kind: 'state';
      readonly height: number | undefined;
      readonly round: number | undefined;
      readonly step: StepWord | undefined;
    }
  | { readonly kind: 'event'; readonly event: EventWord; readonly node: string };

/** An event of a node. `checkpoint` belongs to the timeline and has a name of its own. */
export type EventWord = 'crashed' | 'started' | 'halted' | 'checkpoint';
export const EVENT_WORDS: readonly EventWord[] = ['crashed', 'started', 'halted', 'checkpoint'];

export type Target =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'all' }
  /** The proposer of the current round. */
  | { readonly kind: 'proposer' }
  | { readonly kind: 'random'; readonly count: number };

export type Action =
  | { readonly kind: 'partition'; readonly groups: readonly (readonly string[])[]; readonly oneWay: boolean }
  | { readonly kind: 'heal' }
  | {
      readonly kind: 'link';
      readonly from: readonly string[] | undefined;
      readonly to: readonly string[] | undefined;
      readonly faults: Partial<LinkFaults>;
    }
  | { readonly kind: 'clog' | 'swizzle'; readonly target: Target }
  /** A declared node begins its first life, or any node is stopped for good. */
  | { readonly kind: 'addNode' | 'removeNode'; readonly name: string }
  /** Stops a node, and starts it with another version. `isIndexed` says whether it has an event index from then on. */
  | {
      readonly kind: 'upgrade';
      readonly target: Target;
      readonly version: string;
      readonly isIndexed?: boolean;
    }
  /** Stops a node, takes back its newest height, and starts it again. */
  | { readonly kind: 'rollback'; readonly target: Target; readonly isHard: boolean }
  /** The operator empties the pool. */
  | { readonly kind: 'flushPool'; readonly target: Target }
  /** A named moment that other entries can wait for; or the end of the run. */
  | { readonly kind: 'checkpoint' | 'break'; readonly name: string }
  | {
      readonly kind: 'crash';
      readonly target: Target;
      readonly powerLoss: PowerLoss;
      /** Crash when the node passes this point for the n-th time from now on, not at once. */
      readonly point: CrashPoint | undefined;
      readonly count: number;
    }
  | { readonly kind: 'restart'; readonly target: Target }
  | { readonly kind: 'pause' | 'resume' | 'wipe'; readonly target: Target }
  | ({ readonly kind: 'disk'; readonly target: Target; readonly fault: DiskFaultKind } & LogDamage)
  | { readonly kind: 'skew' | 'jump'; readonly target: Target; readonly micros: number }
  | { readonly kind: 'drift'; readonly target: Target; readonly ppm: number }
  | { readonly kind: 'jitter'; readonly target: Target; readonly micros: number }
  | { readonly kind: 'gst' };

/** Which record of a log is damaged, and how many bytes of it a tear leaves. What is left out is drawn. */
export interface LogDamage {
  readonly at?: 'first_record' | 'last_record' | 'any_record' | undefined;
  readonly keep?: number | undefined;
}

/** How often an entry comes that the file lets come for ever, and the greatest number that it may say instead. */
export const TIMES_MAX = 1_000_000;

export interface TimelineEntry {
  /** Where it stands, for messages, e.g. `timeline[0]`. */
  readonly line: string;
  /**
   * Names its choices: by its action, and by its number among entries with the same one. So other entries can be added
   * or removed.
   */
  readonly dice: string;
  /** Its action as the file says it, for readers. */
  readonly text: string;
  readonly when: When;
  /** Virtual µs to wait once `when` holds. */
  readonly delay: number;
  /** Only events of this node count for `when`. */
  readonly on: string | undefined;
  /** Time after which the opposite happens: heal, restart, resume. */
  readonly duration: number | undefined;
  readonly times: number;
  /** In parts per million, drawn each time. */
  readonly chancePpm: number;
  readonly action: Action;
}

/** When and to whom a Byzantine node misbehaves. */
export interface ByzantineTrigger {
  readonly heights: { readonly from: number; readonly to: number };
  readonly rounds: { readonly from: number; readonly to: number };
  /** The node itself is in this step. */
  readonly step: StepWord | undefined;
  /** Not before this has happened. `after` and `duration` count from then, otherwise from the start. */
  readonly event: { readonly event: EventWord; readonly node: string } | undefined;
  readonly after: number;
  readonly duration: number | undefined;
  /** Once in each span of so many virtual µs: at the first height and round that comes up in it. */
  readonly every?: number | undefined;
  /** In at most so many heights and rounds. */
  readonly times: number | undefined;
  readonly chancePpm: number;
}

export interface ByzantineEntry {
  /** A name, or `random K` until the run's seed decides. */
  readonly who: string;
  /** Catalogue id, e.g. B02. */
  readonly behaviour: string;
  readonly trigger: ByzantineTrigger;
  /** The audience. */
  readonly to: Target;
  readonly args: ReadonlyMap<string, string | number | boolean>;
}

export type Within = { readonly micros: number } | { readonly heights: number } | 'auto';

/**
 * What a node counts of itself: pooled transactions and their bytes, evidence in the store, its log, its store,
 * messages that its websocket clients have not read, and virtual µs that consensus waited for its turn at the
 * application.
 */
export const RESOURCES = [
  'pool_txs',
  'pool_bytes',
  'evidence',
  'log_bytes',
  'store_entries',
  'ws_queue',
  'consensus_stall',
] as const;
export type ResourceName = (typeof RESOURCES)[number];

export type Expectation =
  | { readonly kind: 'liveness'; readonly heights: number; readonly within: number | 'auto' }
  | {
      readonly kind: 'evidence';
      readonly against: readonly string[];
      readonly withinHeights: number | undefined;
      readonly exactly: number | undefined;
    }
  | { readonly kind: 'never' | 'app'; readonly expr: Expr; readonly text: string }
  | {
      readonly kind: 'eventually';
      readonly expr: Expr;
      readonly text: string;
      /** Counted from the start, or from `gst`. */
      readonly within: Within | undefined;
    }
  /** Agreement is broken, and the chain's own records name who did it. */
  | {
      readonly kind: 'guilty';
      readonly powerAtLeast: { readonly numerator: bigint; readonly denominator: bigint };
      readonly equals: readonly string[] | undefined;
    }
  /** Limits that no node may exceed at any time, by its own count. Without names they hold for every correct node. */
  | {
      readonly kind: 'resources';
      readonly nodes: readonly string[] | undefined;
      readonly limits: ReadonlyMap<ResourceName, number>;
    }
  | {
      readonly kind: 'receipts';
      readonly client: string;
      readonly atLeast: number;
      /** Most heights between a transaction's last submission and its block. */
      readonly includedWithin?: number | undefined;
    }
  /** Least number of events that a subscriber or watcher has, and of times that it was cut off as too slow. */
  | { readonly kind: 'ws'; readonly client: string; readonly atLeast: number; readonly cutOff: number }
  /** Least number of headers that a light client has verified. */
  | { readonly kind: 'light'; readonly client: string; readonly atLeast: number };

/** Checkers that are on unless a scenario switches them off by name. */
export const STANDING_CHECKERS = [
  'agreement',
  'validity',
  'no_self_equivocation',
  'no_framing',
  'app_hash',
  'lock',
  'conduct',
  'no_crash',
  'durability',
  'answers',
  'accountability',
] as const;
export type StandingChecker = (typeof STANDING_CHECKERS)[number];

export type Until =
  | { readonly kind: 'height'; readonly height: number }
  | { readonly kind: 'time'; readonly time: number }
  /** So long after the last fault of the timeline and the last expectation. */
  | { readonly kind: 'quiet'; readonly time: number }
  | { readonly kind: 'first'; readonly of: readonly Until[] };

export interface ValidatorSpec {
  readonly name: string;
  /** 0 for a twin. */
  readonly power: number;
  /** The validator whose key this one runs with as well. Both count as faulty, and neither knows. */
  readonly twinOf: string | undefined;
  /** A text from which its key is derived, instead of its name. */
  readonly key?: string | undefined;
  /** ed25519 when left out; a twin has that of the other. */
  readonly keyType?: PublicKey['type'] | undefined;
  /** The group that it belongs to. */
  readonly region?: string | undefined;
  readonly pace?: Pace | undefined;
}

/** Delays of one machine; undefined: as on all machines. */
export interface Pace {
  /** Time of a sync of its log. */
  readonly sync?: Delay | undefined;
  /** Time from a block being in the database, where everybody sees it, to the node hearing so. */
  readonly batch?: Delay | undefined;
  /** Time from a verdict on a transaction to the node hearing it. The verdict is by the state when it was asked for. */
  readonly verdict?: Delay | undefined;
  /** Time from a block being proposed, validated or executed to the node hearing so. */
  readonly answer?: Delay | undefined;
  /** Time of a signature. */
  readonly sign?: Delay | undefined;
}

/** A node without a vote. */
export interface NodeSpec {
  readonly name: string;
  /** The nodes that it is connected with; undefined: all. */
  readonly peers: readonly string[] | undefined;
}

/** What `orrery sim twins` tries with this scenario. */
export interface TwinsSearch {
  /** Rounds with a partition of their own. */
  readonly rounds: number;
  /** undefined: every partition is tried; else so many random schedules. */
  readonly sample: number | undefined;
  /** The heights at which schedules begin: one for each place in the rotation of proposers, or only the first. */
  readonly leaders: 'all' | 'rotation';
}

/** What `orrery sim sweep` draws anew for each seed. */
export interface SwarmSearch {
  readonly runs: number;
  /** Keys of timeline entries, such as `keep`, or of one kind of action, such as `crash.step`. */
  readonly vary: readonly string[];
}

/**
 * How a node abuses the exchange of addresses. It sends addresses unasked, asks too often, or sends bytes that are no
 * message. Or it answers with addresses that nobody has, with too many, with wrong addresses of other nodes, with too
 * many of one network, twice, with addresses that cannot be reached from everywhere, or with something that is no
 * address.
 */
export const PEX_LIES = [
  'unasked',
  'asks',
  'nowhere',
  'nonsense',
  'more',
  'moved',
  'crowd',
  'twice',
  'inner',
  'none',
] as const;
export type PexLie = (typeof PEX_LIES)[number];

/** Nodes discover each other, with these settings of their configuration. */
export interface PeersSpec {
  /** The only nodes that a node without persistent peers knows at first. */
  readonly seeds: readonly string[];
  readonly persistent: readonly string[];
  /** Nodes that no limit of another node keeps out. */
  readonly unconditional: readonly string[];
  /** Nodes whose addresses no node keeps or tells. */
  readonly privateNodes: readonly string[];
  readonly inboundMax: number;
  readonly outboundMax: number;
  /** Seeds answer and then hang up. */
  readonly seedMode: boolean;
  readonly liars: ReadonlyMap<string, PexLie>;
}

export interface Scenario {
  readonly name: string;
  readonly seed: string | undefined;
  readonly engine: EngineSpec;
  readonly genesis: GenesisSpec;
  readonly validators: readonly ValidatorSpec[];
  readonly updates?: readonly UpdateSpec[];
  /** Nodes without a vote. */
  readonly nodes: readonly NodeSpec[];
  /** Without it all nodes are connected with each other. */
  readonly peers?: PeersSpec | undefined;
  readonly twins: TwinsSearch | undefined;
  /** For `orrery sim pct`: how many orderings a bug may need, and how many schedules to try. */
  readonly pct?: { readonly depth: number; readonly runs: number | undefined } | undefined;
  readonly swarm?: SwarmSearch | undefined;
  readonly network: LinkFaults;
  readonly clients: readonly ClientSpec[];
  readonly attackers?: readonly AttackerSpec[];
  readonly accusers?: readonly AccuserSpec[];
  readonly subscribers?: readonly SubscriberSpec[];
  readonly watchers?: readonly WatcherSpec[];
  readonly bankers?: readonly BankSpec[];
  readonly lights?: readonly LightSpec[];
  readonly listeners?: readonly ListenerSpec[];
  readonly timeline: readonly TimelineEntry[];
  readonly byzantine: readonly ByzantineEntry[];
  readonly expect: readonly Expectation[];
  /** Standing checkers that the scenario names, and those that it switches off. */
  readonly named: ReadonlySet<StandingChecker>;
  readonly off: ReadonlySet<StandingChecker>;
  readonly until: Until;
  /** Labels of choice streams that always choose 0, the harmless choice. A label covers everything below it. */
  readonly zeroed: readonly string[];
}

/** Clients of every kind. */
export const clientsOf = (scenario: Scenario): readonly { readonly name: string }[] => [
  ...scenario.clients,
  ...(scenario.attackers ?? []),
  ...(scenario.accusers ?? []),
  ...(scenario.subscribers ?? []),
  ...(scenario.watchers ?? []),
  ...(scenario.bankers ?? []),
  ...(scenario.lights ?? []),
  ...(scenario.listeners ?? []),
];
