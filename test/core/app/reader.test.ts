import { expect, test } from 'vitest';
import { hex } from '../../../core/lib/bytes.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { COIN, TestChain, testGenesis } from './support/chain.ts';
import { signTx, wallet } from './support/wallet.ts';

const [alice, bob] = [wallet(0), wallet(1)];

/** A chain that is looked at when its block is durable and the head has not moved yet. */
async function lookingAt(look: (chain: TestChain, height: number) => void): Promise<TestChain> {
  const kv = new MemoryKv();
  const batch = kv.batch.bind(kv);
  const genesis = testGenesis({ accounts: [{ address: alice.address, balance: COIN }] });
  const chain = await TestChain.open(genesis, kv);
  kv.batch = async (ops) => {
    await batch(ops);
    look(chain, chain.reader.head() + 1);
  };
  return chain;
}

test('nothing is shown beyond the head, though the store has it, and all of it from then on', async () => {
  const facts = (chain: TestChain, height: number, txHash: Uint8Array) => {
    const { reader } = chain;
    const block = chain.created.store.reads.loadMeta(height);
    return {
      block: reader.block(height) !== undefined,
      meta: reader.blockMeta(height) !== undefined,
      results: reader.results(height) !== undefined,
      seenCommit: reader.seenCommit(height) !== undefined,
      commit: reader.commit(height - 1) !== undefined,
      byBlockHash: block === undefined ? undefined : reader.heightOfBlockHash(block.blockId.hash),
      byTxHash: reader.txLocation(txHash)?.height,
    };
  };
  const first = await signTx(alice, { to: bob.account.address, nonce: 0, value: 1n });
  const second = await signTx(alice, { to: bob.account.address, nonce: 1, value: 1n });
  const { sha256 } = (await import('../../../core/crypto/noble.ts')).nobleSuite;
  const seen: unknown[] = [];
  let tx = sha256(first);
  const chain = await lookingAt((one, height) => seen.push(facts(one, height, tx)));
  await chain.commit([first]);
  tx = sha256(second);
  await chain.commit([second]);
  const nothing = {
    block: false,
    meta: false,
    results: false,
    seenCommit: false,
    commit: false,
    byBlockHash: undefined,
    byTxHash: undefined,
  };
  expect(seen).toEqual([nothing, nothing]);
  expect(facts(chain, 2, tx)).toEqual({
    block: true,
    meta: true,
    results: true,
    seenCommit: true,
    commit: true,
    byBlockHash: 2,
    byTxHash: 2,
  });
  expect(chain.reader.commit(2)).toBeUndefined();
  expect(chain.reader.ethTxLocation(hex('00'.repeat(32)))).toBeUndefined();
});
