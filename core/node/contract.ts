/**
 * Start reading here. A node is a machine: inputs in, effects out, nothing else.
 *
 * bytes → Input → Machine.step → Effect[] → the driver performs the effects of an input once its `persist` records are
 * durable.
 *
 * The real node (adapters/host.ts) and the simulator (sim/machine/life.ts) differ only in the Host that performs
 * effects.
 */
import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { AppAsk, AppReply } from '../types/app.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Height, Micros, Millis, PeerId, Round } from '../types/ids.ts';
import type { NodeEvent } from '../types/nodeEvent.ts';
import type { EvidenceResult, FlushResult, SubmitResult } from '../types/submit.ts';

/** Matches an effect that asks for something with the input that answers it. Unique within one run of a node. */
export type CallId = number;

/** CometBFT's channel ids. */
export const CHANNELS = {
  pex: 0x00,
  state: 0x20,
  data: 0x21,
  vote: 0x22,
  bits: 0x23,
  mempool: 0x30,
  evidence: 0x38,
  blocksync: 0x40,
} as const;
export type ChannelId = number;

/** Timers are never cancelled: a machine ignores a key that no longer fits its state. */
export type TimerKey =
  | {
      readonly machine: 'consensus';
      readonly kind: 'newHeight' | 'emptyBlock' | 'propose' | 'prevote' | 'precommit';
      readonly height: Height;
      readonly round: Round;
    }
  | { readonly machine: 'gossip'; readonly kind: 'tick' }
  | { readonly machine: 'mempool'; readonly kind: 'tick' }
  | { readonly machine: 'txRelay'; readonly kind: 'tick'; readonly turn: number }
  | { readonly machine: 'evidence'; readonly kind: 'tick' }
  | { readonly machine: 'sync'; readonly kind: 'tick' | 'ask' };

export type SignAsk = {
  readonly kind: 'proposal' | 'prevote' | 'precommit';
  readonly height: Height;
  readonly round: Round;
  /** Canonical sign bytes, delimited. The last-signed guard compares these. */
  readonly bytes: Bytes;
};

export type SignError =
  | { readonly code: 'regression'; readonly message: string }
  | { readonly code: 'conflict'; readonly message: string }
  | { readonly code: 'unavailable'; readonly message: string };

/** 64-byte signature and the bytes it covers: perhaps those of an earlier message that differs only in time. */
export interface Signed {
  readonly signature: Bytes;
  readonly bytes: Bytes;
}

export type Input =
  | { readonly kind: 'start' }
  | { readonly kind: 'peerUp'; readonly peer: PeerId }
  | { readonly kind: 'peerDown'; readonly peer: PeerId }
  | { readonly kind: 'frame'; readonly peer: PeerId; readonly channel: ChannelId; readonly bytes: Bytes }
  /** A message that found no room in a peer's queue. Transactions are sent again; other losses repair themselves. */
  | { readonly kind: 'unsent'; readonly peer: PeerId; readonly channel: ChannelId; readonly bytes: Bytes }
  | { readonly kind: 'timer'; readonly key: TimerKey }
  | { readonly kind: 'signed'; readonly call: CallId; readonly result: Result<Signed, SignError> }
  | { readonly kind: 'app'; readonly call: CallId; readonly reply: AppReply }
  | { readonly kind: 'submit'; readonly call: CallId; readonly tx: Bytes }
  /** From a user of this node; shape-checked. */
  | { readonly kind: 'evidence'; readonly call: CallId; readonly evidence: Evidence }
  /** The operator wants the mempool emptied. */
  | { readonly kind: 'flushPool'; readonly call: CallId };

/** One durable fact: an input that changed consensus, with the time of its handling. Encoded by consensus/log. */
export interface LogRecord {
  readonly height: Height;
  readonly bytes: Bytes;
}

export type Effect =
  | { readonly kind: 'persist'; readonly record: LogRecord }
  | { readonly kind: 'sign'; readonly call: CallId; readonly ask: SignAsk }
  | { readonly kind: 'app'; readonly call: CallId; readonly ask: AppAsk }
  | {
      readonly kind: 'send';
      readonly to: readonly PeerId[];
      readonly channel: ChannelId;
      readonly bytes: Bytes;
    }
  | { readonly kind: 'drop'; readonly peer: PeerId; readonly reason: string }
  | { readonly kind: 'timer'; readonly key: TimerKey; readonly afterMs: Millis }
  | { readonly kind: 'publish'; readonly event: NodeEvent }
  | {
      readonly kind: 'reply';
      readonly call: CallId;
      readonly result: SubmitResult | EvidenceResult | FlushResult;
    }
  /** The log up to this height is no longer needed for recovery: its commit batch is durable. */
  | { readonly kind: 'turnover'; readonly height: Height }
  /** The protocol cannot continue safely (a decided block that we hold invalid, a store gap). The process stops. */
  | { readonly kind: 'halt'; readonly reason: string };

/** Mutable, synchronous, never awaits; effects are the only output. State is plain data. */
export interface Machine {
  step(now: Micros, input: Input): readonly Effect[];
}

export interface Host {
  now(): Micros;
  /**
   * Writes the records and calls `durable` once they would survive a power cut, in a later turn or at once.
   * A failed write or sync never calls back: the host stops the process.
   */
  append(records: readonly LogRecord[], durable: () => void): void;
  /** Performs one effect other than `persist`. Answers arrive later through Driver.input. */
  perform(effect: Exclude<Effect, { kind: 'persist' }>): void;
}
