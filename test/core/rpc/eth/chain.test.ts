import { readFileSync } from 'node:fs';
import { RLP } from '@ethereumjs/rlp';
import { type Hex, keccak256 } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { COIN } from '../../app/support/chain.ts';
import { deploying, REVERTER, STORE_AND_LOG, TOPIC, word } from '../../app/support/code.ts';
import { GWEI, signRaw } from '../../app/support/wallet.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
let emitter: string;
let reverter: string;

/** Sends from the dev account and commits. */
async function send(fields: Record<string, unknown>): Promise<string> {
  const nonce = Number(await world.get('eth_getTransactionCount', bytesHex(world.dev.address), 'pending'));
  const raw = await signRaw(world.dev, { nonce, ...fields });
  const hash = await world.get('eth_sendRawTransaction', bytesHex(raw));
  await world.commit();
  return hash;
}

async function deploy(runtime: string): Promise<string> {
  const hash = await send({ data: deploying(runtime), gas: 1_000_000n });
  return (await world.get('eth_getTransactionReceipt', hash)).contractAddress;
}

beforeAll(async () => {
  world = await RpcWorld.open();
  emitter = await deploy(STORE_AND_LOG);
  reverter = await deploy(REVERTER);
});

describe('a transfer', () => {
  test('is in the pool first, then in a block, with the same hash everywhere', async () => {
    const to = bytesHex(world.other.address);
    const before = BigInt(await world.get('eth_getBalance', to, 'latest'));
    const nonce = Number(await world.get('eth_getTransactionCount', bytesHex(world.dev.address), 'latest'));
    const raw = await signRaw(world.dev, { nonce, to, value: COIN, gas: 21_000n });
    const hash = await world.get('eth_sendRawTransaction', bytesHex(raw));
    expect(hash).toBe(keccak256(bytesHex(raw) as Hex));
    expect(await world.get('eth_getTransactionByHash', hash)).toMatchObject({
      hash,
      blockHash: null,
      transactionIndex: null,
      gasPrice: '0x2540be400',
    });
    expect(await world.get('eth_getTransactionReceipt', hash)).toBeNull();
    expect(Number(await world.get('eth_getTransactionCount', bytesHex(world.dev.address), 'pending'))).toBe(
      nonce + 1,
    );
    expect(await world.get('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' });
    expect((await world.rpc('eth_sendRawTransaction', bytesHex(raw))).error?.message).toBe('already known');

    await world.commit();
    expect((await world.rpc('eth_sendRawTransaction', bytesHex(raw))).error?.message).toBe(
      `nonce too low: next nonce ${nonce + 1}, tx nonce ${nonce}`,
    );
    const receipt = await world.get('eth_getTransactionReceipt', hash);
    const block = await world.get('eth_getBlockByNumber', 'latest', true);
    expect(receipt).toMatchObject({
      status: '0x1',
      gasUsed: '0x5208',
      type: '0x2',
      contractAddress: null,
      blockHash: block.hash,
      logs: [],
    });
    expect(block.transactions[0]).toEqual(await world.get('eth_getTransactionByHash', hash));
    expect(await world.get('eth_getTransactionByBlockNumberAndIndex', 'latest', '0x0')).toEqual(
      block.transactions[0],
    );
    expect(await world.get('eth_getTransactionByBlockHashAndIndex', block.hash, '0x1')).toBeNull();
    expect(await world.get('eth_getBlockTransactionCountByHash', block.hash)).toBe('0x1');
    expect(await world.get('eth_getBlockReceipts', 'latest')).toEqual([receipt]);
    const paid = BigInt(receipt.effectiveGasPrice);
    expect(paid).toBe(BigInt(block.baseFeePerGas) + GWEI);
    expect(BigInt(block.transactions[0].gasPrice)).toBe(paid);
    expect(BigInt(await world.get('eth_getBalance', to, 'latest')) - before).toBe(COIN);
    const parent = { blockHash: block.parentHash };
    expect(BigInt(await world.get('eth_getBalance', to, parent))).toBe(before);
    const again = await world.rpc('eth_sendRawTransaction', bytesHex(raw));
    expect(again.error).toEqual({
      code: -32000,
      message: `nonce too low: next nonce ${nonce + 1}, tx nonce ${nonce}`,
    });
  });

  test('from a key of the node is filled, signed and taken', async () => {
    const from = bytesHex(world.dev.address);
    const hash = await world.get('eth_sendTransaction', {
      from,
      to: bytesHex(world.other.address),
      value: '0x1',
    });
    await world.commit();
    expect(await world.get('eth_getTransactionByHash', hash)).toMatchObject({
      from,
      type: '0x2',
      gas: '0x5208',
      chainId: '0x2328',
    });
  });

  test('with a fee above the cap is refused before the pool sees it', async () => {
    const nonce = Number(await world.get('eth_getTransactionCount', bytesHex(world.dev.address), 'latest'));
    const raw = await signRaw(world.dev, {
      nonce,
      to: bytesHex(world.other.address),
      maxFeePerGas: 20_000n * GWEI,
    });
    const { error } = await world.rpc('eth_sendRawTransaction', bytesHex(raw));
    expect(error?.message).toBe('tx fee (2.00 ether) exceeds the configured cap (1.00 ether)');
  });
});

