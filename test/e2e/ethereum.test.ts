import { RLP } from '@ethereumjs/rlp';
import {
  Contract,
  ContractFactory,
  parseEther as ethers,
  JsonRpcProvider,
  Wallet,
  WebSocketProvider,
} from 'ethers';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  getContract,
  type Hex,
  http,
  keccak256,
  parseEther,
  webSocket,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileCounter } from './counter.ts';
import { type Devnet, KEYS, runTool, startDevnet } from './devnet.ts';

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet();
});
afterAll(() => devnet?.stop());

const counter = compileCounter();
const NEVER_SEEN = '0x00000000000000000000000000000000000a11ce';

async function rawRpc(method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(devnet.jsonRpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

describe('viem', () => {
  const chain = () =>
    defineChain({
      id: 9000,
      name: 'devnet',
      nativeCurrency: { name: 'chain', symbol: 'CHAIN', decimals: 18 },
      rpcUrls: { default: { http: [devnet.jsonRpc], webSocket: [devnet.evmWs] } },
    });
  const clients = () => {
    const options = { chain: chain(), pollingInterval: 20 };
    return {
      reader: createPublicClient({ ...options, transport: http() }),
      wallet: createWalletClient({ ...options, transport: http(), account: privateKeyToAccount(KEYS[0]) }),
    };
  };

  test('reads the chain id and a balance, and sends a signed transfer', async () => {
    const { reader, wallet } = clients();
    expect(await reader.getChainId()).toBe(9000);
    expect(await reader.getBalance({ address: privateKeyToAccount(KEYS[0]).address })).toBe(
      parseEther('10000'),
    );
    const hash = await wallet.sendTransaction({ to: NEVER_SEEN, value: parseEther('1.5') });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'success', gasUsed: 21000n, to: NEVER_SEEN, logs: [] });
    expect(await reader.getBalance({ address: NEVER_SEEN })).toBe(parseEther('1.5'));
    const transaction = await reader.getTransaction({ hash });
    expect(transaction).toMatchObject({
      blockHash: receipt.blockHash,
      value: parseEther('1.5'),
      type: 'eip1559',
    });
  });

  test('deploys a contract, calls it, and reads its log by getLogs and by a subscription', async () => {
    const { reader, wallet } = clients();
    const socket = createPublicClient({ chain: chain(), transport: webSocket() });
    const hash = await wallet.deployContract({ ...counter, args: [40n] });
    const deployed = await reader.waitForTransactionReceipt({ hash });
    const address = deployed.contractAddress as Hex;
    const contract = getContract({ address, abi: counter.abi, client: wallet });

    let unwatch: (() => void) | undefined;
    const heard = new Promise<{ readonly transactionHash: Hex | null }>((resolve, reject) => {
      unwatch = socket.watchEvent({ address, onLogs: ([log]) => log && resolve(log), onError: reject });
    });
    // The subscription stands when a later request of the same socket is answered.
    await socket.getBlockNumber();
    const increase = await wallet.writeContract({
      address,
      abi: counter.abi,
      functionName: 'increase',
      args: [2n],
    });
    const { blockNumber, logs } = await reader.waitForTransactionReceipt({ hash: increase });
    expect(await reader.readContract({ address, abi: counter.abi, functionName: 'value' })).toBe(42n);
    expect(contract.address).toBe(address);
    const [found] = await reader.getContractEvents({ address, abi: counter.abi, fromBlock: blockNumber });
    expect(found).toMatchObject({
      eventName: 'Increased',
      args: { by: wallet.account.address, value: 42n },
      transactionHash: increase,
      topics: logs[0]?.topics,
    });
    expect((await heard).transactionHash).toBe(increase);
    unwatch?.();
    await (await socket.transport.getRpcClient()).close();
    await expect(
      reader.simulateContract({ address, abi: counter.abi, functionName: 'increase', args: [0n] }),
    ).rejects.toThrow('amount is zero');
  });

  test('hears every block hash once from a block filter, as eth_getBlockByNumber has it', async () => {
    const { reader, wallet } = clients();
    const first = await reader.getBlockNumber();
    const filter = await reader.createBlockFilter();
    const hashes: Hex[] = [];
    for (let i = 0; i < 3; i++) {
      const hash = await wallet.sendTransaction({ to: NEVER_SEEN, value: 1n });
      await reader.waitForTransactionReceipt({ hash });
      hashes.push(...(await reader.getFilterChanges({ filter })));
    }
    expect(hashes.length).toBeGreaterThanOrEqual(3);
    expect(new Set(hashes).size).toBe(hashes.length);
    const blocks = await Promise.all(hashes.map((blockHash) => reader.getBlock({ blockHash })));
    const heights = blocks.map(({ number }) => number);
    // The filter was made between two blocks; from there on there is no gap.
    const start = heights[0] as bigint;
    expect([first, first + 1n, first + 2n]).toContain(start - 1n);
    expect(heights).toEqual(heights.map((_, i) => start + BigInt(i)));
    for (const [i, blockNumber] of heights.entries()) {
      expect((await reader.getBlock({ blockNumber })).hash).toBe(hashes[i]);
    }
  });

  test('can recompute a block hash from the fields of the JSON header', async () => {
    const { reader, wallet } = clients();
    const sent = await wallet.sendTransaction({ to: NEVER_SEEN, value: 1n });
    const { blockHash } = await reader.waitForTransactionReceipt({ hash: sent });
    const block = (await rawRpc('eth_getBlockByHash', [blockHash, false])) as Record<string, Hex>;
    const parent = (await rawRpc('eth_getBlockByHash', [block['parentHash'], false])) as Record<string, Hex>;
    expect(hashOfHeader(block)).toBe(blockHash);
    expect(hashOfHeader(parent)).toBe(block['parentHash']);
  });
});

