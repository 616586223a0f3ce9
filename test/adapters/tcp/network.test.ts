import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../adapters/log/logger.ts';
import { Network, type NetworkOptions } from '../../../adapters/tcp/network.ts';
import { ed25519Address } from '../../../core/crypto/addresses.ts';
import { nobleSuite as suite } from '../../../core/crypto/noble.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import { tempDir } from '../tempDir.ts';
import { TestPeer } from './testPeer.ts';

const nodeSeed = new Uint8Array(32).fill(7);

/** A network with one peer, before a node in which as much waits as the test says. */
async function connected(limits: Pick<NetworkOptions, 'backlogBytesMax' | 'unfinishedBytesMax'> = {}) {
  const accepted = new Promise<Socket>((resolve) => {
    const hear = (message: unknown): void => resolve((message as { socket: Socket }).socket);
    subscribe('net.server.socket', hear);
    onTestFinished(() => void unsubscribe('net.server.socket', hear));
  });
  const network = new Network({
    config: {
      listen: { host: '127.0.0.1', port: 0 },
      external: undefined,
      seeds: [],
      persistentPeers: [],
      addressBookFile: join(tempDir(), 'addrbook.json'),
      addressBookStrict: false,
      inboundMax: 2,
      outboundMax: 0,
      unconditionalIds: new Set(),
      privateIds: new Set(),
      persistentDialMsMax: 0,
      payloadBytesMax: 1024,
      sendRate: 1e9,
      receiveRate: 1e9,
      pex: false,
      seedMode: false,
      allowDuplicateIp: true,
      handshakeTimeoutMs: 20_000,
      dialTimeoutMs: 3000,
      pingMs: 60_000,
      pongMsMax: 45_000,
    },
    nodeSeed,
    info: {
      protocol: { p2p: 8, block: 11, app: 0 },
      id: toHex(ed25519Address(suite.ed25519PublicKey(nodeSeed))),
      listenAddress: 'tcp://127.0.0.1:1',
      network: 'chain_9000-1',
      version: '0.0.0',
      channels: Uint8Array.of(CHANNELS.vote),
      moniker: 'node',
      other: { txIndex: 'off', rpcAddress: '' },
    },
    suite,
    txBytesMax: 1_048_576,
    log: createLogger({ level: 'none', format: 'plain' }),
    ...limits,
  });
  const inputs = new EventEmitter();
  const node = { backlog: 0, input: ({ kind }: { kind: string }) => void inputs.emit(kind) };
  const isUp = once(inputs, 'peerUp');
  await network.start(node);
  onTestFinished(() => network.stop());
  const port = Number(network.listeners[0]?.split(':').at(-1));
  const peer = new TestPeer({ port, isMute: true });
  onTestFinished(() => peer.close());
  const socket = await accepted;
  await Promise.all([peer.ready, isUp]);
  /** Whether the peer is still read from after a message of so many bytes, while so many inputs wait. */
  const reads = async (bytes: number, backlog: number): Promise<boolean> => {
    node.backlog = backlog;
    const heard = once(inputs, 'frame');
    peer.send(CHANNELS.vote, new Uint8Array(bytes));
    await heard;
    return !socket.isPaused();
  };
  const resumes = async (backlog: number): Promise<void> => {
    const resumed = once(socket, 'resume');
    node.backlog = backlog;
    await resumed;
  };
  return { reads, resumes, peer, port, inputs };
}

test('peers are not read from while more inputs wait than may', async () => {
  const { reads, resumes } = await connected();
  expect([await reads(1, 2048), await reads(1, 2049)]).toEqual([true, false]);
  await resumes(2048);
  expect(await reads(1, 2048)).toBe(true);
});

test('peers are not read from while more bytes wait than may, which are done with when nothing waits', async () => {
  const { reads, resumes } = await connected({ backlogBytesMax: 1000 });
  expect([await reads(600, 1), await reads(400, 1), await reads(1, 1)]).toEqual([true, true, false]);
  await resumes(0);
  expect([await reads(1000, 1), await reads(1, 1)]).toEqual([true, false]);
});

test('of peers that do not complete their messages the one that holds most is dropped', async () => {
  const { peer: modest, port, inputs } = await connected({ unfinishedBytesMax: 80_000 });
  const isUp = once(inputs, 'peerUp');
  const greedy = new TestPeer({ port, isMute: true });
  onTestFinished(() => greedy.close());
  await Promise.all([greedy.ready, isUp]);
  const begin = ({ connection, socket }: TestPeer, bytes: number): void => {
    connection.send(CHANNELS.blocksync, new Uint8Array(62_000));
    socket.write(connection.take(0, bytes) as Uint8Array);
  };
  begin(modest, 30_000);
  begin(greedy, 60_000);
  await greedy.ended;
  // What the other has sent is still there.
  const heard = once(inputs, 'frame');
  modest.flush();
  await heard;
});
