import { describe, expect, test, vi } from 'vitest';
import { handleCometPost } from '../../../core/rpc/comet/http.ts';
import { handleRest } from '../../../core/rpc/cosmos/rest.ts';
import { EthSession } from '../../../core/rpc/eth/session.ts';
import { COIN, testGenesis } from '../app/support/chain.ts';
import { deploying, STORE_AND_LOG, word } from '../app/support/code.ts';
import { wallet } from '../app/support/wallet.ts';
import { bytesHex, FakeSocket, RpcWorld } from './support/rpcWorld.ts';

async function begun(initialHeight: number): Promise<RpcWorld> {
  const accounts = [wallet(0), wallet(1)].map(({ address }) => ({ address, balance: 10_000n * COIN }));
  return await RpcWorld.openOn({ ...testGenesis({ accounts }), initialHeight });
}

/** Three blocks; the second has a log. */
async function grown(initialHeight: number): Promise<{ world: RpcWorld; address: string }> {
  const world = await begun(initialHeight);
  const from = bytesHex(world.dev.address);
  const hash = await world.get('eth_sendTransaction', { from, data: deploying(STORE_AND_LOG) });
  await world.commit();
  const address = (await world.get('eth_getTransactionReceipt', hash)).contractAddress;
  await world.get('eth_sendTransaction', { from, to: address, data: word(7) });
  await world.commit();
  await world.commit();
  return { world, address };
}

async function comet(world: RpcWorld, method: string, params: object = {}) {
  const { body } = await handleCometPost(
    world.ctx,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  );
  return JSON.parse(String(body));
}

describe.each([1, 50, 20_000])('a chain whose first height is %i', (first) => {
  test('tells before its first block who decides that, and by which rules', async () => {
    const world = await begun(first);
    const { result } = await comet(world, 'validators');
    expect(result).toMatchObject({ block_height: String(first), total: '1' });
    expect((await comet(world, 'consensus_params')).result.block_height).toBe(String(first));
    expect(await world.get('eth_blockNumber')).toBe(`0x${(first - 1).toString(16)}`);
    if (first > 1)
      expect((await comet(world, 'validators', { height: '1' })).error.data).toBe(
        'could not find validator set for height #1',
      );
    expect((await comet(world, 'status')).result).toMatchObject({
      sync_info: { latest_block_height: '0', latest_app_hash: '' },
      validator_info: { voting_power: result.validators[0].voting_power },
    });
  });

  test('has filters that were made before its first block tell of that one at once', async () => {
    const world = await begun(first);
    const blocks = await world.get('eth_newBlockFilter');
    const logs = await world.get('eth_newFilter', {});
    const from = bytesHex(world.dev.address);
    // Logs what it is called with, in its making.
    await world.get('eth_sendTransaction', { from, data: '0x5f5fa000', gas: '0x186a0' });
    await world.commit();
    const { hash, number } = await world.get('eth_getBlockByNumber', 'latest', false);
    expect(number).toBe(`0x${first.toString(16)}`);
    expect(await world.get('eth_getFilterChanges', blocks)).toEqual([hash]);
    expect(await world.get('eth_getFilterChanges', logs)).toMatchObject([{ blockHash: hash }]);
  });

  test('tells the app hash of the newest header', async () => {
    const { world } = await grown(first);
    const { header } = (await comet(world, 'header')).result;
    const { sync_info } = (await comet(world, 'status')).result;
    expect(sync_info.latest_app_hash).toBe(header.app_hash);
  });

  test('has a fee history from genesis on', async () => {
    const { world } = await grown(first);
    const fee = async (number: number): Promise<string> =>
      (await world.get('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).baseFeePerGas;
    const fees = [await fee(first - 1), await fee(first), await fee(first + 1), await fee(first + 2)];
    expect(await world.get('eth_feeHistory', '0x1', 'earliest', [])).toMatchObject({
      oldestBlock: `0x${(first - 1).toString(16)}`,
      baseFeePerGas: fees.slice(0, 2),
    });
    const all = await world.get('eth_feeHistory', '0x9', 'latest', []);
    expect(all.oldestBlock).toBe(`0x${(first - 1).toString(16)}`);
    expect(all.baseFeePerGas.slice(0, 4)).toEqual(fees);
  });

  test('knows the state of its genesis by number', async () => {
    const { world } = await grown(first);
    const { miner } = await world.get('eth_getBlockByNumber', 'latest', false);
    const changed = await world.get('debug_getModifiedAccountsByNumber', first - 1, first);
    expect(changed).toEqual(await world.get('debug_getModifiedAccountsByNumber', first));
    expect(changed).toContain(bytesHex(world.dev.address));
    expect(changed).toContain(miner);
    const number = `0x${(first - 1).toString(16)}`;
    expect(await world.get('debug_getAccessibleState', number, 'latest')).toBe(first - 1);
  });

  test('finds its logs from block 0 on, searched and subscribed to', async () => {
    const { world, address } = await grown(first);
    expect(await world.get('eth_getLogs', { address, fromBlock: '0x0', toBlock: 'latest' })).toHaveLength(1);
    const [socket, heads] = [new FakeSocket(), new FakeSocket()];
    const ask = (to: FakeSocket, params: readonly unknown[]): Promise<void> | undefined =>
      new EthSession(world.ctx, to).receive(JSON.stringify({ id: 1, method: 'eth_subscribe', params }));
    await ask(socket, ['logs', { address }, { fromBlock: 'earliest' }]);
    await ask(heads, ['newHeads', { fromBlock: 'earliest' }]);
    // The answer, then what there is: one log; genesis and three blocks.
    await vi.waitFor(() => expect([socket.sent.length, heads.sent.length]).toEqual([2, 5]));
    expect([socket.closedWith, heads.closedWith]).toEqual([undefined, undefined]);
  });

  test('has nothing before its genesis, and says so in the words of each API', async () => {
    const { world } = await grown(first);
    const rest = async (path: string) =>
      JSON.parse(
        String((await handleRest(world.ctx, { method: 'GET', path, query: '', headers: {}, body: '' })).body),
      );
    const isLater = first > 1;
    for (const path of [
      'base/tendermint/v1beta1/blocks/1',
      'base/tendermint/v1beta1/validatorsets/1',
      'tx/v1beta1/txs/block/1',
    ])
      expect((await rest(`/cosmos/${path}`)).message).toBe(
        isLater ? `height 1 is not available, lowest height is ${first}` : undefined,
      );
    const range = { fromBlock: '0x1', toBlock: `0x${first.toString(16)}` };
    expect(await world.get('eth_getLogs', range)).toEqual([]);
    if (isLater)
      expect(await world.get('eth_getLogs', { ...range, toBlock: `0x${(first - 1).toString(16)}` })).toEqual(
        [],
      );
  });
});
