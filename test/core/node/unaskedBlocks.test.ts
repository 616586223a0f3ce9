import { expect, test } from 'vitest';
import { encodeBlocksyncMessage } from '../../../core/codec/messages.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import { decodeFrame } from '../../../core/node/ingress.ts';
import { DEFAULT_NODE_CONFIG } from '../../../core/node/nodeConfig.ts';
import { makeTestBlock, testNet } from '../consensus/harness/net.ts';
import { loneNode } from './loneNode.ts';

const net = testNet([10n]);
const { block } = makeTestBlock(net, net.state, 0, []);
const sent = { kind: 'frame', peer: 'peer', channel: CHANNELS.blocksync } as const;
const BLOCK = { ...sent, bytes: encodeBlocksyncMessage({ kind: 'blockResponse', block }) };
const STATUS = {
  ...sent,
  bytes: encodeBlocksyncMessage({ kind: 'statusResponse', base: 2 ** 52, height: 2 ** 53 - 1 }),
};

/** Lengths of the messages that a node reads, and whom it drops. */
async function reading(blocksync: boolean) {
  const read: number[] = [];
  const dropped: string[] = [];
  const node = await loneNode(
    {
      config: { ...DEFAULT_NODE_CONFIG, blocksync },
      decodeFrame(channel, bytes) {
        read.push(bytes.length);
        return decodeFrame(channel, bytes);
      },
    },
    (effect) => {
      if (effect.kind === 'drop') dropped.push(effect.reason);
    },
  );
  node.driver.input({ kind: 'start' });
  node.driver.input({ kind: 'peerUp', peer: 'peer' });
  return { read, dropped, hear: (input: typeof BLOCK) => node.driver.input(input) };
}

test('a node that does not sync does not decode blocks', async () => {
  const { read, dropped, hear } = await reading(false);
  for (let i = 0; i < 3; i++) hear(BLOCK);
  expect(read).toEqual([]);
  hear(STATUS);
  expect(read).toEqual([STATUS.bytes.length]);
  expect(dropped).toEqual([]);
});

test('a syncing node drops the sender of a block that it did not request, and decodes nothing more from it', async () => {
  const { read, dropped, hear } = await reading(true);
  for (let i = 0; i < 3; i++) hear(BLOCK);
  expect(read).toEqual([BLOCK.bytes.length]);
  expect(dropped).toEqual(['blocksync: block 1 was not asked for']);
});
