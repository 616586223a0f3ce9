import { Comet38Client, type comet38 } from '@cosmjs/tendermint-rpc';
import { beforeAll, expect, test } from 'vitest';
import { headerHash } from '../../../../core/codec/hashes.ts';
import { toUpperHex } from '../../../../core/lib/bytes.ts';
import { handleCometPost } from '../../../../core/rpc/comet/http.ts';
import { type Header, ZERO_BLOCK_ID } from '../../../../core/types/block.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

/**
 * The header as CosmJS understood it, in our terms. (Its own hashBlock still encodes leaves as Tendermint did before
 * 0.34 and disagrees with blocks recorded on CometBFT 0.38 too, so the hash is computed from what it read.)
 */
function headerOf({ header }: comet38.Block): Header {
  const milliseconds = header.time.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const nanos = (milliseconds - seconds * 1000) * 1_000_000 + (header.time.nanoseconds ?? 0);
  const lastBlockId = header.lastBlockId ?? ZERO_BLOCK_ID;
  return { ...header, time: { seconds, nanos }, lastBlockId };
}

let world: RpcWorld;
let client: Comet38Client;
beforeAll(async () => {
  world = await RpcWorld.open();
  await world.get('eth_sendTransaction', {
    from: bytesHex(world.dev.address),
    to: bytesHex(world.other.address),
  });
  await world.commit();
  await world.commit();
  await world.commit();
  client = await Comet38Client.create({
    execute: async (request) => JSON.parse((await handleCometPost(world.ctx, JSON.stringify(request))).body),
    disconnect: () => {},
  });
});

test('CosmJS reads every answer, and what it reads hashes to the block hash', async () => {
  const status = await client.status();
  expect(status.syncInfo.latestBlockHeight).toBe(3);
  for (const height of [1, 2, 3]) {
    const { block, blockId } = await client.block(height);
    expect(toUpperHex(headerHash(headerOf(block)))).toBe(toUpperHex(blockId.hash));
    const { header, commit } = await client.commit(height);
    expect(header).toEqual(block.header);
    expect(commit.blockId).toEqual(blockId);
  }
  const { validators } = await client.validatorsAll(2);
  expect(validators[0]?.address).toEqual(status.validatorInfo.address);
  const { block } = await client.block(1);
  const results = await client.blockResults(1);
  expect(results.results.map(({ code }) => code)).toEqual([0]);
  expect((await client.blockchain(1, 2)).blockMetas).toHaveLength(2);
  expect((await client.genesis()).chainId).toBe('chain_9000-1');
  expect((await client.abciInfo()).lastBlockHeight).toBe(3);
  expect((await client.numUnconfirmedTxs()).total).toBe(0);
  const hash = world.ctx.suite.sha256(block.txs[0] as Uint8Array);
  const tx = await client.tx({ hash, prove: true });
  expect([tx.height, tx.index, tx.proof?.proof.total]).toEqual([1, 0, 1]);
});

test('clients that choose by the version of the node take it for CometBFT 0.38', async () => {
  const { nodeInfo } = await client.status();
  expect(nodeInfo.version).toMatch(/^0\.38\.\d+$/);
  const ask = { jsonrpc: '2.0', id: 1, method: 'abci_info' };
  const { response } = JSON.parse((await handleCometPost(world.ctx, JSON.stringify(ask))).body).result;
  expect(response).toMatchObject({ data: 'orrery', version: world.ctx.identity.version });
});

test('CosmJS reads the proof of an account', async () => {
  const data = world.dev.address;
  const { code, proof } = await client.abciQuery({
    path: '/store/ethereum/key',
    data,
    height: 2,
    prove: true,
  });
  expect(code).toBe(0);
  expect(proof?.ops.map(({ type }) => type)).toEqual(['orrery:secure-trie', 'orrery:eth-header', 'simple:v']);
});
