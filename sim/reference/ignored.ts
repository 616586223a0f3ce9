import { type Bytes, joined } from '../../core/lib/bytes.ts';
import { pieceAt } from './protoFields.ts';

/** The field number of cosmos.tx.v1beta1.TxBody.non_critical_extension_options, which every node knows. */
const OPTIONS = 2047;

/** The body without unknown non-critical fields: numbers 1024 to 2047 of each 2048 (ADR-020). */
export function withoutIgnored(body: Bytes): Bytes {
  const kept: Bytes[] = [];
  for (let at = 0; at < body.length; ) {
    const piece = pieceAt(body, at);
    if (piece === undefined) return body;
    if (piece.number % 2048 < 1024 || piece.number === OPTIONS) kept.push(body.subarray(at, piece.end));
    at = piece.end;
  }
  return joined(kept);
}