test('the block hash is keccak256 of the RLP of the header fields in the JSON', async () => {
  const block = await world.get('eth_getBlockByNumber', 'latest', false);
  const names =
    'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot requestsHash'.split(
      ' ',
    );
  const quantities = new Set([
    'difficulty',
    'number',
    'gasLimit',
    'gasUsed',
    'timestamp',
    'baseFeePerGas',
    'blobGasUsed',
    'excessBlobGas',
  ]);
  const fields = names.map((name) => (quantities.has(name) ? BigInt(block[name]) : block[name]));
  expect(keccak256(RLP.encode(fields))).toBe(block.hash);
  expect(await world.get('eth_getBlockByHash', block.hash, false)).toEqual(block);
  const { size, transactions, uncles, withdrawals, ...header } = block;
  expect(await world.get('eth_getHeaderByNumber', block.number)).toEqual(header);
  expect(size).toMatch(/^0x[0-9a-f]+$/);
  expect([uncles, withdrawals]).toEqual([[], []]);
  expect(transactions.every((hash: unknown) => typeof hash === 'string')).toBe(true);
  for (const tag of ['safe', 'finalized']) {
    expect((await world.get('eth_getBlockByNumber', tag, false)).hash).toBe(block.hash);
  }
  expect((await world.get('eth_getBlockByNumber', 'earliest', false)).number).toBe('0x0');
  expect(await world.get('eth_getBlockByNumber', '0x999', false)).toBeNull();
});

describe('calls', () => {
  test('return data, and write nothing', async () => {
    expect(await world.get('eth_call', { to: emitter, input: word(5) }, 'latest')).toBe('0x');
    expect(await world.get('eth_getStorageAt', emitter, '0x0', 'latest')).toBe(word(0));
    expect((await world.get('eth_getCode', emitter, 'latest')).length).toBeGreaterThan(2);
  });

  test('see state overrides', async () => {
    const override = { [emitter]: { code: '0x60015460005260206000f3', stateDiff: { [word(1)]: word(9) } } };
    expect(await world.get('eth_call', { to: emitter }, 'latest', override)).toBe(word(9));
  });

  test('that revert are error 3 with the revert bytes, estimates too', async () => {
    for (const method of ['eth_call', 'eth_estimateGas']) {
      expect((await world.rpc(method, { to: reverter }, 'latest')).error).toEqual({
        code: 3,
        message: 'execution reverted',
        data: word(42),
      });
    }
  });

  test('that revert with a reason or a panic say so in words', async () => {
    const vectors = ['call-revert-abi-error', 'call-revert-abi-panic'];
    for (const name of vectors) {
      const file = readFileSync(
        new URL(`../../../vectors/execution-apis/tests/eth_call/${name}.io`, import.meta.url),
        'utf8',
      );
      const wanted = JSON.parse(file.slice(file.indexOf('<< ') + 3)).error;
      const data = wanted.data.slice(2);
      const size = (data.length / 2).toString(16).padStart(4, '0');
      const code = `0x61${size}80600c6000396000fd`;
      const override = { [reverter]: { code: `${code}${data}` } };
      const { error } = await world.rpc('eth_call', { to: reverter }, 'latest', override);
      expect(error).toEqual(wanted);
    }
  });

  test('are estimated: a plain transfer needs exactly 21000', async () => {
    expect(
      await world.get('eth_estimateGas', {
        from: bytesHex(world.dev.address),
        to: bytesHex(world.other.address),
        value: '0x1',
      }),
    ).toBe('0x5208');
  });
});

describe('fees', () => {
  test('the history has one base fee more than blocks, ratios and rewards by percentile', async () => {
    await send({ to: bytesHex(world.other.address), gas: 21_000n, maxPriorityFeePerGas: 3n * GWEI });
    const history = await world.get('eth_feeHistory', '0x2', 'latest', [0, 50, 100]);
    expect(history.baseFeePerGas).toHaveLength(3);
    expect(history.gasUsedRatio).toHaveLength(2);
    expect(history.reward[1]).toEqual(Array(3).fill(`0x${(3n * GWEI).toString(16)}`));
    const head = await world.get('eth_getBlockByNumber', 'latest', false);
    expect(history.baseFeePerGas[1]).toBe(head.baseFeePerGas);
    expect(history.baseFeePerGas[2]).toBe(await world.get('eth_baseFee'));
    expect(history.gasUsedRatio[1]).toBeCloseTo(21_000 / Number(head.gasLimit), 12);
    expect(await world.get('eth_feeHistory', 0, 'latest')).toEqual({
      oldestBlock: '0x0',
      gasUsedRatio: null,
    });
    expect((await world.get('eth_feeHistory', '1000', 'latest')).oldestBlock).toBe('0x0');
  });

  test('the price is the next base fee and the suggested tip', async () => {
    const [price, tip, base] = await Promise.all(
      ['eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_baseFee'].map((name) => world.get(name)),
    );
    expect(BigInt(price)).toBe(BigInt(tip) + BigInt(base));
    expect(BigInt(tip)).toBeGreaterThan(0n);
  });
});

