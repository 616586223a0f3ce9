import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { Part, Proof } from '../types/block.ts';
import { bytes, embed, int64, repeatedBytes, uint32 } from './fields.ts';
import { AUNTS_MAX, HASH_BYTES, PART_BYTES } from './limits.ts';
import { decode, table } from './proto.ts';
import type { CodecError } from './wire.ts';

export const PROOF = table<Proof>('Proof', [
  int64(1, 'total'),
  int64(2, 'index'),
  bytes(3, 'leafHash', HASH_BYTES),
  repeatedBytes(4, 'aunts', HASH_BYTES, AUNTS_MAX),
]);

export const PART = table<Part>('Part', [
  uint32(1, 'index'),
  bytes(2, 'bytes', PART_BYTES),
  embed(3, 'proof', PROOF),
]);

export const decodePart = (from: Bytes): Result<Part, CodecError> => decode(PART, from);
