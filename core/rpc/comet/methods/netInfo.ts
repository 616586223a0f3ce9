/** net_info: connected peers, banned peers, and the traffic of each connection. */
import { formatTime } from '../../../codec/timeText.ts';
import { toUpperHex } from '../../../lib/bytes.ts';
import { type Micros, timestampOf } from '../../../types/ids.ts';
import type { NodeInfo } from '../../../types/peer.ts';
import type { PeerStatus, RpcContext } from '../../context.ts';

export function netInfo(ctx: RpcContext) {
  const listener = ctx.identity.listenAddress.replace(/^tcp:\/\//, '');
  const listeners = ctx.network?.listeners ?? [listener];
  const peers = ctx.network?.peerStatuses() ?? [];
  const now = ctx.now();
  return {
    listening: listeners.length > 0,
    listeners: listeners.map((address) => `Listener(@${address})`),
    n_peers: String(peers.length),
    peers: peers.map((peer) => peerJson(now, peer)),
    // Orrery's own field: CometBFT has no bans.
    banned: (ctx.network?.bans?.() ?? []).map(({ peer, reason, until }) => ({
      id: peer,
      reason,
      until: formatTime(timestampOf(until)),
    })),
  };
}

const infoJson = (info: NodeInfo) => ({
  protocol_version: {
    p2p: String(info.protocol.p2p),
    block: String(info.protocol.block),
    app: String(info.protocol.app),
  },
  id: info.id,
  listen_addr: info.listenAddress,
  network: info.network,
  version: info.version,
  channels: toUpperHex(info.channels),
  moniker: info.moniker,
  other: { tx_index: info.other.txIndex, rpc_address: info.other.rpcAddress },
});

function peerJson(now: Micros, peer: PeerStatus) {
  return {
    node_info: infoJson(peer.info),
    is_outbound: peer.isOutbound,
    connection_status: {
      Duration: nanos(peer.upMicros),
      SendMonitor: monitorJson(now, peer.upMicros, peer.bytesSent),
      RecvMonitor: monitorJson(now, peer.upMicros, peer.bytesReceived),
      Channels: peer.channels.map((channel) => ({
        ID: channel.id,
        SendQueueCapacity: String(channel.queueMax),
        SendQueueSize: String(channel.queued),
        Priority: String(channel.priority),
        RecentlySent: String(channel.recentlySent),
      })),
    },
    remote_ip: peer.ip,
  };
}

const nanos = (micros: Micros): string => String(BigInt(Math.max(0, Math.floor(micros))) * 1000n);

/** Only the average rate is measured. The other rates repeat it, because clients expect every field. */
function monitorJson(now: Micros, upMicros: Micros, bytes: number) {
  const average = String(upMicros <= 0 ? 0 : Math.round((bytes * 1_000_000) / upMicros));
  return {
    Start: formatTime(timestampOf(Math.max(0, now - upMicros))),
    Bytes: String(bytes),
    Samples: '0',
    InstRate: average,
    CurRate: average,
    AvgRate: average,
    PeakRate: average,
    BytesRem: '0',
    Duration: nanos(upMicros),
    Idle: '0',
    TimeRem: '0',
    Progress: 0,
    Active: true,
  };
}
