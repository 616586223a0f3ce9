import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeNamespaces,
  type NamespaceNet,
  type NamespaceNode,
  whyNoNamespaces,
  whyNoNetem,
} from './namespaces.ts';

const noNamespaces = whyNoNamespaces();
const noNetem = noNamespaces ?? whyNoNetem();
if (noNamespaces !== undefined) {
  process.stdout.write(`skipped: this machine makes no network namespaces (${noNamespaces})\n`);
} else if (noNetem !== undefined) {
  process.stdout.write(`skipped in part: this machine delays and loses no packets (${noNetem})\n`);
}

let net: NamespaceNet | undefined;
const node = (index: number): NamespaceNode => net?.nodes[index] as NamespaceNode;
const link = (index: number, to: 'up' | 'down'): void => net?.link(index, to);
const heights = (): Promise<number[]> => Promise.all((net?.nodes ?? []).map((one) => one.height()));
const seconds = (count: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, count * 1000));

async function appHash(one: NamespaceNode, height: number): Promise<string> {
  const { block } = await one.call<{ block: { header: { app_hash: string } } }>(`block?height=${height}`);
  return block.header.app_hash;
}

describe.skipIf(noNamespaces !== undefined)('four validators in network namespaces of their own', () => {
  beforeAll(async () => {
    net = makeNamespaces(4);
    for (const one of net.nodes) one.start();
    await Promise.all(net.nodes.map((one) => one.reaches(2)));
  });
  afterAll(() => net?.stop());

  test('go on while the cable of one is out, and take it back', async () => {
    link(3, 'down');
    for (const one of net?.nodes ?? []) one.log = '';
    const before = await node(0).height();
    await node(0).reaches(before + 3);
    const cutOff = await node(3).height();
    const ahead = await node(0).height();
    expect(ahead).toBeGreaterThan(cutOff);
    // No FIN, no RST: only the missing pong tells that it is gone.
    const silence = /peer disconnected .*reason="no pong within 6 s"/;
    await Promise.all((net?.nodes ?? []).map((one) => one.says(silence)));
    link(3, 'up');
    await node(3).reaches(ahead + 3);
  });

  test('stop when two cables are out, and continue when they are in again', async () => {
    link(2, 'down');
    link(3, 'down');
    // The block whose votes were on their way may still be decided; no other can, however long it takes.
    const highest = Math.max(...(await heights())) + 1;
    await seconds(3);
    const stuck = await heights();
    expect(Math.max(...stuck)).toBeLessThanOrEqual(highest);
    link(2, 'up');
    link(3, 'up');
    const target = Math.max(...stuck) + 3;
    await Promise.all((net?.nodes ?? []).map((one) => one.reaches(target)));
    const hashes = await Promise.all((net?.nodes ?? []).map((one) => appHash(one, target)));
    expect(new Set(hashes).size).toBe(1);
  });

  test.skipIf(noNetem !== undefined)(
    'make blocks with 200 ms of delay and 5 % loss, and after a partition as well',
    { timeout: 600_000 },
    async () => {
      for (const one of net?.nodes ?? []) one.impair(['delay', '200ms', 'loss', '5%']);
      const before = await node(0).height();
      await node(0).reaches(before + 3);
      link(1, 'down');
      link(2, 'down');
      await seconds(5);
      const stuck = Math.max(...(await heights()));
      link(1, 'up');
      link(2, 'up');
      await Promise.all((net?.nodes ?? []).map((one) => one.reaches(stuck + 5)));
      for (const one of net?.nodes ?? []) one.impair(undefined);
    },
  );
});
