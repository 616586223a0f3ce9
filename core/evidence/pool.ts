import { decodeEvidence, encodeEvidence } from '../codec/evidence.ts';
import { evidenceHash } from '../codec/hashes.ts';
import { decodeRecord, putRecord } from '../codec/record.ts';
import { blockIdKey } from '../codec/validate.ts';
import { entryBytes } from '../codec/writer.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import { assert, present } from '../lib/assert.ts';
import { type Bytes, compareBytes, compareText, EMPTY, equalBytes, toHex } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { decodeUtf8, encodeUtf8 } from '../lib/utf8.ts';
import type { Block } from '../types/block.ts';
import type { Conflict, DuplicateVoteEvidence, Evidence } from '../types/evidence.ts';
import type { Height, Timestamp } from '../types/ids.ts';
import type { KvOp } from '../types/kvOp.ts';
import type { ChainState } from '../types/state.ts';
import type { ValidatorSet } from '../types/validator.ts';
import {
  type ChainFacts,
  type EvidenceError,
  evidenceHeight,
  findValidator,
  isExpired,
  verifyEvidence,
} from './verify.ts';

/** Conflicts waiting for their block's time. */
export const CONFLICTS_MAX = 1024;
/** Evidence waiting for a block; more is not taken, the expiry makes room. */
export const PENDING_MAX = 1024;

export interface EvidenceOptions extends ChainFacts {
  readonly suite: CryptoSuite;
  /** After the last stored block. */
  readonly state: ChainState;
  /** Whether the store has a record of that key. */
  has(key: Bytes): boolean;
  /** What earlier commits have stored in EVIDENCE_RANGE. */
  readonly entries?: readonly (readonly [Bytes, Bytes])[];
}

/** Told of each piece of evidence when it enters the pool, whoever found it. */
export type EvidenceListener = (evidence: Evidence) => void;

export type AddOutcome = 'added' | 'known' | 'not-yet' | 'expired' | 'full';

interface Entry {
  readonly evidence: Evidence;
  readonly key: string;
  readonly encoded: Bytes;
}

/** Height first and in hex, so that keys sort by age. */
const keyOf = (evidence: Evidence): string =>
  `${evidenceHeight(evidence).toString(16).padStart(14, '0')}/${toHex(evidenceHash(evidence))}`;

const PENDING = 'evidence/pending/';
const COMMITTED = 'evidence/committed/';
/** Marks of what has expired, kept for good and read one by one: a longer age by a later update makes it young again. */
const PUNISHED = 'punished/';
/** Keys of the pool in the node's database that are read at its start. */
export const EVIDENCE_RANGE = { gte: encodeUtf8('evidence/'), lt: encodeUtf8('evidence0') };

/**
 * From two conflicting votes to one entry in a block. Pending evidence is offered to every block we propose until
 * some block carries it; committed evidence is remembered, so that nobody is punished twice.
 */
export class EvidencePool {
  readonly #suite: CryptoSuite;
  readonly #facts: ChainFacts & Pick<EvidenceOptions, 'has'>;
  #state: ChainState;
  readonly #conflicts: Conflict[] = [];
  readonly #pending = new Map<string, Entry>();
  /** Key to the block time at the evidence's height. Bounded by the expiry of its entries. */
  readonly #committed = new Map<string, Evidence>();
  #ops: KvOp[] = [];
  /** How many of them are on their way into the store. */
  #taken = 0;
  /** Changes whenever `pending()` does. */
  revision = 0;

  #onAdded: EvidenceListener | undefined;

  constructor(options: EvidenceOptions) {
    this.#suite = options.suite;
    this.#facts = options;
    this.#state = options.state;
    for (const [key, value] of options.entries ?? []) this.#restore(key, decodeRecord(key, value));
    // What expires with a block leaves the database with the next one: a crash between them brings it back.
    this.#expire();
  }

