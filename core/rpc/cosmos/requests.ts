import { parseAnyAddress } from '../../address/kinds.ts';
import { string } from '../../codec/fields.ts';
import { decode, encode, table } from '../../codec/proto.ts';
import type { Bytes } from '../../lib/bytes.ts';
import type { RestFields } from './service.ts';
import { GRPC, GrpcError } from './status.ts';

const TEXT_BYTES_MAX = 256;

/** A request with one address: QueryAccountRequest, QueryAllBalancesRequest without its paging, … */
export interface AddressRequest {
  readonly address: string;
}

const ADDRESS_REQUEST = table<AddressRequest>(
  'cosmos.auth.v1beta1.QueryAccountRequest',
  [string(1, 'address', TEXT_BYTES_MAX)],
  { unknown: 'ignore' },
);

export const encodeAddressRequest = (address: string): Bytes => encode(ADDRESS_REQUEST, { address });

export function decodeAddressRequest(data: Bytes): AddressRequest {
  const request = decode(ADDRESS_REQUEST, data);
  if (!request.ok) throw new GrpcError(GRPC.invalidArgument, `invalid request: ${request.error.message}`);
  return request.value;
}

export const readAddressField = (fields: RestFields): AddressRequest => ({
  address: fields.get('address') ?? '',
});

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
