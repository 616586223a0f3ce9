import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeBlocksyncMessage, encodeConsensusMessage } from '../../core/codec/messages.ts';
import { PartSet } from '../../core/codec/partSet.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import { CHANNEL_SPECS } from '../../core/p2p/channels.ts';
import { encodePexMessage } from '../../core/p2p/pexMessages.ts';
import { TestPeer, type TestPeerOptions } from '../adapters/tcp/testPeer.ts';
import { makeNetwork, type TestNode, type Testnet } from './testnet.ts';

/** Short, so that a peer that fell silent is found out while the test waits. */
const SETTINGS = new Map([
  ['p2p.max_num_inbound_peers', '8'],
  ['p2p.ping_interval', '500ms'],
  ['p2p.pong_timeout', '1s'],
]);
/** More than the channel's queue takes, were nobody to bound it. */
const REQUESTS = 5000;
/** Resident memory that a node may gain while it is under attack. */
const GROWTH_MIB_MAX = 150;

let net: Testnet;
let victim: TestNode;
let port: number;
beforeAll(async () => {
  net = await makeNetwork(1, SETTINGS);
  victim = net.nodes[0] as TestNode;
  victim.start();
  await victim.reaches(2);
  port = victim.basePort;
});
afterAll(() => net.stop());

/** The victim made blocks before, and still does. */
async function stillMakesBlocks(): Promise<void> {
  await victim.reaches((await victim.height()) + 2);
}

const readyPeer = async (options: Partial<TestPeerOptions> = {}): Promise<TestPeer> => {
  const peer = new TestPeer({ port, ...options });
  await peer.ready;
  return peer;
};

const rawSocket = (): Socket => connect({ host: '127.0.0.1', port }).on('error', () => {});
const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()).resume());

