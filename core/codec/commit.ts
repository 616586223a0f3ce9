import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { Commit, CommitSig } from '../types/block.ts';
import { bytes, embed, enumeration, int32, int64, repeated } from './fields.ts';
import { BLOCK_ID } from './header.ts';
import { ADDRESS_BYTES, SIGNATURE_BYTES_MAX, VALIDATORS_MAX } from './limits.ts';
import { decode, encode, table } from './proto.ts';
import { TIMESTAMP } from './time.ts';
import type { CodecError } from './wire.ts';

export const BLOCK_ID_FLAG = { absent: 1, commit: 2, nil: 3 } as const;

export const COMMIT_SIG = table<CommitSig>('CommitSig', [
  enumeration(1, 'flag', BLOCK_ID_FLAG, { name: 'block_id_flag' }),
  bytes(2, 'validatorAddress', ADDRESS_BYTES),
  embed(3, 'timestamp', TIMESTAMP),
  bytes(4, 'signature', SIGNATURE_BYTES_MAX),
]);

export const COMMIT = table<Commit>('Commit', [
  int64(1, 'height'),
  int32(2, 'round'),
  embed(3, 'blockId', BLOCK_ID),
  repeated(4, 'signatures', COMMIT_SIG, VALIDATORS_MAX),
]);

export const encodeCommitSig = (sig: CommitSig): Bytes => encode(COMMIT_SIG, sig);
export const encodeCommit = (commit: Commit): Bytes => encode(COMMIT, commit);
export const decodeCommit = (from: Bytes): Result<Commit, CodecError> => decode(COMMIT, from);