const DATA_FIELDS = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
];
const NUMBER_FIELDS = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'];

/** keccak256 of the RLP of an Ethereum header of Prague, from its JSON fields alone. */
function hashOfHeader(block: Record<string, Hex>): Hex {
  const data = (name: string): Uint8Array => Buffer.from((block[name] as Hex).slice(2), 'hex');
  const number = (name: string): bigint => BigInt(block[name] as Hex);
  const rlp = RLP.encode([
    ...DATA_FIELDS.map(data),
    ...NUMBER_FIELDS.map(number),
    ...['extraData', 'mixHash', 'nonce'].map(data),
    number('baseFeePerGas'),
    data('withdrawalsRoot'),
    ...['blobGasUsed', 'excessBlobGas'].map(number),
    ...['parentBeaconBlockRoot', 'requestsHash'].map(data),
  ]);
  return keccak256(rlp);
}

test('a page of any origin may send what headers it likes', async () => {
  const asked = 'authorization,content-type,sentry-trace';
  const headers = {
    origin: 'https://dapp.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': asked,
  };
  const preflight = await fetch(devnet.jsonRpc, { method: 'OPTIONS', headers });
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toBe(asked);
});

describe('ethers', () => {
  test('sends, deploys, calls and reads logs; hears them over its websocket', async () => {
    // ethers keeps an answer for 250 ms; here a transaction is in a block sooner, and the next nonce would be the old one.
    const manner = { polling: true, pollingInterval: 20, cacheTimeout: -1 };
    const provider = new JsonRpcProvider(devnet.jsonRpc, undefined, manner);
    const socket = new WebSocketProvider(devnet.evmWs);
    const wallet = new Wallet(KEYS[1], provider);
    expect((await provider.getNetwork()).chainId).toBe(9000n);
    expect(await provider.getBalance(wallet.address)).toBe(ethers('10000'));
    const sent = await wallet.sendTransaction({ to: NEVER_SEEN, value: 7n });
    expect((await sent.wait())?.status).toBe(1);

    const factory = new ContractFactory(counter.abi as never, counter.bytecode, wallet);
    const deployed = await factory.deploy(1);
    await deployed.waitForDeployment();
    const contract = new Contract(await deployed.getAddress(), counter.abi as never, wallet);
    const overSocket = contract.connect(socket) as Contract;
    const heard = new Promise<bigint>((resolve) => {
      overSocket.on('Increased', (_by: string, value: bigint) => resolve(value));
    });
    await socket.getBlockNumber();
    const increase = await contract.getFunction('increase')(9);
    const receipt = await increase.wait();
    expect(await contract.getFunction('value')()).toBe(10n);
    const [log] = await contract.queryFilter('Increased', receipt.blockNumber);
    expect(log).toMatchObject({ transactionHash: increase.hash, args: [wallet.address, 10n] });
    expect(await heard).toBe(10n);
    await socket.destroy();
    provider.destroy();
  });
});

describe('cast', () => {
  const cast = (command: string, ...args: readonly string[]): Promise<string> =>
    runTool('cast', [command, '--rpc-url', devnet.jsonRpc, ...args]);

  test('sends, deploys, calls and reads logs', async () => {
    expect(await cast('chain-id')).toBe('9000');
    const { address } = privateKeyToAccount(KEYS[2]);
    expect(await cast('balance', address)).toBe(parseEther('10000').toString());
    const transfer = JSON.parse(
      await cast('send', NEVER_SEEN, '--value', '5', '--private-key', KEYS[2], '--json'),
    );
    expect(transfer).toMatchObject({ status: '0x1', gasUsed: '0x5208' });
    const args = counter.bytecode + (3).toString(16).padStart(64, '0');
    const deployed = JSON.parse(await cast('send', '--private-key', KEYS[2], '--json', '--create', args));
    const at = deployed.contractAddress as string;
    await cast('send', at, 'increase(uint256)', '4', '--private-key', KEYS[2]);
    expect(await cast('call', at, 'value()(uint256)')).toBe('7');
    const logs = JSON.parse(
      await cast('logs', '--address', at, '--json', 'Increased(address indexed,uint256)'),
    );
    expect(BigInt(logs[0].data)).toBe(7n);
    expect(await cast('code', at)).toMatch(/^0x60/);
    const hash = await cast('block', String(BigInt(deployed.blockNumber)), '-f', 'hash');
    expect(hash).toBe(deployed.blockHash);
  });
});
