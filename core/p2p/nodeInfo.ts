/** What a node says about itself, and whether we can talk to it (CometBFT's DefaultNodeInfo). */
import { bytes, embed, string, uint64 } from '../codec/fields.ts';
import { decode, encode, table, tolerant } from '../codec/proto.ts';
import type { CodecError } from '../codec/wire.ts';
import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { PeerId } from '../types/ids.ts';
import type { NodeInfo } from '../types/peer.ts';

export const P2P_PROTOCOL = 8;
export const BLOCK_PROTOCOL = 11;
/** Largest encoded NodeInfo, in bytes. */
export const NODE_INFO_BYTES_MAX = 10_240;
const CHANNELS_MAX = 16;
const TEXT_BYTES_MAX = 1024;

const PROTOCOL = tolerant(
  table<NodeInfo['protocol']>('ProtocolVersion', [uint64(1, 'p2p'), uint64(2, 'block'), uint64(3, 'app')]),
);
const OTHER = tolerant(
  table<NodeInfo['other']>('DefaultNodeInfoOther', [
    string(1, 'txIndex', TEXT_BYTES_MAX),
    string(2, 'rpcAddress', TEXT_BYTES_MAX),
  ]),
);
export const NODE_INFO = tolerant(
  table<NodeInfo>('DefaultNodeInfo', [
    embed(1, 'protocol', PROTOCOL, { name: 'protocol_version' }),
    string(2, 'id', TEXT_BYTES_MAX, { name: 'default_node_id' }),
    string(3, 'listenAddress', TEXT_BYTES_MAX, { name: 'listen_addr' }),
    string(4, 'network', TEXT_BYTES_MAX),
    string(5, 'version', TEXT_BYTES_MAX),
    bytes(6, 'channels', 64),
    string(7, 'moniker', TEXT_BYTES_MAX),
    embed(8, 'other', OTHER),
  ]),
);

export const encodeNodeInfo = (info: NodeInfo): Bytes => encode(NODE_INFO, info);
export const decodeNodeInfo = (from: Bytes): Result<NodeInfo, CodecError> => decode(NODE_INFO, from);

const isPrintableAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** The error is the reason to refuse this peer. `authenticated` is the id that its key has proved. */
export function checkNodeInfo(self: NodeInfo, peer: NodeInfo, authenticated: PeerId): Result<void, string> {
  if (peer.id !== authenticated) return err(`claims node id ${peer.id}, its key is ${authenticated}`);
  if (peer.id === self.id) return err('is this node itself');
  if (peer.protocol.block !== self.protocol.block) {
    return err(`block protocol ${peer.protocol.block}, ours is ${self.protocol.block}`);
  }
  if (peer.network !== self.network) return err(`network "${peer.network}", ours is "${self.network}"`);
  const channels = [...peer.channels];
  if (channels.length > CHANNELS_MAX) return err(`${channels.length} channels, at most ${CHANNELS_MAX}`);
  if (new Set(channels).size !== channels.length) return err('names a channel twice');
  if (!channels.some((channel) => self.channels.includes(channel)))
    return err('has no channel in common with us');
  if (peer.moniker.trim() === '' || !isPrintableAscii(peer.moniker))
    return err('moniker is empty or not ASCII');
  if (!isPrintableAscii(peer.version)) return err('version is not ASCII');
  if (!['', 'on', 'off'].includes(peer.other.txIndex)) return err('tx_index is neither "on" nor "off"');
  if (!isPrintableAscii(peer.other.rpcAddress)) return err('rpc_address is not ASCII');
  return ok(undefined);
}
