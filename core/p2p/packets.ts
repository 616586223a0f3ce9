/** Packets of an MConnection and the message that authenticates a SecretConnection (proto/tendermint/p2p). */
import { bool, bytes, embed, int32 } from '../codec/fields.ts';
import { oneOf } from '../codec/oneOf.ts';
import { decode, encode, table, tolerant } from '../codec/proto.ts';
import { PUBLIC_KEY } from '../codec/validator.ts';
import type { CodecError } from '../codec/wire.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import type { PublicKey } from '../types/validator.ts';

/** Most data bytes in one packet by default (max_packet_msg_payload_size). Both ends must agree. */
export const PAYLOAD_BYTES_DEFAULT = 1024;
/** The largest value that it can be set to. */
export const PAYLOAD_BYTES_MAX = 65_536;
/** Most bytes of a packet beyond its payload: channel, eof and framing. */
export const PACKET_OVERHEAD_BYTES = 24;

export type Packet =
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'message'; readonly channel: number; readonly eof: boolean; readonly data: Bytes };

/** tendermint.p2p.Packet. */
export const PACKET = oneOf<Packet>('Packet', [
  [1, 'ping', tolerant(table('PacketPing', [], { kind: 'ping' }))],
  [2, 'pong', tolerant(table('PacketPong', [], { kind: 'pong' }))],
  [
    3,
    'message',
    table<{ readonly channel: number; readonly eof: boolean; readonly data: Bytes }>(
      'PacketMsg',
      [int32(1, 'channel', { name: 'channel_id' }), bool(2, 'eof'), bytes(3, 'data', PAYLOAD_BYTES_MAX)],
      { kind: 'message' },
    ),
  ],
]);

export const encodePacket = (packet: Packet): Bytes => encode(PACKET, packet);
export const decodePacket = (from: Bytes): Result<Packet, CodecError> => decode(PACKET, from);

export interface AuthMessage {
  readonly pubKey: PublicKey;
  readonly signature: Bytes;
}

export const AUTH = table<AuthMessage>('AuthSigMessage', [
  embed(1, 'pubKey', PUBLIC_KEY),
  bytes(2, 'signature', 64, { name: 'sig' }),
]);

export const encodeAuth = (message: AuthMessage): Bytes => encode(AUTH, message);
export const decodeAuth = (from: Bytes): Result<AuthMessage, CodecError> => decode(AUTH, from);

/** google.protobuf.BytesValue, in which the ephemeral key is sent. */
const BYTES_VALUE = table<{ readonly value: Bytes }>('BytesValue', [bytes(1, 'value', 32)]);
export const encodeKey = (value: Bytes): Bytes => encode(BYTES_VALUE, { value });
export const decodeKey = (from: Bytes): Result<{ readonly value: Bytes }, CodecError> =>
  decode(BYTES_VALUE, from);
