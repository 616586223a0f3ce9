import { evidenceFromJson } from '../../../codec/evidenceJson.ts';
import { parseJson } from '../../../codec/jsonReader.ts';
import { validateEvidenceBasic } from '../../../codec/validate.ts';
import { toBase64 } from '../../../lib/base64.ts';
import type { RpcContext } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { method } from '../method.ts';

async function broadcastEvidence(ctx: RpcContext, text: string) {
  if (text === '' || text === 'null') throw serverError('no evidence was provided');
  const evidence = evidenceFromJson(parseJson(text)?.value);
  if (!evidence.ok) throw serverError(`failed to decode evidence: ${evidence.error}`);
  const basic = validateEvidenceBasic(evidence.value);
  if (!basic.ok) throw serverError(`evidence.ValidateBasic failed: ${basic.error.message}`);
  if (ctx.submitEvidence === undefined) throw serverError('failed to add evidence: no node is running');
  const { hash, error } = await ctx.submitEvidence(evidence.value);
  if (error !== undefined) throw serverError(`failed to add evidence: ${error}`);
  return { hash: toBase64(hash) };
}

export const evidenceMethods = [
  method({
    method: 'broadcast_evidence',
    args: { evidence: 'json' },
    doc: 'Adds evidence of a double vote or of an attack on light clients to the pool; peers are told and a block carries it.',
    run: (ctx, { evidence }) => broadcastEvidence(ctx, evidence),
  }),
];
