import { encodeEvidenceList } from '../codec/evidence.ts';
import type { Block } from '../types/block.ts';

/** What a transaction or a signature takes beside its own bytes: a block of a megabyte can be of a million of them. */
const ENTRY_BYTES = 128;

/** About what a block takes in memory and to encode, whatever it consists of: nobody need have signed it. */
export function blockBytes({ txs, evidence, lastCommit }: Block): number {
  const entries = txs.length + lastCommit.signatures.length;
  const proofs = evidence.length === 0 ? 0 : encodeEvidenceList(evidence).length;
  return txs.reduce((sum, tx) => sum + tx.length, entries * ENTRY_BYTES + proofs);
}