  #restore(key: Bytes, payload: Bytes): void {
    const decoded = decodeEvidence(payload);
    assert(decoded.ok, 'stored evidence decodes');
    const evidence = decoded.value;
    const name = decodeUtf8(key) ?? '';
    if (name.startsWith(PENDING)) this.#pending.set(keyOf(evidence), entryOf(evidence));
    else if (name.startsWith(COMMITTED)) this.#committed.set(keyOf(evidence), evidence);
  }

  /** Both votes are verified and of one validator; they become evidence when their height has a block. */
  onConflict(conflict: Conflict): void {
    if (this.#conflicts.length >= CONFLICTS_MAX) return;
    if (this.#conflicts.some((known) => isSameOffence(known, conflict))) return;
    this.#conflicts.push(conflict);
    this.#ripen();
  }

  /** From a peer. Only an error is the sender's fault; every other outcome can be honest bad timing. */
  add(evidence: Evidence): Result<AddOutcome, EvidenceError> {
    const key = keyOf(evidence);
    if (this.#pending.has(key) || this.#committed.has(key)) return ok('known');
    const verified = verifyEvidence(this.#suite, this.#facts, this.#state, evidence);
    if (!verified.ok) {
      if (verified.error.code === 'unknown-height') return ok('not-yet');
      if (verified.error.code === 'expired') return ok('expired');
      return verified;
    }
    if (this.#isPunished(key)) return ok('known');
    return ok(this.#keep(evidence) ? 'added' : 'full');
  }

  #keep(evidence: Evidence): boolean {
    if (this.#pending.size >= PENDING_MAX) return false;
    const entry = entryOf(evidence);
    this.#pending.set(entry.key, entry);
    this.revision++;
    this.#onAdded?.(evidence);
    this.#ops.push(putRecord(encodeUtf8(PENDING + entry.key), entry.encoded));
    return true;
  }

  /** For a proposal: oldest first, as much as fits into an evidence list of `maxBytes`. */
  pendingEvidence(maxBytes: number): readonly Evidence[] {
    const list: Evidence[] = [];
    let bytes = 0;
    for (const { evidence, encoded } of this.#sorted()) {
      const own = entryBytes(encoded.length);
      if (bytes + own > maxBytes) continue;
      bytes += own;
      list.push(evidence);
    }
    return list;
  }

  listen(listener: EvidenceListener): void {
    this.#onAdded = listener;
  }

  /** Whether a node that works on `height` has no use for it any more, as far as blocks tell. */
  isTooOldAt(evidence: Evidence, height: Height): boolean {
    return height - 1 - evidenceHeight(evidence) > this.#state.params.evidence.maxAgeNumBlocks;
  }

  /** What waits here under its name: a peer that has the one has no use for the other. */
  pendingLike(evidence: Evidence): Evidence | undefined {
    return this.#pending.get(keyOf(evidence))?.evidence;
  }

  /** All of it, oldest first, for gossip. */
  pending(): readonly Evidence[] {
    return this.#sorted().map(({ evidence }) => evidence);
  }

  #sorted(): readonly Entry[] {
    return [...this.#pending.values()].sort((a, b) => compareText(a.key, b.key));
  }

  /** Evidence of a proposed block: each valid, none committed before or twice in the list. */
  checkBlockEvidence(list: readonly Evidence[], state: ChainState): Result<void, EvidenceError> {
    const seen = new Set<string>();
    for (const evidence of list) {
      const key = keyOf(evidence);
      if (seen.has(key)) return err({ code: 'duplicate-evidence', message: 'duplicate evidence' });
      seen.add(key);
      // The name of a light client attack covers neither the accused nor their powers.
      const known = this.#pending.get(key);
      if (known !== undefined && equalBytes(known.encoded, encodeEvidence(evidence))) continue;
      const verified = verifyEvidence(this.#suite, this.#facts, state, evidence);
      if (!verified.ok) return verified;
      if (this.#isPunished(key)) {
        return err({ code: 'already-committed', message: 'evidence was already committed' });
      }
    }
    return ok(undefined);
  }

  /** Expired since a block has carried it. What leaves `#committed` has its old mark until the next batch. */
  #isPunished(key: string): boolean {
    return [PUNISHED, COMMITTED].some((prefix) => this.#facts.has(encodeUtf8(prefix + key)));
  }

  /** After the block is stored: `state` is the state after it. */
  onCommitted(block: Block, state: ChainState): void {
    this.#state = state;
    this.#ops = this.#ops.slice(this.#taken);
    this.#taken = 0;
    for (const evidence of block.evidence) this.#commit(evidence);
    this.#ripen();
    this.#expire();
  }

  #commit(evidence: Evidence): void {
    const entry = entryOf(evidence);
    this.#committed.set(entry.key, evidence);
    if (!this.#pending.delete(entry.key)) return;
    this.revision++;
    // It may have come while the block was being stored: then the next batch must not write that it waits.
    const waits = encodeUtf8(PENDING + entry.key);
    this.#ops = this.#ops.filter(({ key }) => !equalBytes(key, waits));
  }

  #drop(key: string): void {
    if (!this.#pending.delete(key)) return;
    this.revision++;
    this.#ops.push({ type: 'del', key: encodeUtf8(PENDING + key) });
  }

  /** Conflicts whose height has a block become evidence; those of later heights stay. */
  #ripen(): void {
    const waiting = this.#conflicts.splice(0);
    for (const conflict of waiting) {
      const { height } = conflict.voteA;
      const time = height <= this.#state.lastBlockHeight ? this.#facts.blockTimeAt(height) : undefined;
      const validators = this.#facts.validatorsAt(height);
      if (time === undefined || validators === undefined) {
        if (height > this.#state.lastBlockHeight) this.#conflicts.push(conflict);
        continue;
      }
      const evidence = duplicateVoteEvidence(conflict, validators, time);
      const isSpent = isExpired(this.#state, height, time) || this.#isPunished(keyOf(evidence));
      if (!isSpent && !this.#isKnownOffence(conflict)) this.#keep(evidence);
    }
  }

  /** Other nodes may have caught the same offence with other signatures; one entry is enough. */
  #isKnownOffence(conflict: Conflict): boolean {
    const isIt = (evidence: Evidence): boolean =>
      evidence.kind === 'duplicate-vote' && isSameOffence(evidence, conflict);
    for (const { evidence } of this.#pending.values()) if (isIt(evidence)) return true;
    for (const evidence of this.#committed.values()) if (isIt(evidence)) return true;
    return false;
  }

  #expire(): void {
    const isOld = (evidence: Evidence): boolean =>
      isExpired(this.#state, evidenceHeight(evidence), evidence.timestamp);
    for (const { key, evidence } of [...this.#pending.values()]) if (isOld(evidence)) this.#drop(key);
    for (const [key, evidence] of [...this.#committed]) {
      if (!isOld(evidence)) continue;
      this.#committed.delete(key);
      this.#ops.push({ type: 'del', key: encodeUtf8(COMMITTED + key) });
      this.#ops.push(putRecord(encodeUtf8(PUNISHED + key), EMPTY));
    }
  }

  /**
   * What belongs into the batch that commits `block`: the changes since the last such batch, and the marks of the
   * block's own evidence. Asked again after a crash before the batch, it gives the same.
   */
  commitOps(block: Block): readonly KvOp[] {
    const marks = block.evidence.flatMap((evidence): KvOp[] => {
      const { key, encoded } = entryOf(evidence);
      const mark = putRecord(encodeUtf8(COMMITTED + key), encoded);
      return this.#pending.has(key) ? [mark, { type: 'del', key: encodeUtf8(PENDING + key) }] : [mark];
    });
    this.#taken = this.#ops.length;
    return [...this.#ops, ...marks];
  }
}

/** For the batch that takes `block` back: what it had committed is pending again. */
export const undoOps = (block: Block): readonly KvOp[] =>
  block.evidence.flatMap((evidence): KvOp[] => {
    const { key, encoded } = entryOf(evidence);
    const marks = [COMMITTED, PUNISHED].map(
      (prefix): KvOp => ({ type: 'del', key: encodeUtf8(prefix + key) }),
    );
    return [putRecord(encodeUtf8(PENDING + key), encoded), ...marks];
  });

const entryOf = (evidence: Evidence): Entry => ({
  evidence,
  key: keyOf(evidence),
  encoded: encodeEvidence(evidence),
});

const isSameOffence = (a: Conflict, b: Conflict): boolean =>
  a.voteA.height === b.voteA.height &&
  a.voteA.round === b.voteA.round &&
  a.voteA.type === b.voteA.type &&
  compareBytes(a.voteA.validatorAddress, b.voteA.validatorAddress) === 0;

/** Votes in the order of their values' keys, powers of the set that was in force. */
export function duplicateVoteEvidence(
  { voteA, voteB }: Conflict,
  validators: ValidatorSet,
  timestamp: Timestamp,
): DuplicateVoteEvidence {
  const isOrdered = compareBytes(blockIdKey(voteA.blockId), blockIdKey(voteB.blockId)) < 0;
  const validator = present(findValidator(validators, voteA), 'a vote of the set');
  return {
    kind: 'duplicate-vote',
    voteA: isOrdered ? voteA : voteB,
    voteB: isOrdered ? voteB : voteA,
    totalVotingPower: validators.totalPower,
    validatorPower: validator.power,
    timestamp,
  };
}
