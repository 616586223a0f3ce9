import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeNetwork, type TestNode, type Testnet } from './testnet.ts';

let net: Testnet;
beforeAll(async () => {
  net = await makeNetwork(4);
  for (const node of net.nodes) node.start();
});
afterAll(() => net.stop());

const node = (index: number): TestNode => net.nodes[index] as TestNode;
const heights = (): Promise<number[]> => Promise.all(net.nodes.map((one) => one.height()));

interface CommitAnswer {
  readonly signed_header: {
    readonly header: { readonly app_hash: string };
    readonly commit: { readonly signatures: readonly { readonly validator_address: string }[] };
  };
}

async function addressOf(one: TestNode): Promise<string> {
  const { validator_info } = await one.call<{ validator_info: { address: string } }>('status');
  return validator_info.address;
}

/** Waits for a block whose commit carries the signature of `address`. */
async function signsAgain(one: TestNode, address: string, from: number): Promise<void> {
  for (let height = from; ; height++) {
    await one.reaches(height + 1);
    const { signed_header } = await one.call<CommitAnswer>(`commit?height=${height}`);
    if (signed_header.commit.signatures.some((sig) => sig.validator_address === address)) return;
  }
}

describe('four validators as processes', () => {
  test('find each other and make blocks', async () => {
    await Promise.all(net.nodes.map((one) => one.reaches(10)));
    const info = await node(0).call<{ n_peers: string; peers: { node_info: { moniker: string } }[] }>(
      'net_info',
    );
    expect(info.n_peers).toBe('3');
    expect(info.peers.map((peer) => peer.node_info.moniker).sort()).toEqual(['node1', 'node2', 'node3']);
  });

  test('go on without one that is killed, and take it back', async () => {
    const address = await addressOf(node(3));
    await node(3).kill('SIGKILL');
    const before = await node(0).height();
    await node(0).reaches(before + 5);
    node(3).start();
    const target = await node(0).height();
    await node(3).reaches(target);
    await signsAgain(node(0), address, target);
  });

  test('make no block without two of four, and continue when they are back', async () => {
    await Promise.all([node(2).kill('SIGKILL'), node(3).kill('SIGKILL')]);
    // The block whose votes were under way when they died may still be decided; no other can, however long it takes.
    const highest = Math.max(await node(0).height(), await node(1).height()) + 1;
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const stuck = [await node(0).height(), await node(1).height()];
    expect(Math.max(...stuck)).toBeLessThanOrEqual(highest);
    node(2).start();
    node(3).start();
    await Promise.all(net.nodes.map((one) => one.reaches(Math.max(...stuck) + 5)));
  });

  test('agree on every app hash', async () => {
    const last = Math.min(...(await heights()));
    const hashes = await Promise.all(
      net.nodes.map(async (one) => {
        const found: string[] = [];
        for (let height = 1; height <= last; height++) {
          const answer = await one.call<CommitAnswer>(`commit?height=${height}`);
          found.push(answer.signed_header.header.app_hash);
        }
        return found;
      }),
    );
    for (const found of hashes) expect(found).toEqual(hashes[0]);
  });
});
