import { evidenceHash } from '../codec/hashes.ts';
import type { AddOutcome } from '../evidence/pool.ts';
import { type EvidenceError, evidenceHeight } from '../evidence/verify.ts';
import type { Result } from '../lib/result.ts';
import type { Evidence } from '../types/evidence.ts';
import type { EvidenceResult } from '../types/submit.ts';

/** The reply to a user who submitted evidence. Evidence that we already have counts as success, as in CometBFT. */
export function evidenceVerdict(
  evidence: Evidence,
  added: Result<AddOutcome, EvidenceError>,
): EvidenceResult {
  const hash = evidenceHash(evidence);
  return { kind: 'evidence', hash, error: added.ok ? refusalOf(added.value, evidence) : added.error.message };
}

function refusalOf(outcome: AddOutcome, evidence: Evidence): string | undefined {
  const height = evidenceHeight(evidence);
  switch (outcome) {
    case 'added':
    case 'known':
      return undefined;
    case 'not-yet':
      return `no block ${height} to judge evidence by`;
    case 'expired':
      return `evidence from height ${height} is too old`;
    case 'full':
      return 'the evidence pool is full';
  }
}
