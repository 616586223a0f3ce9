import path from 'node:path';
import type { PeerAddress } from '../../core/p2p/peerAddress.ts';
import { type ListenAddress, parseListenAddress } from '../http/listenAddress.ts';
import type { ConfigValues } from './nodeConfig.ts';
import { idsOf, peersOf } from './peerList.ts';

/** Settings of the p2p network. Times in milliseconds, rates in bytes per second. */
export interface P2pConfig {
  /** Listen address for peers; undefined: the node has no network. */
  readonly listen: ListenAddress | undefined;
  /** Address that peers are told to dial; undefined means `listen`. */
  readonly external: ListenAddress | undefined;
  readonly seeds: readonly PeerAddress[];
  readonly persistentPeers: readonly PeerAddress[];
  /** Absolute path. */
  readonly addressBookFile: string;
  readonly addressBookStrict: boolean;
  readonly inboundMax: number;
  readonly outboundMax: number;
  readonly unconditionalIds: ReadonlySet<string>;
  readonly privateIds: ReadonlySet<string>;
  readonly persistentDialMsMax: number;
  readonly payloadBytesMax: number;
  readonly sendRate: number;
  readonly receiveRate: number;
  readonly pex: boolean;
  readonly seedMode: boolean;
  readonly allowDuplicateIp: boolean;
  readonly handshakeTimeoutMs: number;
  readonly dialTimeoutMs: number;
  readonly pingMs: number;
  readonly pongMsMax: number;
}

const addressOf = (text: string): ListenAddress | undefined => {
  const parsed = parseListenAddress(text);
  return parsed.ok ? parsed.value : undefined;
};

export function p2pOf(home: string, { p2p }: ConfigValues): P2pConfig {
  return {
    listen: addressOf(p2p.laddr),
    external: addressOf(p2p.external_address),
    seeds: peersOf(p2p.seeds),
    persistentPeers: peersOf(p2p.persistent_peers),
    addressBookFile: path.resolve(home, p2p.addr_book_file),
    addressBookStrict: p2p.addr_book_strict,
    inboundMax: p2p.max_num_inbound_peers,
    outboundMax: p2p.max_num_outbound_peers,
    unconditionalIds: idsOf(p2p.unconditional_peer_ids),
    privateIds: idsOf(p2p.private_peer_ids),
    persistentDialMsMax: p2p.persistent_peers_max_dial_period,
    payloadBytesMax: p2p.max_packet_msg_payload_size,
    sendRate: p2p.send_rate,
    receiveRate: p2p.recv_rate,
    pex: p2p.pex,
    seedMode: p2p.seed_mode,
    allowDuplicateIp: p2p.allow_duplicate_ip,
    handshakeTimeoutMs: p2p.handshake_timeout,
    dialTimeoutMs: p2p.dial_timeout,
    pingMs: p2p.ping_interval,
    pongMsMax: p2p.pong_timeout,
  };
}