/** Linux tells; elsewhere memory is not measured. */
function residentMib(): number {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${victim.pid}/status`, 'utf8'))?.[1];
    return Number(kib ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const CASES: readonly [what: string, reason: RegExp, attack: () => Promise<void>][] = [
  [
    'garbage instead of a handshake',
    /handshake failed .*reason="(message of \d+ bytes|BytesValue|length prefix|ephemeral)/,
    async () => {
      const socket = rawSocket();
      socket.write(new Uint8Array(5000).fill(0x22));
      await ended(socket);
    },
  ],
  [
    'another chain id',
    /reason="network \\"other_1-1\\", ours is/,
    () => new TestPeer({ port, info: { network: 'other_1-1' } }).ended,
  ],
  [
    'a node id that is not its own',
    /reason="claims node id/,
    () => new TestPeer({ port, info: { id: 'ab'.repeat(20) } }).ended,
  ],
  ['nothing at all', /reason="no key message within 3 s"/, async () => ended(rawSocket())],
  [
    'a byte now and then',
    /reason="no key message within 3 s"/,
    async () => {
      victim.log = '';
      const socket = rawSocket();
      const drip = setInterval(() => socket.write(new Uint8Array([0x22])), 700);
      await ended(socket);
      clearInterval(drip);
    },
  ],
  [
    'a message larger than its channel allows',
    /peer dropped .*reason="message on channel 0x22 exceeds 1048576 bytes"/,
    async () => {
      const peer = await readyPeer();
      peer.send(CHANNELS.vote, new Uint8Array(1_048_577));
      await peer.ended;
    },
  ],
  [
    'an unknown channel',
    /peer dropped .*reason="unknown channel 119"/,
    async () => {
      const odd = { id: 0x77, priority: 1, queueMax: 10, messageBytesMax: 1000 };
      const peer = await readyPeer({ channels: [...CHANNEL_SPECS, odd] });
      peer.send(0x77, new Uint8Array(1));
      await peer.ended;
    },
  ],
  [
    'a message that is none',
    /peer dropped .*reason="Message/,
    async () => {
      const peer = await readyPeer();
      peer.send(CHANNELS.state, new Uint8Array([0xff, 0xff, 0xff]));
      await peer.ended;
    },
  ],
  [
    'a block part whose proof is false',
    /peer dropped .*reason=".*(proof|Proof|part)/,
    async () => {
      const peer = await readyPeer();
      const part = PartSet.of(new Uint8Array(100_000)).part(0);
      if (part === undefined) throw new Error('no part');
      const bad = { ...part, proof: { ...part.proof, index: 1 } };
      peer.send(CHANNELS.data, encodeConsensusMessage({ kind: 'blockPart', height: 1, round: 0, part: bad }));
      await peer.ended;
    },
  ],
  [
    'addresses that nobody asked for',
    /peer banned .*reason="sends addresses unasked"/,
    async () => {
      const peer = await readyPeer();
      peer.send(CHANNELS.pex, encodePexMessage({ kind: 'addresses', addresses: [] }));
      await peer.ended;
    },
  ],
];

describe('a hostile peer', () => {
  test.each(CASES)('that sends %s is dropped with a logged reason', async (_, reason, attack) => {
    await attack();
    await victim.says(reason);
    await stillMakesBlocks();
  });

  test('that was banned is refused when it comes back', async () => {
    const seed = nobleSuite.sha256(new Uint8Array(randomBytes(32)));
    const peer = await readyPeer({ seed });
    peer.send(CHANNELS.pex, encodePexMessage({ kind: 'addresses', addresses: [] }));
    await peer.ended;
    await new TestPeer({ port, seed }).ended;
    await victim.says(new RegExp(`peer refused peer=${peer.id} .*is banned: sends addresses unasked`));
  });

  test('that answers no ping is taken for gone', async () => {
    const peer = await readyPeer({ isMute: true });
    await peer.ended;
    await victim.says(new RegExp(`peer disconnected peer=${peer.id} .*reason="no pong within 1 s"`));
    await stillMakesBlocks();
  });

  test('that asks for blocks, then vanishes or reads none, is taken for gone and costs no memory', async () => {
    const before = residentMib();
    const peer = await readyPeer();
    peer.socket.pause();
    for (let i = 0; i < REQUESTS; i++) {
      peer.connection.send(CHANNELS.blocksync, encodeBlocksyncMessage({ kind: 'blockRequest', height: 1 }));
      if (i % 500 === 499) peer.flush();
    }
    // How fast the requests arrive says which it is.
    const reason = '(no pong within 1 s|blocksync: too many requests)';
    await victim.says(new RegExp(`peer (disconnected|dropped) peer=${peer.id} .*reason="${reason}"`));
    await stillMakesBlocks();
    expect(residentMib() - before).toBeLessThan(GROWTH_MIB_MAX);
    peer.close();
  });

  test('that floods with votes of the far future is dropped, and costs neither blocks nor memory', async () => {
    const before = residentMib();
    const peer = await readyPeer();
    const vote = (i: number): Uint8Array =>
      encodeConsensusMessage({
        kind: 'vote',
        vote: {
          type: 'prevote',
          height: 1_000_000 + i,
          round: i % 1000,
          blockId: { hash: new Uint8Array(0), parts: { total: 0, hash: new Uint8Array(0) } },
          timestamp: { seconds: 1_700_000_000, nanos: 0 },
          validatorAddress: new Uint8Array(20).fill(1),
          validatorIndex: 0,
          signature: new Uint8Array(64).fill(2),
          extension: new Uint8Array(0),
          extensionSignature: new Uint8Array(0),
        },
      });
    for (let i = 0; i < 20_000 && !peer.socket.destroyed; i++) {
      peer.connection.send(CHANNELS.vote, vote(i));
      if (i % 50 === 49) {
        peer.flush();
        if (peer.socket.writableNeedDrain) {
          const drained = new Promise((resolve) => peer.socket.once('drain', resolve));
          await Promise.race([drained, peer.ended]);
        }
      }
    }
    await victim.says(/flood of votes for heights far ahead/);
    await stillMakesBlocks();
    expect(residentMib() - before).toBeLessThan(GROWTH_MIB_MAX);
    peer.close();
  });

  test('that holds many connections open in their handshake keeps nobody out', async () => {
    const sockets = Array.from({ length: 200 }, rawSocket);
    const peer = await readyPeer();
    for (const socket of sockets) socket.destroy();
    peer.close();
    await stillMakesBlocks();
  });
});
