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
  | { readonly kind: 'lied'; readonly node: Process; readonly ask: SignAsk }
  /** A node has put a question about a block to its application. */
  | { readonly kind: 'asked'; readonly node: Process; readonly ask: AppAsk }
  /** The application of a node has made a block of what it was offered. */
  | {
      readonly kind: 'proposed';
      readonly node: Process;
      readonly ask: Extract<AppAsk, { kind: 'propose' }>;
      readonly txs: readonly Bytes[];
    }
  /** A node asks its application about a transaction from outside, and is told. */
  | { readonly kind: 'checkAsked' | 'checkTold'; readonly node: Process; readonly tx: Bytes }
  /** A node hears from its application that a transaction may wait in its pool. */
  | { readonly kind: 'admitted'; readonly node: Process }
  /** A node decided to drop a peer. */
  | { readonly kind: 'dropped'; readonly node: Process; readonly peer: string; readonly reason: string }
  /** A connection stands for a node, or is gone for it. */
  | { readonly kind: 'peer'; readonly node: Process; readonly peer: string; readonly isUp: boolean }
  /** A node hears a message of block sync, and says one to a peer. */
  | {
      readonly kind: 'syncHeard' | 'syncSaid';
      readonly node: Process;
      readonly peer: string;
      readonly bytes: Bytes;
    }
  /** A node hears from a peer, and says to some, what is there of a block or of votes (sim/network/words.ts). */
  | { readonly kind: 'wordHeard'; readonly node: Process; readonly peer: string; readonly bytes: Bytes }
  | {
      readonly kind: 'wordSaid';
      readonly node: Process;
      readonly to: readonly string[];
      readonly bytes: Bytes;
    }
  /** A node hears from a peer, and says to some, where it stands, that it has a vote, or which votes a proposal rests on (sim/network/words.ts). */
  | { readonly kind: 'standingHeard'; readonly node: Process; readonly peer: string; readonly bytes: Bytes }
  | {
      readonly kind: 'standingSaid';
      readonly node: Process;
      readonly to: readonly string[];
      readonly bytes: Bytes;
    }
  /** A node hears a proposal, a part of a block or a vote from a peer, and tells some of one. */
  | { readonly kind: 'contentHeard'; readonly node: Process; readonly peer: string; readonly bytes: Bytes }
  | {
      readonly kind: 'contentSaid';
      readonly node: Process;
      readonly to: readonly string[];
      readonly bytes: Bytes;
    }
  /** A node hears transactions or evidence from a peer, or gets back what the wire to it did not take, and tells some of them. */
  | {
      readonly kind: 'rumourHeard' | 'rumourUnsent';
      readonly node: Process;
      readonly peer: string;
      readonly channel: number;
      readonly bytes: Bytes;
    }
  | {
      readonly kind: 'rumourSaid';
      readonly node: Process;
      readonly to: readonly string[];
      readonly channel: number;
      readonly bytes: Bytes;
    }
  /** A node hears a frame of one that is not correct, before it does anything about it. */
  | {
      readonly kind: 'lieHeard';
      readonly node: Process;
      readonly peer: string;
      readonly channel: number;
      readonly bytes: Bytes;
    }
  | { readonly kind: 'started'; readonly node: Process; readonly tornBytes: number }
  | { readonly kind: 'crashed'; readonly node: Process }
  /** A node says something to a peer that it is not connected with, by what it has been told. */
  | { readonly kind: 'saidToNobody'; readonly node: Process; readonly peer: string }
  /** A node needs its log up to this height no more. */
  | { readonly kind: 'cut'; readonly node: Process; readonly height: number }
  /** The node is to forget all that waits in its pool, as its operator wants it. */
  | { readonly kind: 'flushed'; readonly node: Process }
  /** A batch of the node was to delete what is not in its database. */
  | { readonly kind: 'deletedInVain'; readonly node: Process; readonly key: Bytes }
  /** The node stopped itself, or its code threw. */
  | { readonly kind: 'halted'; readonly node: Process; readonly reason: string }
  | { readonly kind: 'moved'; readonly node: Process; readonly position: Position }
  /** Both ends keep a connection; only where nodes find each other by themselves. */
  | { readonly kind: 'connected'; readonly node: Process; readonly peer: Process }
  /** A node calls whoever lives at an address; only where nodes find each other by themselves, as the next four. */
  | { readonly kind: 'called'; readonly node: Process; readonly address: PeerAddress }
  /** A node does not keep a connection whose other end has proven who it is. */
  | {
      readonly kind: 'refused';
      readonly node: Process;
      readonly peer: Process;
      readonly isOutbound: boolean;
    }
  /** A node hears that the other end does not keep a connection, which it has kept itself for so long. */
  | { readonly kind: 'disowned'; readonly node: Process; readonly peer: Process; readonly micros: number }
  /** A node says something of addresses, or hears it, on one of the connections of this life. */
  | {
      readonly kind: 'pexSaid' | 'pexHeard';
      readonly node: Process;
      readonly link: LinkId;
      readonly bytes: Bytes;
    }
  /** A node has done what it does about what it has just heard of this peer. */
  | { readonly kind: 'pexTaken'; readonly node: Process; readonly peer: Process }
  /** The timeline has come by this name. */
  | { readonly kind: 'checkpoint'; readonly name: string }
  /** The timeline has done something, or undone it. */
  | { readonly kind: 'fault' }
  /** The timeline says that faults are over. */
  | { readonly kind: 'stable' };

/** What an observer asks for: a kind of fact, or of what nodes tell their subscribers. */
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

/** Somebody hears of some topics and of no others: most facts concern few. */
export interface Hearing {
  readonly topics: readonly Topic[];
  on(fact: Fact): void;
}

export const hearing = <T extends Topic>(topics: readonly T[], on: (fact: FactOf<T>) => void): Hearing => ({
  topics,
  on: on as Witness,
});