describe('logs', () => {
  test('are found by address, topic, position and block, in order', async () => {
    const first = await send({ to: emitter, data: word(1), gas: 100_000n });
    const second = await send({ to: emitter, data: word(2), gas: 100_000n });
    const all = await world.get('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: emitter });
    expect(all.map((log: { transactionHash: string }) => log.transactionHash)).toEqual([first, second]);
    expect(all[0]).toMatchObject({
      address: emitter,
      topics: [`0x${TOPIC}`],
      data: word(1),
      logIndex: '0x0',
      removed: false,
    });
    expect(
      await world.get('eth_getLogs', { blockHash: all[1].blockHash, topics: [[word(7), `0x${TOPIC}`]] }),
    ).toEqual([all[1]]);
    expect(await world.get('eth_getLogs', { fromBlock: 'earliest', topics: [word(7)] })).toEqual([]);
    expect(await world.get('eth_getLogs', { fromBlock: 'earliest', topics: [null, null] })).toEqual([]);
    expect(await world.get('eth_getLogs', { fromBlock: 'earliest', address: [], topics: [[]] })).toEqual(all);
    const receipt = await world.get('eth_getTransactionReceipt', second);
    expect(receipt.logs).toEqual([all[1]]);
    expect(await world.get('eth_getTransactionLogs', second)).toEqual([all[1]]);
    expect(await world.get('eth_getTransactionLogs', word(3))).toEqual([]);
    const next = Number(await world.get('eth_blockNumber')) + 1;
    expect(await world.get('eth_getLogs', { fromBlock: `0x${next.toString(16)}` })).toEqual([]);
  });
});

describe('polling filters', () => {
  test('give each block hash once and miss none', async () => {
    const id = await world.get('eth_newBlockFilter');
    expect(await world.get('eth_getFilterChanges', id)).toEqual([]);
    await world.commit();
    await world.commit();
    const hashes = await world.get('eth_getFilterChanges', id);
    const head = Number(await world.get('eth_blockNumber'));
    const wanted = await Promise.all(
      [head - 1, head].map(
        async (height) => (await world.get('eth_getBlockByNumber', `0x${height.toString(16)}`, false)).hash,
      ),
    );
    expect(hashes).toEqual(wanted);
    expect(await world.get('eth_getFilterChanges', id)).toEqual([]);
    expect(await world.get('eth_uninstallFilter', id)).toBe(true);
    expect(await world.get('eth_uninstallFilter', id)).toBe(false);
    expect((await world.rpc('eth_getFilterChanges', id)).error?.message).toBe('filter not found');
  });

  test('give new logs only, and the whole search on demand', async () => {
    const id = await world.get('eth_newFilter', { fromBlock: '0x0', address: emitter });
    const before = (await world.get('eth_getFilterLogs', id)).length;
    expect(before).toBeGreaterThan(0);
    const hash = await send({ to: emitter, data: word(3), gas: 100_000n });
    const changes = await world.get('eth_getFilterChanges', id);
    expect(changes.map((log: { transactionHash: string }) => log.transactionHash)).toEqual([hash]);
    expect(await world.get('eth_getFilterLogs', id)).toHaveLength(before + 1);
  });

  test('give pending transactions before they are in a block', async () => {
    const hashes = await world.get('eth_newPendingTransactionFilter');
    const full = await world.get('eth_newPendingTransactionFilter', true);
    const hash = await world.get('eth_sendTransaction', {
      from: bytesHex(world.dev.address),
      to: bytesHex(world.other.address),
    });
    expect(await world.get('eth_getFilterChanges', hashes)).toEqual([hash]);
    await world.commit();
    expect((await world.get('eth_getFilterChanges', full)).map((tx: { hash: string }) => tx.hash)).toEqual([
      hash,
    ]);
    expect((await world.rpc('eth_getFilterLogs', full)).error?.message).toBe('filter not found');
  });

  test('die when nobody polls for five minutes, a poll gives them five more', async () => {
    const id = await world.get('eth_newBlockFilter');
    world.nowMicros += 299_000_000;
    expect(await world.get('eth_getFilterChanges', id)).toEqual([]);
    world.nowMicros += 299_000_000;
    expect(await world.get('eth_getFilterChanges', id)).toEqual([]);
    world.nowMicros += 301_000_000;
    expect((await world.rpc('eth_getFilterChanges', id)).error?.message).toBe('filter not found');
  });

  test('are refused beyond the cap and for ranges that are over', async () => {
    const small = await RpcWorld.open({ filtersMax: 1 });
    expect(await small.get('eth_newBlockFilter')).toMatch(/^0x[1-9a-f][0-9a-f]*$/);
    expect((await small.rpc('eth_newBlockFilter')).error?.message).toBe(
      'error creating filter: max limit of 1 reached',
    );
    expect((await world.rpc('eth_newFilter', { toBlock: '0x1' })).error).toEqual({
      code: -32602,
      message: 'invalid block range params',
    });
  });
});
