/** What one vote and one connection cost, measured between two ends in this process. */
import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nodeIdOf } from '../adapters/config/nodeKey.ts';
import { nodeAead } from '../adapters/crypto/aead.ts';
import { nodeKeyExchange } from '../adapters/crypto/keyExchange.ts';
import { encodeConsensusMessage, encodeTxsMessage } from '../core/codec/messages.ts';
import type { CryptoSuite } from '../core/crypto/suite.ts';
import { CHANNELS } from '../core/node/contract.ts';
import { decodeFrame } from '../core/node/ingress.ts';
import { CHANNEL_SPECS } from '../core/p2p/channels.ts';
import { Connection } from '../core/p2p/connection.ts';
import type { Print } from './figure.ts';

const VOTES = 3000;
const HANDSHAKES = 50;

function connectionOf(suite: CryptoSuite): Connection {
  const nodeSeed = new Uint8Array(randomBytes(32));
  return new Connection(0, {
    suite,
    nodeSeed,
    ephemeralSecret: new Uint8Array(randomBytes(32)),
    self: {
      protocol: { p2p: 8, block: 11, app: 0 },
      id: nodeIdOf(nodeSeed, suite),
      listenAddress: 'tcp://127.0.0.1:26656',
      network: 'chain_9000-1',
      version: '0.1.0',
      channels: Uint8Array.from(CHANNEL_SPECS.map((spec) => spec.id)),
      moniker: 'bench',
      other: { txIndex: 'on', rpcAddress: '' },
    },
    expectedId: undefined,
    channels: CHANNEL_SPECS,
    sendRate: 1e12,
    receiveRate: 1e12,
    aead: nodeAead,
    keyExchange: nodeKeyExchange,
  });
}

/** Carries bytes until both are silent; how many there were. */
function carry(a: Connection, b: Connection): number {
  let total = 0;
  for (let moved = true; moved; ) {
    moved = false;
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const bytes = from.take(0, 1 << 20);
      if (bytes === undefined) continue;
      moved = true;
      total += bytes.length;
      to.onBytes(0, bytes);
    }
  }
  return total;
}

const VOTE = encodeConsensusMessage({
  kind: 'vote',
  vote: {
    type: 'precommit',
    height: 1_000_000,
    round: 0,
    blockId: { hash: new Uint8Array(32).fill(1), parts: { total: 1, hash: new Uint8Array(32).fill(2) } },
    timestamp: { seconds: 1_700_000_000, nanos: 123_456_789 },
    validatorAddress: new Uint8Array(20).fill(3),
    validatorIndex: 3,
    signature: new Uint8Array(64).fill(4),
    extension: new Uint8Array(0),
    extensionSignature: new Uint8Array(0),
  },
});

/** As long as a transfer. */
const TX = new Uint8Array(320).fill(7);

/** Memory is comparable only after a collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}

const cpuMicros = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

export function measureConnection(print: Print, suite: CryptoSuite): void {
  const figure = (metric: string, value: number, unit: string): void =>
    print({ bench: 'network', metric, value, unit });
  carry(connectionOf(suite), connectionOf(suite));
  let bytes = 0;
  let since = process.cpuUsage();
  for (let i = 0; i < HANDSHAKES; i++) bytes += carry(connectionOf(suite), connectionOf(suite));
  figure('connection, CPU of both ends for the handshake', cpuMicros(since) / HANDSHAKES, 'µs');
  figure('connection, bytes of the handshake', bytes / HANDSHAKES, 'bytes');

  const [a, b] = [connectionOf(suite), connectionOf(suite)];
  carry(a, b);
  bytes = 0;
  since = process.cpuUsage();
  for (let i = 0; i < VOTES; i++) {
    a.send(CHANNELS.vote, VOTE);
    bytes += carry(a, b);
    for (const event of b.events()) if (event.kind === 'message') decodeFrame(event.channel, event.bytes);
  }
  figure('vote alone, CPU to send, receive and decode', cpuMicros(since) / VOTES, 'µs');
  figure('vote alone, bytes on the wire', bytes / VOTES, 'bytes');

  bytes = 0;
  since = process.cpuUsage();
  for (let i = 0; i < VOTES; i += 50) {
    for (let k = 0; k < 50; k++) a.send(CHANNELS.vote, VOTE);
    bytes += carry(a, b);
    for (const event of b.events()) if (event.kind === 'message') decodeFrame(event.channel, event.bytes);
  }
  figure('vote in a burst of 50, CPU to send, receive and decode', cpuMicros(since) / VOTES, 'µs');
  figure('vote in a burst of 50, bytes on the wire', bytes / VOTES, 'bytes');

  for (const joined of [1, 8, 32]) {
    const message = encodeTxsMessage({ txs: Array.from({ length: joined }, () => TX) });
    bytes = 0;
    since = process.cpuUsage();
    for (let i = 0; i < VOTES; i += joined) {
      a.send(CHANNELS.mempool, message);
      bytes += carry(a, b);
      for (const event of b.events()) if (event.kind === 'message') decodeFrame(event.channel, event.bytes);
    }
    const sent = Math.ceil(VOTES / joined) * joined;
    const how = joined === 1 ? 'alone' : `among ${joined}`;
    figure(`transaction ${how}, CPU to send, receive and decode`, cpuMicros(since) / sent, 'µs');
    figure(`transaction ${how}, bytes on the wire`, bytes / sent, 'bytes');
  }

  const held: Connection[] = [];
  const before = heapBytes();
  for (let i = 0; i < HANDSHAKES; i++) {
    const pair = [connectionOf(suite), connectionOf(suite)] as const;
    carry(...pair);
    held.push(...pair);
  }
  figure('connection, memory of one end', (heapBytes() - before) / held.length, 'bytes');
}
