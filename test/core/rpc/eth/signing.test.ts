import {
  type Hex,
  type hashTypedData,
  parseTransaction,
  recoverMessageAddress,
  recoverTransactionAddress,
  recoverTypedDataAddress,
} from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { BLOCKHASH_OF, deploying, REVERTER, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { GWEI, signRaw } from '../../app/support/wallet.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
let dev: Hex;
let other: Hex;

beforeAll(async () => {
  world = await RpcWorld.open();
  dev = bytesHex(world.dev.address) as Hex;
  other = bytesHex(world.other.address) as Hex;
});

const MAIL = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallets', type: 'address[]' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person[2]' },
      { name: 'amount', type: 'int128' },
      { name: 'seal', type: 'bytes4' },
      { name: 'body', type: 'bytes' },
      { name: 'urgent', type: 'bool' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Ether Mail', chainId: 9000 },
  message: {
    from: { name: 'Cow', wallets: [`0x${'cd'.repeat(20)}`] },
    to: [
      { name: 'Bob', wallets: [] },
      { name: 'Ann', wallets: [`0x${'bb'.repeat(20)}`, `0x${'aa'.repeat(20)}`] },
    ],
    amount: '-5',
    seal: '0x01020304',
    body: '0xdead',
    urgent: true,
  },
} as const;

describe('signatures of the node', () => {
  test('eth_sign and personal_sign put the EIP-191 prefix before the message', async () => {
    const signature = await world.get('eth_sign', dev, '0x68656c6c6f');
    expect((await recoverMessageAddress({ message: 'hello', signature })).toLowerCase()).toBe(dev);
    expect(await world.get('personal_sign', '0x68656c6c6f', dev, '')).toBe(signature);
    expect(await world.get('personal_ecRecover', '0x68656c6c6f', signature)).toBe(dev);
    expect((await world.rpc('eth_sign', other, '0x00')).error).toEqual({
      code: -32000,
      message: 'unknown account',
    });
  });

  test('eth_signTypedData is what a wallet would have signed', async () => {
    const signature = await world.get('eth_signTypedData', dev, MAIL);
    expect(await world.get('eth_signTypedData_v4', dev, JSON.stringify(MAIL))).toBe(signature);
    const data = MAIL as unknown as Parameters<typeof hashTypedData>[0];
    expect((await recoverTypedDataAddress({ ...data, signature } as never)).toLowerCase()).toBe(dev);
    const wrong = { ...MAIL, message: { ...MAIL.message, seal: '0x01' } };
    expect((await world.rpc('eth_signTypedData', dev, wrong)).error?.code).toBe(-32602);
  });

  test.each([
    ['legacy', { gasPrice: '0x3b9aca00' }],
    ['eip2930', { gasPrice: '0x3b9aca00', accessList: [] }],
    ['eip1559', { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }],
  ])('eth_signTransaction makes a transaction of type %s', async (type, fees) => {
    const { raw, tx } = await world.get('eth_signTransaction', {
      from: dev,
      to: other,
      value: '0x1',
      gas: '0x5208',
      nonce: '0x7',
      ...fees,
    });
    expect(parseTransaction(raw)).toMatchObject({ type, nonce: 7, value: 1n, chainId: 9000 });
    expect((await recoverTransactionAddress({ serializedTransaction: raw })).toLowerCase()).toBe(dev);
    expect(tx).toMatchObject({ nonce: '0x7', from: dev, blockHash: null, blockTimestamp: null });
    expect((await world.rpc('eth_signTransaction', { from: dev, to: other, ...fees })).error?.message).toBe(
      'gas not specified',
    );
  });

  test('eth_fillTransaction fills nonce, gas and fees', async () => {
    const { raw, tx } = await world.get('eth_fillTransaction', { from: dev, to: other, value: '0x1' });
    expect(tx).toMatchObject({ type: '0x2', gas: '0x5208', nonce: '0x0', to: other, chainId: '0x2328' });
    expect(parseTransaction(raw)).toMatchObject({ type: 'eip1559', gas: 21000n, to: other });
  });
});

