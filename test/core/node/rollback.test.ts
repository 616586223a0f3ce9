import { describe, expect, test } from 'vitest';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { equalBytes, hex, toHex } from '../../../core/lib/bytes.ts';
import { planRollback, redoRolledBack } from '../../../core/node/rollback.ts';
import { HEAD_KEY, STATE_KEY, UNDONE_KEY } from '../../../core/store/keys.ts';
import type { MemoryKv } from '../../../core/store/memoryKv.ts';
import { undoneHeight } from '../../../core/store/undo.ts';
import { COIN, must, TestChain, testGenesis } from '../app/support/chain.ts';
import { signTx, wallet } from '../app/support/wallet.ts';
import { bytesHex } from '../rpc/support/rpcWorld.ts';

const sender = wallet(0);
const genesis = testGenesis({ accounts: [{ address: sender.address, balance: 100n * COIN }] });

/** Everything in the database but trie nodes and code, which are named by their content and never removed. */
async function contents(kv: MemoryKv): Promise<Record<string, string>> {
  const rows = await kv.range({ gte: Uint8Array.of(0), lt: Uint8Array.of(255), limitMax: 1_000_000 });
  const kept = rows.filter(([key]) => key[0] !== 'n'.charCodeAt(0) && key[0] !== 'c'.charCodeAt(0));
  return Object.fromEntries(kept.map(([key, value]) => [toHex(key), toHex(value)]));
}

const transfer = (nonce: number) => signTx(sender, { nonce, to: bytesHex(wallet(1).address), gas: 21_000n });

/** A chain of five blocks with a transfer each, and the database as it was after each height. */
async function fiveBlocks() {
  const chain = await TestChain.open(genesis);
  const after = [await contents(chain.kv)];
  const hashes = [toHex(chain.state.appHash)];
  for (let i = 0; i < 5; i++) {
    await chain.commit([await transfer(i)]);
    after.push(await contents(chain.kv));
    hashes.push(toHex(chain.state.appHash));
  }
  return { chain, after, hashes };
}

async function rollBack(kv: MemoryKv, hard: boolean) {
  const plan = must(planRollback(kv, nobleSuite, hard));
  await kv.batch(plan.ops);
  return plan;
}

describe('rolling back', () => {
  test('takes the state back, and the next start executes the same block to the same bytes', async () => {
    const { chain, after, hashes } = await fiveBlocks();
    const plan = await rollBack(chain.kv, false);
    expect([plan.height, toHex(plan.appHash)]).toEqual([4, hashes[4]]);
    const reopened = await TestChain.open(genesis, chain.kv);
    expect(reopened.state.lastBlockHeight).toBe(4);
    expect(toHex(reopened.state.appHash)).toBe(hashes[4]);
    expect(reopened.created.reader.head()).toBe(4);
    const state = await redoRolledBack(chain.kv, nobleSuite, reopened.created);
    expect(state).toEqual(chain.state);
    expect(await contents(chain.kv)).toEqual(after[5]);
    expect(await redoRolledBack(chain.kv, nobleSuite, { ...reopened.created, state })).toBe(state);
  });

  test('with the block leaves the database as it was before the block', async () => {
    const { chain, after, hashes } = await fiveBlocks();
    const plan = await rollBack(chain.kv, true);
    expect([plan.height, toHex(plan.appHash)]).toEqual([4, hashes[4]]);
    expect(await contents(chain.kv)).toEqual(after[4]);
    // Another block of that height is as good now.
    const reopened = await TestChain.open(genesis, chain.kv);
    await reopened.commit([]);
    expect(reopened.state.lastBlockHeight).toBe(5);
    expect(reopened.created.reader.txLocation(nobleSuite.sha256(await transfer(4)))).toBeUndefined();
  });

  test('repeated with the block, goes down to height 1 and no further', async () => {
    const { chain, after } = await fiveBlocks();
    for (const height of [4, 3, 2, 1]) {
      expect((await rollBack(chain.kv, true)).height).toBe(height);
      expect(await contents(chain.kv)).toEqual(after[height]);
    }
    expect(planRollback(chain.kv, nobleSuite, true)).toMatchObject({ ok: false });
  });

  test('twice without a start in between goes back one height, and can still remove the block', async () => {
    const { chain, after } = await fiveBlocks();
    await rollBack(chain.kv, false);
    expect(await rollBack(chain.kv, false)).toMatchObject({ height: 4, ops: [] });
    expect(undoneHeight(chain.kv)).toBe(5);
    await rollBack(chain.kv, true);
    expect(await contents(chain.kv)).toEqual(after[4]);
  });

  test('of an empty chain is refused', async () => {
    const chain = await TestChain.open(genesis);
    expect(planRollback(chain.kv, nobleSuite, false)).toMatchObject({ ok: false });
  });

  test.each([false, true])('is refused if the drive returns an old head (hard: %s)', async (hard) => {
    const { chain, after } = await fiveBlocks();
    const older = after[4] as Record<string, string>;
    const stale = {
      get: (key: Uint8Array) =>
        equalBytes(key, HEAD_KEY) || equalBytes(key, STATE_KEY)
          ? hex(older[toHex(key)] as string)
          : chain.kv.get(key),
    };
    expect(planRollback(stale, nobleSuite, hard)).toMatchObject({
      ok: false,
      error: expect.stringContaining('block 5 is there, the head is 4'),
    });
  });

  test.each([false, true])('is refused if the drive lost the newest batch (hard: %s)', async (hard) => {
    const { chain } = await fiveBlocks();
    const older = await contents(chain.kv);
    await rollBack(chain.kv, false);
    // The note of what was taken back is there, the head and the state are those of before.
    const stale = {
      get: (key: Uint8Array) => {
        const text = older[toHex(key)];
        return equalBytes(key, UNDONE_KEY) || text === undefined ? chain.kv.get(key) : hex(text);
      },
    };
    const plan = planRollback(stale, nobleSuite, hard);
    expect(plan.ok ? '' : plan.error).toMatch(/^storage fault: block 5 was taken back, the head is 5/);
    const reopened = await TestChain.open(genesis, chain.kv);
    const wrong = { ...reopened.created, state: { ...reopened.state, lastBlockHeight: 5 } };
    await expect(redoRolledBack(chain.kv, nobleSuite, wrong)).rejects.toThrow('storage fault');
  });
});
