import { expect, test } from 'vitest';
import { EventHub } from '../../core/events/hub.ts';
import type { SimNode } from '../../sim/machine/simNode.ts';
import { runScenario } from '../../sim/run.ts';

const SCENARIO = `name: x
engine: {crypto: keyed-hash}
clients:
  - {name: alice, kind: evm, at: v0, rate: 4/s, script: contracts, args: {accounts: 1, count: 9}}
  - {name: eve, kind: eth, at: v1, rate: 1/s}
until: {height: 7}
`;

/** Names of the checkers that complain when what clients see of v1 is changed. */
async function complaints(change: (node: SimNode) => SimNode): Promise<readonly string[]> {
  const result = await runScenario(SCENARIO, {
    nodes: (real) => async (env) => {
      const node = await real(env);
      return env.name === 'v1' ? change(node) : node;
    },
  });
  if (!result.ok) throw new Error(result.error.message);
  return [...new Set(result.value.failures.map(({ checker }) => checker))];
}

test('a node that keeps a block from its subscribers is found', async () => {
  const found = await complaints((node) => {
    if (node.rpc === undefined) return node;
    const hub = new EventHub();
    node.rpc.hub.listen((event) => {
      if (event.kind !== 'committed' || event.block.header.height !== 4) hub.publish(event);
    });
    return { ...node, rpc: { ...node.rpc, hub, now: node.rpc.now, randomId: node.rpc.randomId } };
  });
  expect(found).toEqual(['watch']);
});

test('a node that tells another receipt than the others is found', async () => {
  const found = await complaints((node) => {
    const chain = node.rpc?.chain;
    if (node.rpc === undefined || chain === undefined) return node;
    const ethBlock = (height: number) => {
      const block = chain.ethBlock(height);
      const [first, ...rest] = block?.receipts ?? [];
      if (block === undefined || first === undefined) return block;
      return { ...block, receipts: [{ ...first, gasUsed: first.gasUsed + 1n }, ...rest] };
    };
    const lying = new Proxy(chain, {
      get(of, name) {
        if (name === 'ethBlock') return ethBlock;
        const own: unknown = Reflect.get(of, name, of);
        return typeof own === 'function' ? own.bind(of) : own;
      },
    });
    return { ...node, rpc: { ...node.rpc, chain: lying } };
  });
  expect(found).toContain('records');
});
