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
