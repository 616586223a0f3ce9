import { expect, test } from 'vitest';
import type { MempoolConfig } from '../../../core/mempool/config.ts';
import { DEFAULT_NODE_CONFIG } from '../../../core/node/nodeConfig.ts';
import { testGenesis } from '../app/support/chain.ts';
import { loneNode } from './loneNode.ts';

/** More than a node lets wait at once, 8192. */
const MANY = 10_000;

async function nodeWith(mempool: Partial<MempoolConfig>, genesis = testGenesis({ accounts: [] })) {
  const config = { ...DEFAULT_NODE_CONFIG, mempool: { ...DEFAULT_NODE_CONFIG.mempool, ...mempool } };
  return (await loneNode({ config, genesis })).rpc;
}

test('an answered submit no longer counts against the limit of waiting submits', async () => {
  const rpc = await nodeWith({ txBytesMax: 1 });
  const tx = new Uint8Array(2);
  for (let i = 0; i < MANY; i++)
    expect(await rpc.submit(tx)).toMatchObject({ kind: 'refused', refusal: { code: 'too-large' } });
});

test('at most 8192 submits wait for an answer, even if the pool has room for more', async () => {
  const rpc = await nodeWith({ txsMax: 2 * MANY });
  const refused: number[] = [];
  const submits = Array.from({ length: MANY }, async (_, i) => {
    const answer = await rpc.submit(Uint8Array.of(i >>> 8, i & 255));
    expect(answer).toMatchObject({ kind: 'refused', refusal: { code: 'full' } });
    refused.push(i);
  });
  // Nobody asks the application: whoever is not refused waits for ever.
  await Promise.all(submits.slice(8192));
  expect(refused).toHaveLength(MANY - 8192);
  expect(Math.min(...refused)).toBe(8192);
});

test('a transaction one byte too large for the first block is refused, and one that just fits is checked', async () => {
  const genesis = testGenesis({ accounts: [] });
  const params = { ...genesis.params, block: { maxBytes: 2_000, maxGas: 40_000_000 } };
  const rpc = await nodeWith(
    {},
    { ...genesis, params: { ...params, evidence: { ...params.evidence, maxBytes: 100 } } },
  );
  // Beside frame, header and a commit of one; and two bytes of length and a tag for each.
  const room = 2_000 - 11 - 626 - 94 - 111;
  expect(await rpc.submit(new Uint8Array(room - 2))).toMatchObject({
    refusal: { code: 'beyond-block', bytes: room + 1, bytesMax: room },
  });
  // One that fits is looked at: it is known from then on.
  void rpc.submit(new Uint8Array(room - 3));
  expect(await rpc.submit(new Uint8Array(room - 3))).toMatchObject({ refusal: { code: 'in-cache' } });
});
