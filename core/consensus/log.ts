/**
 * The log of one height: every input that changed the machine, with the time at which it was handled. Replaying it on a
 * machine built from the stored state restores that machine. Calls are identified by what they asked for, because a
 * call id is unique only within one run.
 */

import { EVIDENCE } from '../codec/evidence.ts';
import {
  bool,
  bytes,
  embed,
  enumeration,
  int32,
  int64,
  repeated,
  repeatedBytes,
  string,
  uint32,
} from '../codec/fields.ts';
import { BLOCK_ID } from '../codec/header.ts';
import { BLOCK_BYTES_MAX, EVIDENCE_MAX, SIGNATURE_BYTES_MAX, TXS_MAX } from '../codec/limits.ts';
import { oneOf } from '../codec/oneOf.ts';
import { PART } from '../codec/part.ts';
import { decode, encode, table } from '../codec/proto.ts';
import { PROPOSAL, VOTE, VOTE_TYPE } from '../codec/vote.ts';
import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { LogRecord, SignAsk } from '../node/contract.ts';
import type { BlockId, Part } from '../types/block.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Height, Micros, Round } from '../types/ids.ts';
import type { Proposal, Vote, VoteType } from '../types/vote.ts';
import type { ConsensusTimerKey } from './contract.ts';

const VERSION = 1;
/** A peer's name: 40 hex digits in p2p. */
const PEER_BYTES_MAX = 256;
const REASON_BYTES_MAX = 65536;
const SIGN_BYTES_MAX = 1024;

/** `peer` is empty for our own messages. */
export type LogEntry =
  | { readonly kind: 'proposal'; readonly peer: string; readonly proposal: Proposal }
  | { readonly kind: 'part'; readonly peer: string; readonly round: Round; readonly part: Part }
  | { readonly kind: 'vote'; readonly peer: string; readonly vote: Vote }
  | {
      readonly kind: 'maj23';
      readonly peer: string;
      readonly round: Round;
      readonly type: VoteType;
      readonly blockId: BlockId;
    }
  | { readonly kind: 'timer'; readonly timer: ConsensusTimerKey['kind']; readonly round: Round }
  /** An empty signature means that the signer refused, for `reason`. */
  | {
      readonly kind: 'signed';
      readonly of: SignAsk['kind'];
      readonly round: Round;
      readonly signature: Bytes;
      readonly bytes: Bytes;
      readonly reason: string;
    }
  | { readonly kind: 'proposed'; readonly txs: readonly Bytes[]; readonly evidence: readonly Evidence[] }
  | {
      readonly kind: 'validated';
      readonly blockId: BlockId;
      readonly accept: boolean;
      readonly reason: string;
    }
  | { readonly kind: 'txsAvailable' }
  /** A conflict found at the previous height. Its evidence becomes durable only with this height's batch. */
  | { readonly kind: 'conflict'; readonly voteA: Vote; readonly voteB: Vote }
  /** The first entry of a height: the settings in force, so that a changed configuration does not change the replay. */
  | { readonly kind: 'settings'; readonly waitsForTxs: boolean; readonly skipsWait: boolean };

type Entry<K extends LogEntry['kind']> = Extract<LogEntry, { kind: K }>;

const TIMER = { newHeight: 1, emptyBlock: 2, propose: 3, prevote: 4, precommit: 5 } as const;
const SIGN = { proposal: 1, prevote: 2, precommit: 3 } as const;
const peer = string(1, 'peer', PEER_BYTES_MAX);

