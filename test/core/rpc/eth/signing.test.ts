import {
  concat,
  type Hex,
  type hashTypedData,
  keccak256,
  parseTransaction,
  recoverAddress,
  recoverMessageAddress,
  recoverTransactionAddress,
  recoverTypedDataAddress,
  toHex,
} from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { BLOCKHASH_OF, deploying, REVERTER, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { GWEI, signRaw } from '../../app/support/wallet.ts';
import { bytesHex, RpcWorld, readerWith } from '../support/rpcWorld.ts';

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

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

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

  test('eth_signTypedData names the types that a type refers to in order, and hashes a domain alone', async () => {
    const types = {
      EIP712Domain: MAIL.types.EIP712Domain,
      Zoo: [
        { name: 'last', type: 'Cat[]' },
        { name: 'first', type: 'Ant' },
        { name: 'whom', type: 'address' },
      ],
      Cat: [{ name: 'bee', type: 'Bee' }],
      Ant: [{ name: 'legs', type: 'uint8' }],
      Bee: [{ name: 'wings', type: 'int8' }],
    };
    const [domain, whom] = [MAIL.domain, `0x${'cd'.repeat(20)}`];
    const message = {
      last: [{ bee: { wings: -128 } }, { bee: { wings: 127 } }],
      first: { legs: 255 },
      whom,
    };
    for (const data of [
      { types, domain, primaryType: 'Zoo', message },
      { types, domain, primaryType: 'EIP712Domain', message: {} },
    ]) {
      const signature = await world.get('eth_signTypedData_v4', dev, data);
      expect((await recoverTypedDataAddress({ ...data, signature } as never)).toLowerCase()).toBe(dev);
    }
  });

  test('eth_signTypedData takes a struct that is not there as zeros, so that a type may hold itself', async () => {
    const types = {
      EIP712Domain: [],
      Node: [
        { name: 'value', type: 'uint256' },
        { name: 'next', type: 'Node' },
      ],
    };
    const data = { types, domain: {}, primaryType: 'Node', message: { value: 1, next: null } };
    // keccak256("Node(uint256 value,Node next)") ‖ 1 ‖ 0, as MetaMask has it.
    const struct = keccak256(concat([keccak256(toHex('Node(uint256 value,Node next)')), word(1), word(0)]));
    const hash = keccak256(concat(['0x1901', keccak256(keccak256(toHex('EIP712Domain()'))), struct]));
    const signature = await world.get('eth_signTypedData', dev, data);
    expect((await recoverAddress({ hash, signature })).toLowerCase()).toBe(dev);
  });

  test.each([
    ['uint8', 256, 'integer out of range of uint8'],
    ['uint8', -1, 'integer out of range of uint8'],
    ['int8', 128, 'integer out of range of int8'],
    ['int8', -129, 'integer out of range of int8'],
    ['uint256', '1.5', 'uint256 wants an integer'],
    ['bool', 'true', 'bool wants a boolean'],
    ['string', 7, 'string wants a string'],
    ['bytes', 'dead', 'bytes wants hex'],
    ['bytes33', `0x${'00'.repeat(33)}`, 'bytes33 wants 33 bytes'],
    ['bytes4', '0x0102030405', 'bytes4 wants 4 bytes'],
    ['address', `0x${'00'.repeat(21)}`, 'address wants 20 bytes'],
    ['uint8[2]', [1], 'uint8[2] wants an array'],
    ['uint8[2]', [1, 2, 3], 'uint8[2] wants an array'],
    ['uint8[]', 1, 'uint8[] wants an array'],
    [`uint8${'[]'.repeat(40)}`, nested(40), 'typed data too deep'],
    ['Foreign', {}, 'unknown type "Foreign"'],
  ])('eth_signTypedData: a %s is not %o', async (type, value, message) => {
    const types = { EIP712Domain: [], One: [{ name: 'it', type }] };
    const data = { types, domain: {}, primaryType: 'One', message: { it: value } };
    expect((await world.rpc('eth_signTypedData', dev, data)).error).toEqual({
      code: -32602,
      message: `invalid argument 1: ${message}`,
    });
  });

  test.each(['EIP712Domain', 'One'])('eth_signTypedData wants %s among the types', async (missing) => {
    const types = Object.fromEntries(
      ['EIP712Domain', 'One'].filter((name) => name !== missing).map((name) => [name, []]),
    );
    const { error } = await world.rpc('eth_signTypedData', dev, {
      types,
      domain: {},
      primaryType: 'One',
      message: {},
    });
    expect(error?.message).toBe(`invalid argument 1: type "${missing}" is not defined`);
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

  test('eth_signTransaction requires a nonce and fees, and refuses a fee above the cap', async () => {
    const args = { from: dev, to: other, gas: '0x5208', nonce: '0x7' };
    const refusal = async (more: object) =>
      (await world.rpc('eth_signTransaction', { ...args, ...more })).error?.message;
    const missing = 'missing gasPrice or maxFeePerGas/maxPriorityFeePerGas';
    expect(await refusal({})).toBe(missing);
    expect(await refusal({ maxFeePerGas: '0x1' })).toBe(missing);
    expect(await refusal({ maxPriorityFeePerGas: '0x1' })).toBe(missing);
    expect(await refusal({ nonce: null, gasPrice: '0x1' })).toBe('nonce not specified');
    // A fee of 1.005 coins: what a coin costs is the cap.
    const price = (1_005_000_000_000_000_000n / 21_000n + 1n).toString(16);
    expect(await refusal({ gasPrice: `0x${price}` })).toBe(
      'tx fee (1.01 ether) exceeds the configured cap (1.00 ether)',
    );
    expect(await refusal({ gasPrice: `0x${(1_000_000_000_000_000_000n / 21_000n).toString(16)}` })).toBe(
      undefined,
    );
    const allowed = 2_000_000_000_000n;
    expect(await refusal({ maxFeePerGas: `0x${allowed.toString(16)}`, maxPriorityFeePerGas: '0x1' })).toBe(
      undefined,
    );
  });

  test('eth_signTransaction signs nothing that is longer than a transaction may be', async () => {
    const args = { from: dev, to: other, gas: '0x5208', nonce: '0x7', gasPrice: '0x1' };
    const { error } = await world.rpc('eth_signTransaction', { ...args, data: `0x${'00'.repeat(131_072)}` });
    expect(error).toEqual({
      code: -32000,
      message: expect.stringMatching(/^oversized data: transaction size 1311[0-9]{2}, limit 131072$/),
    });
  });

  test('eth_fillTransaction fills nonce, gas and fees', async () => {
    const { raw, tx } = await world.get('eth_fillTransaction', { from: dev, to: other, value: '0x1' });
    expect(tx).toMatchObject({ type: '0x2', gas: '0x5208', nonce: '0x0', to: other, chainId: '0x2328' });
    expect(parseTransaction(raw)).toMatchObject({ type: 'eip1559', gas: 21000n, to: other });
  });

  test('before London fees are filled in as a gas price, and caps are refused', async () => {
    const ctx = { ...world.ctx, chain: readerWith(world.ctx.chain, { fork: 'berlin' }) };
    const fill = async (fees: object) => {
      const params = [{ from: dev, to: other, ...fees }];
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_fillTransaction', params });
      return JSON.parse(String(await handleEthRequest(ctx, body, 'http')));
    };
    const { result } = await fill({});
    expect(result.tx).toMatchObject({ type: '0x0', gasPrice: await world.get('eth_gasPrice') });
    expect((await fill({ maxFeePerGas: '0x77359400' })).error.message).toBe(
      'maxFeePerGas and maxPriorityFeePerGas are not valid before London is active',
    );
  });

  test('a fee of zero is refused where fees are filled in', async () => {
    const refusal = async (fees: object) =>
      (await world.rpc('eth_createAccessList', { from: dev, to: other, ...fees })).error?.message;
    expect(await refusal({ gasPrice: '0x0' })).toBe('gasPrice must be non-zero after london fork');
    expect(await refusal({ maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' })).toBe(
      'maxFeePerGas must be non-zero',
    );
  });

  test('a list for what cannot be run names the transaction by its hash', async () => {
    const call = { to: other, gas: '0x4e20' };
    expect((await world.rpc('eth_createAccessList', call)).error?.message).toMatch(
      /^failed to apply transaction: 0x[0-9a-f]{64} err: intrinsic gas too low: have 20000, want 21000$/,
    );
  });

  test('an account with nothing cannot pay for gas that costs something', async () => {
    const call = { from: `0x${'ba'.repeat(20)}`, to: other, gasPrice: '0x77359400' };
    expect((await world.rpc('eth_estimateGas', call)).error).toEqual({
      code: -32000,
      message: 'insufficient funds for transfer',
    });
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
    // Of others nothing, though it could be executed.
    const foreign = await signRaw(world.other, { nonce: 0, to: dev, value: 1n, gas: 21_000n });
    await world.get('eth_sendRawTransaction', bytesHex(foreign));
    expect(await world.get('eth_pendingTransactions')).toMatchObject([{ from: dev, nonce: '0x0' }]);
    const args = { from: dev, to: other, value: '0x6', nonce: '0x0' };
    const replaced = await world.get('eth_resend', args, `0x${(20n * GWEI).toString(16)}`);
    expect(await world.get('eth_pendingTransactions')).toMatchObject([{ hash: replaced, value: '0x6' }]);
    const price = (amount: bigint): string => `0x${(amount * GWEI).toString(16)}`;
    const wider = await world.get('eth_resend', args, price(40n), '0xc350');
    expect(await world.get('eth_pendingTransactions')).toMatchObject([
      { hash: wider, gas: '0xc350', type: '0x0', gasPrice: price(40n) },
    ]);
    // Neither a price nor a limit of zero is one, and a price is said once.
    const dearer = { ...args, maxFeePerGas: price(50n), maxPriorityFeePerGas: price(50n) };
    const again = await world.get('eth_resend', dearer, '0x0', '0x0');
    expect(await world.get('eth_pendingTransactions')).toMatchObject([
      { hash: again, gas: '0x5208', type: '0x2' },
    ]);
    const last = await world.get('eth_resend', dearer, price(60n));
    expect(await world.get('eth_pendingTransactions')).toMatchObject([{ hash: last, type: '0x0' }]);
    const { nonce: _, ...nameless } = args;
    expect((await world.rpc('eth_resend', nameless, price(70n))).error?.message).toBe(
      'missing transaction nonce in transaction spec',
    );
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

  test('takes the timeout as EIP-7966 writes it, a number, and as geth once did, a quantity', async () => {
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
    // Of whoever is warm anyway, and of precompiles, only what is touched stays of a list that came with the call.
    const given = [store, dev, `0x${'00'.repeat(19)}04`].map((address) => ({
      address,
      storageKeys: [word(7)],
    }));
    const kept = { address: `0x${'ee'.repeat(20)}`, storageKeys: [word(7)] };
    const cleared = { from: dev, to: store, data: word(1), accessList: [...given, kept] };
    expect((await world.get('eth_createAccessList', cleared)).accessList).toEqual([
      { address: store, storageKeys: [word(0)] },
      kept,
    ]);
    const number = { number: '0x100' };
    const genesis = await world.get('eth_getBlockByNumber', '0x0', false);
    expect(await world.get('eth_call', { to: hashes, data: word(0) }, 'latest', {}, number)).toBe(
      genesis.hash,
    );
    const far = { number: '0x101' };
    expect(await world.get('eth_call', { to: hashes, data: word(0) }, 'latest', {}, far)).toBe(word(0));
  });
});

describe('fees that a request leaves out', () => {
  test('one fee named brings the others along before the gas is estimated', async () => {
    const call = { from: dev, to: other, data: '0x01', maxPriorityFeePerGas: '0x1' };
    const { tx } = await world.get('eth_fillTransaction', call);
    // The base fee falls, and the cap also covers the last block, in which calls run.
    const { baseFeePerGas } = await world.get('eth_getBlockByNumber', 'latest', false);
    const [last, next] = [baseFeePerGas, await world.get('eth_baseFee')].map(BigInt) as [bigint, bigint];
    expect(last).toBeGreaterThan(next);
    expect(tx).toMatchObject({
      maxPriorityFeePerGas: '0x1',
      maxFeePerGas: `0x${(2n * last + 1n).toString(16)}`,
    });
    const hash = await world.get('eth_sendTransaction', call);
    await world.commit();
    expect((await world.get('eth_getTransactionReceipt', hash)).status).toBe('0x1');
    expect(await world.get('eth_createAccessList', call)).toMatchObject({ accessList: [] });
  });
});
