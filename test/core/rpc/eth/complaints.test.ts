/** What users of other Cosmos EVM chains complained about for years, each held right here. */
import { beforeAll, describe, expect, test } from 'vitest';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { hex } from '../../../../core/lib/bytes.ts';
import { deploying, REVERTER, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { signRaw } from '../../app/support/wallet.ts';
import { bytesHex, type Loose, RpcWorld } from '../support/rpcWorld.ts';

const NEVER = `0x${'77'.repeat(32)}`;
let world: RpcWorld;
let dev: string;
let other: string;
let store: string;
let reverter: string;
/** A block with two logs, a revert and a transfer. */
let block: Loose;
let receipts: Loose[];

const send = (tx: object): Promise<string> => world.get('eth_sendTransaction', { from: dev, ...tx });

beforeAll(async () => {
  world = await RpcWorld.open();
  dev = bytesHex(world.dev.address);
  other = bytesHex(world.other.address);
  for (const code of [STORE_AND_LOG, REVERTER]) await send({ data: deploying(code), gas: '0xf4240' });
  await world.commit();
  [store, reverter] = (await world.get('eth_getBlockReceipts', 'latest')).map(
    (one: Loose) => one.contractAddress,
  );
  await send({ to: store, data: word(5) });
  await send({ to: reverter, gas: '0xf4240' });
  await send({ to: store, data: word(6) });
  await send({ to: other, value: '0x1', gasPrice: '0x77359400' });
  await world.commit();
  block = await world.get('eth_getBlockByNumber', 'latest', true);
  receipts = await world.get('eth_getBlockReceipts', 'latest');
});

describe('complaint', () => {
  test('1: polling for a receipt hangs — it is answered at once, also while the transaction waits', async () => {
    const hash = await send({ to: other, value: '0x1' });
    expect(await world.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ result: null });
    await world.commit();
    expect((await world.get('eth_getTransactionReceipt', hash)).status).toBe('0x1');
  });

  test('2: unknown receipts and transactions are errors — they are null', async () => {
    for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash', 'eth_getBlockByHash']) {
      const params = method === 'eth_getBlockByHash' ? [NEVER, false] : [NEVER];
      expect(await world.rpc(method, ...params)).toEqual({ jsonrpc: '2.0', id: 1, result: null });
    }
  });

  test('3: a hash from a filter or receipt is not the hash of eth_getBlockByNumber — it is', async () => {
    const filter = await world.get('eth_newBlockFilter');
    await world.commit();
    const { hash } = await world.get('eth_getBlockByNumber', 'latest', false);
    expect(await world.get('eth_getFilterChanges', filter)).toEqual([hash]);
    expect(receipts.map(({ blockHash }) => blockHash)).toEqual(receipts.map(() => block.hash));
  });

  test('4: block hashes cannot be recomputed, and parents do not chain — they are keccak of the raw header', async () => {
    const raw = await world.get('debug_getRawHeader', block.number);
    expect(bytesHex(nobleSuite.keccak256(hex(raw)))).toBe(block.hash);
    const parent = await world.get('eth_getBlockByHash', block.parentHash, false);
    expect(Number(parent.number)).toBe(Number(block.number) - 1);
    const empty = await world.get('eth_getBlockByNumber', 'earliest', false);
    expect(block.transactionsRoot).not.toBe(empty.transactionsRoot);
  });

  test('5 and 6: pending transactions show only once committed, under a foreign hash — at once, by their own', async () => {
    const filter = await world.get('eth_newPendingTransactionFilter');
    const hash = await send({ to: other, value: '0x1' });
    expect(await world.get('eth_getFilterChanges', filter)).toEqual([hash]);
    expect(await world.get('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null });
    expect(await world.get('eth_getTransactionReceipt', hash)).toBeNull();
    await world.commit();
    expect(await world.get('eth_getFilterChanges', filter)).toEqual([]);
  });

  test('7: logIndex starts anew in each transaction — it counts over the block', () => {
    const logs = receipts.flatMap((receipt) => receipt.logs);
    expect(logs.map(({ logIndex }) => Number(logIndex))).toEqual(logs.map((_, i) => i));
    expect(logs.length).toBeGreaterThan(1);
    expect(logs.map(({ transactionIndex }) => transactionIndex)).toEqual(['0x0', '0x2']);
  });

  test('8: eth_getLogs misses logs — it has every log of the receipts, by block, range and topic', async () => {
    const logs = receipts.flatMap((receipt) => receipt.logs);
    expect(await world.get('eth_getLogs', { blockHash: block.hash })).toEqual(logs);
    const range = { fromBlock: block.number, toBlock: block.number };
    expect(await world.get('eth_getLogs', { ...range, address: store })).toEqual(logs);
    expect(await world.get('eth_getLogs', { ...range, topics: [logs[0].topics[0]] })).toEqual(logs);
    const wide = await world.get('eth_getLogs', {
      fromBlock: 'earliest',
      toBlock: 'latest',
      address: [store],
    });
    expect(wide).toEqual(expect.arrayContaining(logs));
  });

  test('9: one odd transaction makes a block unreadable — a failed one is read like any', async () => {
    const [, failed] = receipts;
    expect(failed.status).toBe('0x0');
    expect(block.transactions).toHaveLength(4);
    expect(await world.get('eth_getTransactionByHash', failed.transactionHash)).toEqual(
      block.transactions[1],
    );
  });

  test('10: a trace differs from the execution — its gas is the gas of the receipt', async () => {
    for (const { transactionHash, gasUsed } of receipts) {
      const trace = await world.get('debug_traceTransaction', transactionHash, { tracer: 'callTracer' });
      expect(trace.gasUsed).toBe(gasUsed);
    }
  });

  test('11: tracing a block with failed transactions fails — every transaction has its trace', async () => {
    const traces = await world.get('debug_traceBlockByNumber', block.number, { tracer: 'callTracer' });
    expect(traces.map(({ txHash }: Loose) => txHash)).toEqual(receipts.map((one) => one.transactionHash));
    expect(traces.map(({ result }: Loose) => result.error !== undefined)).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  test('12: eth_feeHistory panics or has wrong rewards — rewards are tips really paid, weighted by gas', async () => {
    const history = await world.get('eth_feeHistory', '0x1', block.number, [0, 100]);
    const tips = receipts.map((one) => BigInt(one.effectiveGasPrice) - BigInt(block.baseFeePerGas));
    const sorted = tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    expect(history.reward[0].map(BigInt)).toEqual([sorted[0], sorted.at(-1)]);
    expect(history.baseFeePerGas).toHaveLength(2);
    const all = await world.get('eth_feeHistory', '0x400', 'latest', [50]);
    expect(Number(all.oldestBlock)).toBeLessThanOrEqual(1);
  });

  test('13: rapid sends and gaps are refused, replacement is impossible — nonces queue, wait and are outbid', async () => {
    const raw = (nonce: number, tip = 10n ** 9n) =>
      signRaw(world.other, { nonce, to: dev, value: 1n, gas: 21_000n, maxPriorityFeePerGas: tip } as never);
    const sendRaw = async (bytes: Promise<Uint8Array>) =>
      world.rpc('eth_sendRawTransaction', bytesHex(await bytes));
    expect((await sendRaw(raw(1))).error).toBeUndefined();
    expect(await world.get('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' });
    expect(await world.get('eth_getTransactionCount', other, 'pending')).toBe('0x0');
    expect((await sendRaw(raw(0))).error).toBeUndefined();
    expect((await sendRaw(raw(2))).error).toBeUndefined();
    expect(await world.get('eth_getTransactionCount', other, 'pending')).toBe('0x3');
    await world.commit();
    expect(await world.get('eth_getTransactionCount', other, 'latest')).toBe('0x3');
    expect((await sendRaw(raw(1))).error?.message).toMatch(/^nonce too low/);
    const nonce = await world.get('eth_getTransactionCount', dev, 'pending');
    const pay = { from: dev, to: other, value: '0x1', nonce };
    const slow = await send({ ...pay, gasPrice: '0x77359400' });
    const little = await world.rpc('eth_sendTransaction', { ...pay, gasPrice: '0x77359401' });
    expect(little.error?.message).toBe('replacement transaction underpriced');
    const fast = await send({ ...pay, gasPrice: '0x12a05f200' });
    await world.commit();
    expect(await world.get('eth_getTransactionReceipt', slow)).toBeNull();
    expect((await world.get('eth_getTransactionReceipt', fast)).status).toBe('0x1');
  });

  test('13b: what is sent at the same time gets one nonce — each gets the next, and a refused one takes none', async () => {
    const pay = { from: dev, to: other, gas: '0x5208' };
    const first = BigInt(await world.get('eth_getTransactionCount', dev, 'pending'));
    // With a rising price one nonce for all would leave the last alone.
    const replies = await Promise.all(
      [1, 2, 0, 3, 4].map((i) =>
        world.rpc('eth_sendTransaction', {
          ...pay,
          value: i === 0 ? `0x${'f'.repeat(60)}` : '0x1',
          gasPrice: `0x${(3_000_000_000 * 2 ** i).toString(16)}`,
        }),
      ),
    );
    expect(replies.map(({ error }) => error !== undefined)).toEqual([false, false, true, false, false]);
    await world.commit();
    const nonces: bigint[] = [];
    for (const { result } of replies.filter(({ error }) => error === undefined))
      nonces.push(BigInt((await world.get('eth_getTransactionByHash', result)).nonce));
    expect(nonces).toEqual([0n, 1n, 2n, 3n].map((i) => first + i));
  });

  test('14: filters are few and vanish — a polled one lives, an unknown one says so', async () => {
    const filters: string[] = [];
    for (let i = 0; i < 300; i++) filters.push(await world.get('eth_newFilter', { address: store }));
    await send({ to: store, data: word(9) });
    await world.commit();
    for (const filter of [filters[0], filters[299]])
      expect(await world.get('eth_getFilterChanges', filter)).toHaveLength(1);
    expect(await world.get('eth_uninstallFilter', filters[0])).toBe(true);
    expect((await world.rpc('eth_getFilterChanges', filters[0])).error).toMatchObject({
      code: -32000,
      message: 'filter not found',
    });
  });

  test('15: small shapes are wrong — indexes, counts, tags, prefixes and ids are as in geth', async () => {
    expect(block.transactions.map((one: Loose) => one.transactionIndex)).toEqual([
      '0x0',
      '0x1',
      '0x2',
      '0x3',
    ]);
    expect(typeof (await world.get('web3_sha3', '0x68656c6c6f'))).toBe('string');
    expect(await world.get('web3_sha3', '0x68656c6c6f')).toBe(
      '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8',
    );
    for (const tag of ['safe', 'finalized'])
      expect(await world.get('eth_getBalance', other, tag)).toBe(
        await world.get('eth_getBalance', other, 'latest'),
      );
    for (const id of ['9007199254740993', '1.5', '"a"', 'null']) {
      const answer = await world.text(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`);
      expect(answer).toContain(`"id":${id},`);
    }
    expect(await world.get('eth_sign', dev, '0x00')).toMatch(/(1b|1c)$/);
  });
});
