import { validateEvidenceBasic } from '../../../codec/validate.ts';
import { toBase64 } from '../../../lib/base64.ts';
import type { Evidence } from '../../../types/evidence.ts';
import type { RpcContext } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { method } from '../method.ts';

async function broadcastEvidence(ctx: RpcContext, evidence: Evidence | undefined) {
  if (evidence === undefined) throw serverError('no evidence was provided');
  const basic = validateEvidenceBasic(evidence);
  if (!basic.ok) throw serverError(`evidence.ValidateBasic failed: ${basic.error.message}`);
  if (ctx.submitEvidence === undefined) throw serverError('failed to add evidence: no node is running');
  const { hash, error } = await ctx.submitEvidence(evidence);
  if (error !== undefined) throw serverError(`failed to add evidence: ${error}`);
  return { hash: toBase64(hash) };
}

export const evidenceMethods = [
  method({
    method: 'broadcast_evidence',
    args: { evidence: 'evidence?' },
    doc: 'Adds evidence of a double vote or of an attack on light clients to the pool; peers are told and a block carries it.',
    run: (ctx, { evidence }) => broadcastEvidence(ctx, evidence),
  }),
];
