import { expect, test } from 'vitest';
import type { SyncOptions, SyncOut } from '../../../core/sync/contract.ts';
import { BlockServer } from '../../../core/sync/server.ts';

test('a chain without a block claims none', () => {
  const sent: unknown[] = [];
  const out = { send: (_: unknown, message: unknown) => sent.push(message) } as unknown as SyncOut;
  const blocks = { base: () => 1, head: () => 0 } as SyncOptions['blocks'];
  new BlockServer(blocks).onPeerUp('a', 0, out);
  expect(sent).toEqual([{ kind: 'statusResponse', base: 0, height: 0 }]);
});

test('whoever has gone has nothing left to spend', () => {
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
