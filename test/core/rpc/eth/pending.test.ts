import { verifyMerkleProof } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { type Hex, hexToBytes, keccak256 } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import { VALIDATOR } from '../../app/support/chain.ts';
import { deploying, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { GWEI, signRaw } from '../../app/support/wallet.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
let dev: string;
let other: string;

beforeEach(async () => {
  world = await RpcWorld.open();
  dev = bytesHex(world.dev.address);
  other = bytesHex(world.other.address);
});

const send = async (fields: Record<string, unknown>): Promise<string> =>
  world.get('eth_sendRawTransaction', bytesHex(await signRaw(world.dev, fields)));

const balance = async (who: string, block: string): Promise<bigint> =>
  BigInt(await world.get('eth_getBalance', who, block));

describe('the pending state', () => {
  test('is the latest one while nothing waits', async () => {
    expect(await balance(dev, 'pending')).toBe(await balance(dev, 'latest'));
    const block = await world.get('eth_getBlockByNumber', 'pending', true);
    expect(block).toMatchObject({ number: '0x1', hash: null, nonce: null, miner: null, transactions: [] });
    expect(block.parentHash).toBe((await world.get('eth_getBlockByNumber', 'latest', false)).hash);
  });

  test('shows what the transactions of the pool do, one after another, before any block has them', async () => {
    await send({ nonce: 0, to: other, value: 5n, gas: 21_000n });
    const before = await balance(other, 'latest');
    expect(await balance(other, 'pending')).toBe(before + 5n);
    await send({ nonce: 1, to: other, value: 7n, gas: 21_000n });
    expect(await balance(other, 'pending')).toBe(before + 12n);
    expect(await balance(other, 'latest')).toBe(before);
    expect(await world.get('eth_getTransactionCount', dev, 'pending')).toBe('0x2');
    const pendingDev = await balance(dev, 'pending');
    await world.commit();
    expect(await balance(other, 'latest')).toBe(before + 12n);
    expect(await balance(dev, 'latest')).toBe(pendingDev);
  });

  test('is two seconds behind the clock at most', async () => {
    const time = async (): Promise<number> =>
      Number((await world.get('eth_getBlockByNumber', 'pending', false)).timestamp);
    const start = await time();
    const shown: number[] = [];
    for (let second = 1; second <= 6; second++) {
      world.nowMicros += 1_000_000;
      shown.push((await time()) - start);
    }
    expect(shown).toEqual([0, 0, 3, 3, 3, 6]);
  });

  test('has the contracts that wait: code, storage, calls, estimates, access lists, traces', async () => {
    const create = await send({ nonce: 0, data: deploying(STORE_AND_LOG), gas: 1_000_000n });
    const [receipt] = await world.get('eth_getBlockReceipts', 'pending');
    const address = receipt.contractAddress;
    expect(receipt).toMatchObject({ transactionHash: create, status: '0x1', blockNumber: '0x1' });
    await send({ nonce: 1, to: address, data: word(42), gas: 100_000n });
    expect(await world.get('eth_getCode', address, 'latest')).toBe('0x');
    expect(await world.get('eth_getCode', address, 'pending')).toBe(`0x${STORE_AND_LOG}`);
    expect(await world.get('eth_getStorageAt', address, '0x0', 'pending')).toBe(word(42));
    expect(await world.get('eth_getStorageValues', { [address]: ['0x0'] }, 'pending')).toEqual({
      [address]: [word(42)],
    });
    const call = { from: other, to: address, data: word(1) };
    expect(Number(await world.get('eth_estimateGas', call, 'latest'))).toBeLessThan(
      Number(await world.get('eth_estimateGas', call, 'pending')),
    );
    const { accessList } = await world.get('eth_createAccessList', call, 'pending');
    expect(accessList).toEqual([{ address, storageKeys: [word(0)] }]);
    const trace = await world.get('debug_traceCall', call, 'pending', { tracer: 'callTracer' });
    expect(trace.gasUsed).not.toBe('0x5208');
    // NUMBER, returned.
    const number = { data: '0x4360005260206000f3' };
    expect(await world.get('eth_call', number, 'pending')).toBe(word(1));
    expect(await world.get('eth_call', number, 'latest')).toBe(word(0));
  });

  test("proves itself against the pending block's root", async () => {
    await send({ nonce: 0, to: other, value: 5n, gas: 21_000n });
    const { stateRoot } = await world.get('eth_getBlockByNumber', 'pending', false);
    const proof = await world.get('eth_getProof', other, [], 'pending');
    expect(BigInt(proof.balance)).toBe(await balance(other, 'pending'));
    const value = await verifyMerkleProof(
      hexToBytes(keccak256(other as Hex)),
      proof.accountProof.map((node: Hex) => hexToBytes(node)),
      { root: hexToBytes(stateRoot), useKeyHashing: false },
    );
    const [, proven] = RLP.decode(value as Uint8Array) as Uint8Array[];
    expect(BigInt(bytesHex(proven as Uint8Array))).toBe(BigInt(proof.balance));
  });
});

describe('the pending block', () => {
  test('is the block that is then committed but for its time, its place in consensus and its seal', async () => {
    await send({ nonce: 0, data: deploying(STORE_AND_LOG), gas: 1_000_000n });
    await send({ nonce: 1, to: other, value: 1n, gas: 21_000n });
    await send({ nonce: 5, to: other, value: 1n, gas: 21_000n });
    const draft = await world.get('eth_getBlockByNumber', 'pending', false);
    const header = await world.get('eth_getHeaderByNumber', 'pending');
    await world.commit();
    const block = await world.get('eth_getBlockByNumber', 'latest', false);
    const { hash, miner, nonce, extraData, timestamp, size, ...rest } = block;
    expect(draft).toMatchObject(rest);
    expect(draft.transactions).toHaveLength(2);
    expect({ ...draft, ...header }).toEqual(draft);
    expect(miner).toBe(bytesHex(VALIDATOR));
  });

  test('counts and shows its transactions as the pool does', async () => {
    const hash = await send({ nonce: 0, to: other, value: 1n, gas: 21_000n });
    expect(await world.get('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x1');
    const tx = await world.get('eth_getTransactionByHash', hash);
    expect(tx.blockHash).toBeNull();
    expect(await world.get('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0')).toEqual(tx);
    expect(await world.get('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x1')).toBeNull();
    expect((await world.get('eth_getBlockByNumber', 'pending', true)).transactions).toEqual([tx]);
    expect(await world.get('debug_getRawBlock', 'pending')).toContain(
      (await world.get('eth_getRawTransactionByHash', hash)).slice(2),
    );
    expect((await world.rpc('debug_traceBlockByNumber', 'pending')).error?.message).toBe(
      'tracing on top of pending is not supported',
    );
  });

  test('follows a replacement, a better price of another sender, and the clock', async () => {
    const first = await send({ nonce: 0, to: other, value: 1n, gas: 21_000n });
    const hashes = async () => (await world.get('eth_getBlockByNumber', 'pending', false)).transactions;
    expect(await hashes()).toEqual([first]);
    const prices = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 3n * GWEI };
    const second = await send({ nonce: 0, to: other, value: 2n, gas: 21_000n, ...prices });
    expect(await hashes()).toEqual([second]);
    const better = await signRaw(world.other, {
      nonce: 0,
      to: dev,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 20n * GWEI,
      maxPriorityFeePerGas: 9n * GWEI,
    });
    const third = await world.get('eth_sendRawTransaction', bytesHex(better));
    expect(await hashes()).toEqual([third, second]);
    const { timestamp } = await world.get('eth_getBlockByNumber', 'pending', false);
    world.nowMicros += 10_000_000;
    const later = await world.get('eth_getBlockByNumber', 'pending', false);
    expect(Number(later.timestamp)).toBe(Number(timestamp) + 10);
    expect(later.transactions).toEqual([third, second]);
  });

  test('ends a fee history that asks for it', async () => {
    await send({ nonce: 0, to: other, value: 1n, gas: 21_000n });
    await world.commit();
    await send({ nonce: 1, to: other, value: 1n, gas: 21_000n });
    const history = await world.get('eth_feeHistory', '0x2', 'pending', [50]);
    expect(history).toMatchObject({ oldestBlock: '0x1', reward: [['0x3b9aca00'], ['0x3b9aca00']] });
    expect(history.baseFeePerGas).toHaveLength(3);
    await world.commit();
    expect(await world.get('eth_feeHistory', '0x2', 'latest', [50])).toEqual(history);
  });

  test('is one however many ask at once', async () => {
    await send({ nonce: 0, to: other, value: 5n, gas: 21_000n });
    const blocks = await Promise.all(
      Array.from({ length: 8 }, () => world.get('eth_getBlockByNumber', 'pending', false)),
    );
    expect(new Set(blocks.map((block) => JSON.stringify(block))).size).toBe(1);
  });
});