const ENTRY = oneOf<LogEntry>('LogEntry', [
  [
    1,
    'proposal',
    table<Entry<'proposal'>>('LogProposal', [peer, embed(2, 'proposal', PROPOSAL)], { kind: 'proposal' }),
  ],
  [
    2,
    'part',
    table<Entry<'part'>>('LogPart', [peer, int32(2, 'round'), embed(3, 'part', PART)], { kind: 'part' }),
  ],
  [3, 'vote', table<Entry<'vote'>>('LogVote', [peer, embed(2, 'vote', VOTE)], { kind: 'vote' })],
  [
    4,
    'maj23',
    table<Entry<'maj23'>>(
      'LogMaj23',
      [peer, int32(2, 'round'), enumeration(3, 'type', VOTE_TYPE), embed(4, 'blockId', BLOCK_ID)],
      { kind: 'maj23' },
    ),
  ],
  [
    5,
    'timer',
    table<Entry<'timer'>>('LogTimer', [enumeration(1, 'timer', TIMER), int32(2, 'round')], { kind: 'timer' }),
  ],
  [
    6,
    'signed',
    table<Entry<'signed'>>(
      'LogSigned',
      [
        enumeration(1, 'of', SIGN),
        int32(2, 'round'),
        bytes(3, 'signature', SIGNATURE_BYTES_MAX),
        bytes(4, 'bytes', SIGN_BYTES_MAX),
        string(5, 'reason', REASON_BYTES_MAX),
      ],
      { kind: 'signed' },
    ),
  ],
  [
    7,
    'proposed',
    table<Entry<'proposed'>>(
      'LogProposed',
      [repeatedBytes(1, 'txs', BLOCK_BYTES_MAX, TXS_MAX), repeated(2, 'evidence', EVIDENCE, EVIDENCE_MAX)],
      { kind: 'proposed' },
    ),
  ],
  [
    8,
    'validated',
    table<Entry<'validated'>>(
      'LogValidated',
      [embed(1, 'blockId', BLOCK_ID), bool(2, 'accept'), string(3, 'reason', REASON_BYTES_MAX)],
      { kind: 'validated' },
    ),
  ],
  [9, 'txsAvailable', table<Entry<'txsAvailable'>>('LogTxsAvailable', [], { kind: 'txsAvailable' })],
  [
    10,
    'settings',
    table<Entry<'settings'>>('LogSettings', [bool(1, 'waitsForTxs'), bool(2, 'skipsWait')], {
      kind: 'settings',
    }),
  ],
  [
    11,
    'conflict',
    table<Entry<'conflict'>>('LogConflict', [embed(1, 'voteA', VOTE), embed(2, 'voteB', VOTE)], {
      kind: 'conflict',
    }),
  ],
]);

interface LogWire {
  readonly version: number;
  readonly now: Micros;
  readonly entry: LogEntry;
}

const LOG_RECORD = table<LogWire>('LogRecord', [
  uint32(1, 'version'),
  int64(2, 'now'),
  embed(3, 'entry', ENTRY),
]);

export interface LogError {
  readonly code: 'log';
  readonly message: string;
}

/** Encodes itself on the first read of `bytes`: a simulated disk reads them only when they matter. */
class EntryRecord implements LogRecord {
  readonly height: Height;
  readonly #now: Micros;
  readonly #entry: LogEntry;
  #bytes: Bytes | undefined;

  constructor(height: Height, now: Micros, entry: LogEntry) {
    this.height = height;
    this.#now = now;
    this.#entry = entry;
  }

  get bytes(): Bytes {
    this.#bytes ??= encode(LOG_RECORD, { version: VERSION, now: this.#now, entry: this.#entry });
    return this.#bytes;
  }
}

/** `entry` may be encoded later, so nothing in it may change. */
export const encodeLogRecord = (height: Height, now: Micros, entry: LogEntry): LogRecord =>
  new EntryRecord(height, now, entry);

export function decodeLogRecord(
  record: LogRecord,
): Result<{ readonly now: Micros; readonly entry: LogEntry }, LogError> {
  const decoded = decode(LOG_RECORD, record.bytes);
  if (!decoded.ok) return err({ code: 'log', message: decoded.error.message });
  if (decoded.value.version !== VERSION) {
    return err({ code: 'log', message: `record version ${decoded.value.version}, expected ${VERSION}` });
  }
  return ok(decoded.value);
}
