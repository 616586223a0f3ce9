import { expect, test } from 'vitest';
import type { SyncOptions, SyncOut } from '../../../core/sync/contract.ts';
import { BlockServer } from '../../../core/sync/server.ts';
import { makeTestBlock, testNet } from '../consensus/harness/net.ts';

test('a chain without a block claims none', () => {
  const sent: unknown[] = [];
  const out = { send: (_: unknown, message: unknown) => sent.push(message) } as unknown as SyncOut;
  const blocks = { base: () => 1, head: () => 0 } as SyncOptions['blocks'];
  new BlockServer(blocks).onPeerUp('a', 0, out);
  expect(sent).toEqual([{ kind: 'statusResponse', base: 0, height: 0 }]);
});

test('a peer gets 64 MiB of blocks at once, then about 32 MB a second', () => {
  const net = testNet([10n]);
  const { block } = makeTestBlock(net, net.state, 0, [new Uint8Array(1024 * 1024)]);
  let reads = 0;
  const read = () => {
    reads++;
    return block;
  };
  const blocks = { base: () => 1, head: () => 1, block: read };
  const sent: unknown[] = [];
  const dropped: string[] = [];
  const out = {
    send: (_: unknown, message: unknown) => sent.push(message),
    drop: (peer: string) => dropped.push(peer),
  } as unknown as SyncOut;
  const server = new BlockServer(blocks);
  server.onPeerUp('a', 0, out);
  sent.length = 0;
  const ask = (now: number): void => server.onRequest('a', now, { kind: 'blockRequest', height: 1 }, out);
  for (let i = 0; i < 100; i++) ask(0);
  expect({ reads, sent: sent.length, dropped }).toEqual({ reads: 64, sent: 64, dropped: [] });
  for (let i = 0; i < 100; i++) ask(1_000_000);
  expect({ reads, sent: sent.length, dropped }).toEqual({ reads: 95, sent: 95, dropped: [] });
});

test('a request of a disconnected peer is refused', () => {
  const dropped: string[] = [];
  const out = { send: () => {}, drop: (peer: string) => dropped.push(peer) } as unknown as SyncOut;
  const blocks = { base: () => 1, head: () => 0 } as SyncOptions['blocks'];
  const server = new BlockServer(blocks);
  server.onPeerUp('a', 0, out);
  server.onRequest('a', 0, { kind: 'statusRequest' }, out);
  expect(dropped).toEqual([]);
  server.onPeerDown('a');
  server.onRequest('a', 0, { kind: 'statusRequest' }, out);
  expect(dropped).toEqual(['a']);
});
