/** tendermint.p2p.Message on channel 0x00: peers exchange addresses of nodes. */
import { repeated, string, uint32 } from '../codec/fields.ts';
import { oneOf } from '../codec/oneOf.ts';
import { decode, encode, table } from '../codec/proto.ts';
import type { CodecError } from '../codec/wire.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';

/** Most addresses in one answer. */
export const PEX_ADDRESSES_MAX = 250;
const TEXT_BYTES_MAX = 64;

export interface NetAddress {
  readonly id: string;
  readonly ip: string;
  readonly port: number;
}

export type PexMessage =
  | { readonly kind: 'request' }
  | { readonly kind: 'addresses'; readonly addresses: readonly NetAddress[] };

export const NET_ADDRESS = table<NetAddress>(
  'NetAddress',
  [string(1, 'id', TEXT_BYTES_MAX), string(2, 'ip', TEXT_BYTES_MAX), uint32(3, 'port')],
  { unknown: 'ignore' },
);
const PEX_REQUEST = table<Extract<PexMessage, { kind: 'request' }>>('PexRequest', [], {
  kind: 'request',
  unknown: 'ignore',
});
const PEX_ADDRS = table<Extract<PexMessage, { kind: 'addresses' }>>(
  'PexAddrs',
  [repeated(1, 'addresses', NET_ADDRESS, PEX_ADDRESSES_MAX, { name: 'addrs' })],
  { kind: 'addresses', unknown: 'ignore' },
);
export const PEX_MESSAGE = oneOf<PexMessage>(
  'Message',
  [
    [1, 'request', PEX_REQUEST],
    [2, 'addresses', PEX_ADDRS],
  ],
  { unknown: 'ignore' },
);

export const encodePexMessage = (message: PexMessage): Bytes => encode(PEX_MESSAGE, message);
export const decodePexMessage = (from: Bytes): Result<PexMessage, CodecError> => decode(PEX_MESSAGE, from);
