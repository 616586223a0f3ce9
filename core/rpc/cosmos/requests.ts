import { parseAnyAddress } from '../../address/kinds.ts';
import { string } from '../../codec/fields.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { GRPC, GrpcError } from './status.ts';

const TEXT_BYTES_MAX = 256;

/** Many requests have an address as their first field. */
export const addressField = string(1, 'address', TEXT_BYTES_MAX);
export const ADDRESS_REQUEST_FIELDS = [addressField] as const;

/** An account address in Bech32 or hex. */
export function accountAddress(text: string, hrp: string): Bytes {
  if (text === '') throw new GrpcError(GRPC.invalidArgument, 'Address cannot be empty');
  const parsed = parseAnyAddress(text, hrp);
  if (!parsed.ok)
    throw new GrpcError(GRPC.invalidArgument, `decoding bech32 failed: ${parsed.error.message}`);
  const { kind, address } = parsed.value;
  if (kind !== 'acc' && kind !== 'hex') {
    throw new GrpcError(GRPC.invalidArgument, `decoding bech32 failed: ${text} is not an account address`);
  }
  return address;
}
