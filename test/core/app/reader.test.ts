import { expect, test } from 'vitest';
import { decodeEthBlock } from '../../../core/app/evm/blockCodec.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { hex } from '../../../core/lib/bytes.ts';
import { COIN, must, TestChain } from './support/chain.ts';
import { signTx, wallet } from './support/wallet.ts';

const [alice, bob] = [wallet(0), wallet(1)];
const { keccak256, sha256 } = nobleSuite;

/** A chain that is looked at when its block is durable, the store reads it, and the head has not moved yet. */
async function lookingAt(look: (chain: TestChain, height: number) => void): Promise<TestChain> {
  const chain = await TestChain.fresh([{ address: alice.address, balance: COIN }]);
  const { store } = chain.created;
  const commit = store.commit.bind(store);
  store.commit = async (...args) => {
    await commit(...args);
    expect(store.reads.head()).toBe(chain.reader.head() + 1);
    look(chain, store.reads.head());
  };
  return chain;
}

test('nothing is shown beyond the head, though the store has it, and all of it from then on', async () => {
  const facts = (chain: TestChain, height: number, tx: Uint8Array) => {
    const { reader } = chain;
    const block = chain.created.store.reads.loadMeta(height);
    const record = chain.created.store.reads.loadEthRecord(height) as Uint8Array;
    const decoded = must(chain.created.decoder.decode(tx));
    return {
      block: reader.block(height) !== undefined,
      meta: reader.blockMeta(height) !== undefined,
      results: reader.results(height) !== undefined,
      seenCommit: reader.seenCommit(height) !== undefined,
      commit: reader.commit(height - 1) !== undefined,
      byBlockHash: block === undefined ? undefined : reader.heightOfBlockHash(block.blockId.hash),
      byTxHash: reader.txLocation(sha256(tx))?.height,
      byEthHash: reader.heightOfEthHash(must(decodeEthBlock(record, keccak256)).hash),
      byEthTxHash:
        decoded.kind === 'ethereum' ? reader.ethTxLocation(decoded.tx.hash)?.height : 'another kind',
    };
  };
  const first = await signTx(alice, { to: bob.account.address, nonce: 0, value: 1n });
  const second = await signTx(alice, { to: bob.account.address, nonce: 1, value: 1n });
  const seen: unknown[] = [];
  let tx = first;
  const chain = await lookingAt((one, height) => seen.push(facts(one, height, tx)));
  await chain.commit([first]);
  tx = second;
  await chain.commit([second]);
  const nothing = {
    block: false,
    meta: false,
    results: false,
    seenCommit: false,
    commit: false,
    byBlockHash: undefined,
    byTxHash: undefined,
    byEthHash: undefined,
    byEthTxHash: undefined,
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
    byEthHash: 2,
    byEthTxHash: 2,
  });
  expect(chain.reader.commit(2)).toBeUndefined();
  expect(chain.reader.ethTxLocation(hex('00'.repeat(32)))).toBeUndefined();
});
