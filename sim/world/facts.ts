import type { Bytes } from '../../core/lib/bytes.ts';
import type { SignAsk, Signed } from '../../core/node/contract.ts';
import type { LinkId } from '../../core/p2p/links.ts';
import type { PeerAddress } from '../../core/p2p/peerAddress.ts';
import type { AppAsk } from '../../core/types/app.ts';
import type { NodeEvent } from '../../core/types/nodeEvent.ts';
import type { Process } from '../machine/process.ts';

/** Where a node's consensus stands: height, round and CometBFT's step number. */
export interface Position {
  readonly height: number;
  readonly round: number;
  readonly step: number;
}

/** What the omniscient observer sees, in the order in which it happened. */
export type Fact =
  | { readonly kind: 'event'; readonly node: Process; readonly event: NodeEvent }
  /** A signature left the signer of a node. */
  | { readonly kind: 'signed'; readonly node: Process; readonly ask: SignAsk; readonly signed: Signed }
  /** A Byzantine node signed a vote past its guard. */
  | { readonly kind: 'byzantineSigned'; readonly node: Process; readonly ask: SignAsk }
  /** A node has asked its application about a block. */
  | { readonly kind: 'asked'; readonly node: Process; readonly ask: AppAsk }
  /** The application of a node has made a block of the transactions that it was offered. */
  | {
      readonly kind: 'proposed';
      readonly node: Process;
      readonly ask: Extract<AppAsk, { kind: 'propose' }>;
      readonly txs: readonly Bytes[];
    }
  /** A node asks its application about a transaction from outside, and gets the answer. */
  | { readonly kind: 'checkAsked' | 'checkTold'; readonly node: Process; readonly tx: Bytes }
  /** The application of a node has admitted a transaction to the pool. */
  | { readonly kind: 'admitted'; readonly node: Process }
  /** A node decided to drop a peer. */
  | { readonly kind: 'dropped'; readonly node: Process; readonly peer: string; readonly reason: string }
  /** A node is told that a connection is up, or gone. */
  | { readonly kind: 'peer'; readonly node: Process; readonly peer: string; readonly isUp: boolean }
  /** A node receives a message of block sync, or sends one to a peer. */
  | {
      readonly kind: 'syncHeard' | 'syncSaid';
      readonly node: Process;
      readonly peer: string;
      readonly bytes: Bytes;
    }
  /**
   * A node receives or sends a claim about a block or about votes; or a round step, a vote it has, or the votes of a
   * proof of lock; or a proposal, a block part or a vote (sim/network/frameKinds.ts).
   */
  | {
      readonly kind: 'claimHeard' | 'roundStateHeard' | 'contentHeard';
      readonly node: Process;
      readonly peer: string;
      readonly bytes: Bytes;
    }
  | {
      readonly kind: 'claimSaid' | 'roundStateSaid' | 'contentSaid';
      readonly node: Process;
      readonly to: readonly string[];
      readonly bytes: Bytes;
    }
  /** A node receives transactions or evidence, sends some, or gets back what the link to a peer did not take. */
  | {
      readonly kind: 'poolGossipHeard' | 'poolGossipUnsent';
      readonly node: Process;
      readonly peer: string;
      readonly channel: number;
      readonly bytes: Bytes;
    }
  | {
      readonly kind: 'poolGossipSaid';
      readonly node: Process;
      readonly to: readonly string[];
      readonly channel: number;
      readonly bytes: Bytes;
    }
  /** A node receives a frame of a node that is not correct, and has not handled it yet. */
  | {
      readonly kind: 'byzantineFrameHeard';
      readonly node: Process;
      readonly peer: string;
      readonly channel: number;
      readonly bytes: Bytes;
    }
  | { readonly kind: 'started'; readonly node: Process; readonly tornBytes: number }
  | { readonly kind: 'crashed'; readonly node: Process }
  /** A node sends something to a peer with which, by what it was told, it is not connected. */
  | { readonly kind: 'sentUnconnected'; readonly node: Process; readonly peer: string }
  /** A node no longer needs its log up to this height. */
  | { readonly kind: 'cut'; readonly node: Process; readonly height: number }
  /** The operator has told the node to empty its pool. */
  | { readonly kind: 'flushed'; readonly node: Process }
  /** A batch of the node was to delete a key that is not in its database. */
  | { readonly kind: 'missingKeyDeleted'; readonly node: Process; readonly key: Bytes }
  /** The operator has taken back the newest height of a stopped node, with its block if `isHard`. */
  | { readonly kind: 'rolledBack'; readonly node: Process; readonly isHard: boolean }
  /** The node stopped itself, or its code threw. */
  | { readonly kind: 'halted'; readonly node: Process; readonly reason: string }
  | { readonly kind: 'moved'; readonly node: Process; readonly position: Position }
  /** Both ends keep a connection. Only where nodes discover each other. */
  | { readonly kind: 'connected'; readonly node: Process; readonly peer: Process }
  /** A node dials an address. This and the next four happen only where nodes discover each other. */
  | { readonly kind: 'called'; readonly node: Process; readonly address: PeerAddress }
  /** A node does not keep a connection whose other end has proven its identity. */
  | {
      readonly kind: 'refused';
      readonly node: Process;
      readonly peer: Process;
      readonly isOutbound: boolean;
    }
  /** A node hears that the other end does not keep a connection, which it has kept itself for so many µs. */
  | { readonly kind: 'closedByPeer'; readonly node: Process; readonly peer: Process; readonly micros: number }
  /** A node sends or receives a message about addresses, on one of the connections of this life. */
  | {
      readonly kind: 'pexSaid' | 'pexHeard';
      readonly node: Process;
      readonly link: LinkId;
      readonly bytes: Bytes;
    }
  /** A node has handled the last message about addresses from this peer. */
  | { readonly kind: 'pexHandled'; readonly node: Process; readonly peer: Process }
  /** The timeline has reached the checkpoint with this name. `count` counts the checkpoints of the run. */
  | { readonly kind: 'checkpoint'; readonly name: string; readonly count: number }
  /** The timeline has done something, or undone it. */
  | { readonly kind: 'fault' }
  /** The timeline says that faults are over. */
  | { readonly kind: 'stable' };

/** What an observer asks for: a kind of fact, or a kind of node event. */
export type Topic = Exclude<Fact['kind'], 'event'> | NodeEvent['kind'];

type Told<K extends NodeEvent['kind']> = {
  readonly kind: 'event';
  readonly node: Process;
  readonly event: Extract<NodeEvent, { kind: K }>;
};

type Seen<K, F = Fact> = F extends { readonly kind: infer Kinds }
  ? K extends Kinds
    ? F & { readonly kind: K }
    : never
  : never;

/** The facts of a topic. */
export type FactOf<T extends Topic> = T extends NodeEvent['kind'] ? Told<T> : Seen<T>;

export const topicOf = (fact: Fact): Topic => (fact.kind === 'event' ? fact.event.kind : fact.kind);

export type Witness = (fact: Fact) => void;

/** An observer of some topics and no others: most facts concern few observers. */
export interface Hearing {
  readonly topics: readonly Topic[];
  on(fact: Fact): void;
}

export const hearing = <T extends Topic>(topics: readonly T[], on: (fact: FactOf<T>) => void): Hearing => ({
  topics,
  on: on as Witness,
});
