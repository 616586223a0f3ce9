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
import { findByAddress, type ValidatorSet } from '../types/validator.ts';
import { type ChainFacts, type EvidenceError, evidenceHeight, isExpired, verifyEvidence } from './verify.ts';

/** Most conflicts waiting for the time of their block. */
export const CONFLICTS_MAX = 1024;
/** Most evidence waiting for a block. No more is taken until some expires or is committed. */
export const PENDING_MAX = 1024;

export interface EvidenceOptions extends ChainFacts {
  readonly suite: CryptoSuite;
  /** The state after the last stored block. */
  readonly state: ChainState;
  /** Whether the store has a record with that key. */
  has(key: Bytes): boolean;
  /** The records of EVIDENCE_RANGE in the store. */
  readonly entries?: readonly (readonly [Bytes, Bytes])[];
}

/** Called for each piece of evidence that enters the pool, whoever found it. */
export type EvidenceListener = (evidence: Evidence) => void;

export type AddOutcome = 'added' | 'known' | 'not-yet' | 'expired' | 'full';

interface Entry {
  readonly evidence: Evidence;
  readonly key: string;
  readonly encoded: Bytes;
}

/** Starts with the height in hex, so that keys sort by age. */
const keyOf = (evidence: Evidence): string =>
  `${evidenceHeight(evidence).toString(16).padStart(14, '0')}/${toHex(evidenceHash(evidence))}`;

const PENDING = 'evidence/pending/';
const COMMITTED = 'evidence/committed/';
/**
 * Marks of committed evidence that has expired. They are kept for good, since a later params update may raise the
 * maximum age and make that evidence valid again. Not in EVIDENCE_RANGE: they are looked up one by one.
 */
const PUNISHED = 'punished/';
/** The pool's keys in the node's database that are read at startup. */
export const EVIDENCE_RANGE = { gte: encodeUtf8('evidence/'), lt: encodeUtf8('evidence0') };

/**
 * Turns two conflicting votes into one entry of a block. Pending evidence is offered to every block we propose until
 * some block carries it. Committed evidence is remembered, so that nobody is punished twice.
 */
export class EvidencePool {
  readonly #suite: CryptoSuite;
  readonly #facts: ChainFacts & Pick<EvidenceOptions, 'has'>;
  #state: ChainState;
  readonly #conflicts: Conflict[] = [];
  readonly #pending = new Map<string, Entry>();
  /** Evidence that blocks have carried, until it expires. */
  readonly #committed = new Map<string, Evidence>();
  #ops: KvOp[] = [];
  /** How many of `#ops` are in the batch that is being stored. */
  #taken = 0;
  /** Changes whenever the result of `pending()` does. */
  revision = 0;

  #onAdded: EvidenceListener | undefined;

  constructor(options: EvidenceOptions) {
    this.#suite = options.suite;
    this.#facts = options;
    this.#state = options.state;
    for (const [key, value] of options.entries ?? []) this.#restore(key, decodeRecord(key, value));
    // Evidence that expires with a block is deleted from the database with the next block. A crash in between brings it back.
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

  /** Both votes are verified and of one validator. They become evidence once their height has a block. */
  onConflict(conflict: Conflict): void {
    if (this.#conflicts.length >= CONFLICTS_MAX) return;
    if (this.#conflicts.some((known) => isSameOffence(known, conflict))) return;
    this.#conflicts.push(conflict);
    this.#ripen();
  }

  /** Adds evidence from a peer. Only an error is the sender's fault; the other outcomes can be honest bad timing. */
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

  /** Evidence for a proposal: oldest first, as much as fits into an evidence list of `maxBytes`. */
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

  /** Whether the evidence is too old in blocks for a node that works on `height`. Its age in time is not considered. */
  isTooOldAt(evidence: Evidence, height: Height): boolean {
    return height - 1 - evidenceHeight(evidence) > this.#state.params.evidence.maxAgeNumBlocks;
  }

  /** The pending evidence with the same key: a peer that has one of the two does not need the other. */
  pendingLike(evidence: Evidence): Evidence | undefined {
    return this.#pending.get(keyOf(evidence))?.evidence;
  }

  /** All pending evidence, oldest first, for gossip. */
  pending(): readonly Evidence[] {
    return this.#sorted().map(({ evidence }) => evidence);
  }

  #sorted(): readonly Entry[] {
    return [...this.#pending.values()].sort((a, b) => compareText(a.key, b.key));
  }

  /** Checks the evidence of a proposed block: each piece must be valid, not committed before, and listed only once. */
  checkBlockEvidence(list: readonly Evidence[], state: ChainState): Result<void, EvidenceError> {
    const seen = new Set<string>();
    for (const evidence of list) {
      const key = keyOf(evidence);
      if (seen.has(key)) return err({ code: 'duplicate-evidence', message: 'duplicate evidence' });
      seen.add(key);
      // The key of a light client attack does not cover the accused and their powers, so the bytes are compared.
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

  /** Whether the store says that a block carried it. Expired evidence keeps its old mark until the next batch. */
  #isPunished(key: string): boolean {
    return [PUNISHED, COMMITTED].some((prefix) => this.#facts.has(encodeUtf8(prefix + key)));
  }

  /** The block is stored; `state` is the state after it. */
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
    // It may have become pending while the block was being stored. The next batch must not write that.
    const waits = encodeUtf8(PENDING + entry.key);
    this.#ops = this.#ops.filter(({ key }) => !equalBytes(key, waits));
  }

  #drop(key: string): void {
    if (!this.#pending.delete(key)) return;
    this.revision++;
    this.#ops.push({ type: 'del', key: encodeUtf8(PENDING + key) });
  }

  /** Turns conflicts into evidence once their height has a block. Those of later heights keep waiting. */
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

  /** Another node may have reported the same offence with other signatures. One entry is enough. */
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
   * What has to be in the batch that commits `block`: the changes since the last such batch, and the marks of the
   * block's own evidence. The changes stay in the pool until the block is committed, so a second call includes them
   * too.
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

/** For the batch that rolls `block` back: the evidence in it becomes pending again. */
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

/** Votes ordered by the keys of their values, with the powers of the set that was in force. */
export function duplicateVoteEvidence(
  { voteA, voteB }: Conflict,
  validators: ValidatorSet,
  timestamp: Timestamp,
): DuplicateVoteEvidence {
  const isOrdered = compareBytes(blockIdKey(voteA.blockId), blockIdKey(voteB.blockId)) < 0;
  const { validator } = present(findByAddress(validators, voteA.validatorAddress), 'a vote of the set');
  return {
    kind: 'duplicate-vote',
    voteA: isOrdered ? voteA : voteB,
    voteB: isOrdered ? voteB : voteA,
    totalVotingPower: validators.totalPower,
    validatorPower: validator.power,
    timestamp,
  };
}