describe('the pool', () => {
  test('shows pending and queued by sender and nonce, and takes a replacement', async () => {
    await world.get('eth_sendTransaction', { from: dev, to: other, value: '0x5' });
    const gap = await signRaw(world.other, { nonce: 3, to: dev, value: 1n, gas: 21_000n });
    await world.get('eth_sendRawTransaction', bytesHex(gap));
    const content = await world.get('txpool_content');
    const [[sender, pending]] = Object.entries(content.pending) as [
      [string, Record<string, { value: string }>],
    ];
    expect([sender.toLowerCase(), pending['0']?.value]).toEqual([dev, '0x5']);
    expect(Object.keys(content.queued).map((key) => key.toLowerCase())).toEqual([other]);
    expect(await world.get('txpool_contentFrom', other)).toMatchObject({
      pending: {},
      queued: { 3: { nonce: '0x3' } },
    });
    const lines = Object.values((await world.get('txpool_inspect')).queued);
    expect(lines).toEqual([{ 3: `${world.dev.account.address}: 1 wei + 21000 gas × ${10n * GWEI} wei` }]);
    expect(await world.get('eth_pendingTransactions')).toMatchObject([{ from: dev, nonce: '0x0' }]);
    const args = { from: dev, to: other, value: '0x6', nonce: '0x0' };
    const replaced = await world.get('eth_resend', args, `0x${(20n * GWEI).toString(16)}`);
    expect(await world.get('eth_pendingTransactions')).toMatchObject([{ hash: replaced, value: '0x6' }]);
    await world.commit();
    expect((await world.rpc('eth_resend', args)).error?.message).toBe('transaction 0 not found');
  });
});

describe('eth_sendRawTransactionSync', () => {
  test('answers the receipt once a block has the transaction', async () => {
    const raw = await signRaw(world.dev, { nonce: 1, to: other, value: 1n, gas: 21_000n });
    const answer = world.rpc('eth_sendRawTransactionSync', bytesHex(raw));
    await world.get('txpool_status');
    await world.commit();
    expect((await answer).result).toMatchObject({ status: '0x1', gasUsed: '0x5208', from: dev });
    expect((await world.rpc('eth_sendRawTransactionSync', bytesHex(raw))).error?.message).toMatch(
      /^nonce too low/,
    );
  });

  test('takes the timeout as EIP-7966 writes it, a number, and as geth does, a quantity', async () => {
    for (const timeout of [5000, '0x1388']) {
      const nonce = Number(await world.get('eth_getTransactionCount', dev, 'latest'));
      const raw = await signRaw(world.dev, { nonce, to: other, value: 1n, gas: 21_000n });
      const answer = world.rpc('eth_sendRawTransactionSync', bytesHex(raw), timeout);
      await world.get('txpool_status');
      await world.commit();
      expect((await answer).result).toMatchObject({ status: '0x1' });
    }
    for (const timeout of [-1, 1.5, '5000'])
      expect((await world.rpc('eth_sendRawTransactionSync', '0x', timeout)).error?.code).toBe(-32602);
  });
});

describe('eth_createAccessList and block overrides', () => {
  test('lists the slots that a call touches, also when it reverts', async () => {
    await world.get('eth_sendTransaction', { from: dev, data: deploying(STORE_AND_LOG), gas: '0xf4240' });
    await world.get('eth_sendTransaction', { from: dev, data: deploying(REVERTER), gas: '0xf4240' });
    await world.get('eth_sendTransaction', { from: dev, data: deploying(BLOCKHASH_OF), gas: '0xf4240' });
    await world.commit();
    const receipts = await world.get('eth_getBlockReceipts', 'latest');
    const [store, reverter, hashes] = receipts.map(
      ({ contractAddress }: { contractAddress: Hex }) => contractAddress,
    );
    const made = await world.get('eth_createAccessList', { from: dev, to: store, data: word(1) });
    expect(made.accessList).toEqual([{ address: store, storageKeys: [word(0)] }]);
    const call = { from: dev, to: store, data: word(1), accessList: made.accessList, gas: made.gasUsed };
    expect(await world.get('eth_call', call)).toBe('0x');
    expect(await world.get('eth_createAccessList', { from: dev, to: reverter })).toMatchObject({
      accessList: [],
      error: 'execution reverted',
    });
    const number = { number: '0x100' };
    const genesis = await world.get('eth_getBlockByNumber', '0x0', false);
    expect(await world.get('eth_call', { to: hashes, data: word(0) }, 'latest', {}, number)).toBe(
      genesis.hash,
    );
    const far = { number: '0x101' };
    expect(await world.get('eth_call', { to: hashes, data: word(0) }, 'latest', {}, far)).toBe(word(0));
  });
});
