import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENT_TABLE, eventsDoc } from '../../../core/events/eventTable.ts';
import { deploying, STORE_AND_LOG, word } from '../app/support/code.ts';
import { doubleVote } from '../app/support/evidence.ts';
import { bytesHex, RpcWorld } from '../rpc/support/rpcWorld.ts';

test('docs/events.md is what the table says', () => {
  const doc = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
  expect(doc).toBe(eventsDoc());
});

test('a block of transfers, deployments, logs and evidence emits nothing that the table lacks, all of it indexed', async () => {
  const world = await RpcWorld.open();
  const from = bytesHex(world.dev.address);
  const deployed = await world.get('eth_sendTransaction', { from, data: deploying(STORE_AND_LOG) });
  await world.get('eth_sendTransaction', { from, to: bytesHex(world.other.address), value: '0x1' });
  await world.commit();
  const { contractAddress } = await world.get('eth_getTransactionReceipt', deployed);
  await world.get('eth_sendTransaction', { from, to: contractAddress, data: word(1) });
  await world.commit();
  await world.chain.commit([], [doubleVote(world.chain, 1)]);
  const seen = new Set<string>();
  for (let height = 1; height <= world.chain.reader.head(); height++) {
    const results = world.chain.reader.results(height);
    for (const { type, attributes } of [
      ...(results?.events ?? []),
      ...(results?.txResults.flatMap(({ events }) => events) ?? []),
    ]) {
      seen.add(type);
      const row: { attributes: Record<string, string> } | undefined =
        EVENT_TABLE[type as keyof typeof EVENT_TABLE];
      expect(Object.keys(row?.attributes ?? {})).toEqual(
        expect.arrayContaining(attributes.map(({ key }) => key)),
      );
      expect(attributes.every(({ index }) => index)).toBe(true);
    }
  }
  expect([...seen].sort()).toEqual(Object.keys(EVENT_TABLE).sort());
});
