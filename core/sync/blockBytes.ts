import { encodeEvidenceList } from '../codec/evidence.ts';
import type { Block } from '../types/block.ts';

/** Memory of a transaction or signature beyond its own bytes: a block of one megabyte may have a million of them. */
const ENTRY_BYTES = 128;

/** Approximate size of a block in memory. Nothing in a received block is verified yet, so every kind of content counts. */
export function blockBytes({ txs, evidence, lastCommit }: Block): number {
  const entries = txs.length + lastCommit.signatures.length;
  const proofs = evidence.length === 0 ? 0 : encodeEvidenceList(evidence).length;
  return txs.reduce((sum, tx) => sum + tx.length, entries * ENTRY_BYTES + proofs);
}
