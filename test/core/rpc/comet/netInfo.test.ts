import { beforeAll, expect, test } from 'vitest';
import { ok } from '../../../../core/lib/result.ts';
import { handleCometGet } from '../../../../core/rpc/comet/http.ts';
import type { NetworkReader, PeerStatus, RpcContext } from '../../../../core/rpc/context.ts';
import { type Loose, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
});

const PEER: PeerStatus = {
  info: {
    protocol: { p2p: 8, block: 11, app: 2 },
    id: 'ab'.repeat(20),
    listenAddress: 'tcp://10.0.0.2:26656',
    network: 'chain_9000-1',
    version: '0.38.26',
    channels: Uint8Array.of(0x40, 0x20, 0xff),
    moniker: 'two',
    other: { txIndex: 'on', rpcAddress: 'tcp://10.0.0.2:26657' },
  },
  ip: '10.0.0.2',
  isOutbound: true,
  upMicros: 2_500_000,
  bytesSent: 1000,
  bytesReceived: 501,
  channels: [{ id: 0x40, priority: 6, queueMax: 100, queued: 3, recentlySent: 77 }],
};

async function shown(network: Partial<NetworkReader> | undefined): Promise<Loose> {
  const ctx: RpcContext =
    network === undefined
      ? world.ctx
      : { ...world.ctx, network: { listeners: [], peerStatuses: () => [], ...network } };
  return JSON.parse((await handleCometGet(ctx, '/net_info', '')).body).result;
}

const monitor = (bytes: string, rate: string) => ({
  Start: '2023-11-14T22:13:17.5Z',
  Bytes: bytes,
  Samples: '0',
  InstRate: rate,
  CurRate: rate,
  AvgRate: rate,
  PeakRate: rate,
  BytesRem: '0',
  Duration: '2500000000',
  Idle: '0',
  TimeRem: '0',
  Progress: 0,
  Active: true,
});

test("shows each peer in CometBFT's form", async () => {
  const inbound = { ...PEER, isOutbound: false, upMicros: 0, bytesSent: 0, bytesReceived: 0, channels: [] };
  const { peers, ...rest } = await shown({
    listeners: ['10.0.0.1:26656'],
    peerStatuses: () => [PEER, inbound],
  });
  expect(rest).toEqual({
    listening: true,
    listeners: ['Listener(@10.0.0.1:26656)'],
    n_peers: '2',
    banned: [],
  });
  expect(peers[0]).toEqual({
    node_info: {
      protocol_version: { p2p: '8', block: '11', app: '2' },
      id: 'ab'.repeat(20),
      listen_addr: 'tcp://10.0.0.2:26656',
      network: 'chain_9000-1',
      version: '0.38.26',
      channels: '4020FF',
      moniker: 'two',
      other: { tx_index: 'on', rpc_address: 'tcp://10.0.0.2:26657' },
    },
    is_outbound: true,
    connection_status: {
      Duration: '2500000000',
      SendMonitor: monitor('1000', '400'),
      RecvMonitor: monitor('501', '200'),
      Channels: [
        {
          ID: 64,
          SendQueueCapacity: '100',
          SendQueueSize: '3',
          Priority: '6',
          RecentlySent: '77',
        },
      ],
    },
    remote_ip: '10.0.0.2',
  });
  const { is_outbound, connection_status: fresh } = peers[1];
  expect([is_outbound, fresh.Duration, fresh.SendMonitor.AvgRate, fresh.SendMonitor.Start]).toEqual([
    false,
    '0',
    '0',
    '2023-11-14T22:13:20Z',
  ]);
});

test('shows banned peers with reason and end of the ban', async () => {
  const bans = () => [
    { peer: 'aa'.repeat(20), reason: 'bad frame', until: world.nowMicros + 1_500_000 },
    { peer: 'bb'.repeat(20), reason: 'bad vote', until: world.nowMicros },
  ];
  expect((await shown({ bans })).banned).toEqual([
    { id: 'aa'.repeat(20), reason: 'bad frame', until: '2023-11-14T22:13:21.5Z' },
    { id: 'bb'.repeat(20), reason: 'bad vote', until: '2023-11-14T22:13:20Z' },
  ]);
});

test('listens where the configuration says, or nowhere', async () => {
  expect(await shown(undefined)).toMatchObject({
    listening: true,
    listeners: ['Listener(@0.0.0.0:26656)'],
    n_peers: '0',
  });
  expect(await shown({ dial: () => ok(undefined) })).toMatchObject({ listening: false, listeners: [] });
});
