import { getContractAddress } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import type { CallArgs, CallOutcome } from '../../../../core/app/chain.ts';
import { HISTORY_ADDRESS } from '../../../../core/app/evm/systemContracts.ts';
import { EMPTY, hex, toHex } from '../../../../core/lib/bytes.ts';
import { COIN, TestChain } from '../support/chain.ts';
import {
  BLOCKHASH_OF,
  CALLS_0A,
  CLEARER,
  deploying,
  LOOP,
  REVERTER,
  STORE_AND_LOG,
  word,
} from '../support/code.ts';
import { GWEI, signTx, wallet } from '../support/wallet.ts';

const alice = wallet(0);
const CODES = [STORE_AND_LOG, REVERTER, LOOP, BLOCKHASH_OF, CALLS_0A, CLEARER];
const contract = (nonce: number) =>
  hex(getContractAddress({ from: alice.account.address, nonce: BigInt(nonce) }));
const CAP = 50_000_000n;
let chain: TestChain;

beforeAll(async () => {
  chain = await TestChain.fresh([{ address: alice.address, balance: COIN }]);
  const deployments = CODES.map((code, nonce) =>
    signTx(alice, { data: deploying(code), nonce, gas: 200_000n }),
  );
  await chain.commit(await Promise.all(deployments));
  await chain.commit([
    await signTx(alice, {
      to: getContractAddress({ from: alice.account.address, nonce: 0n }),
      data: word(7),
      nonce: 6,
    }),
  ]);
  await chain.commit([]);
});

const args = (fields: Partial<CallArgs>): CallArgs => ({
  from: alice.address,
  to: undefined,
  gas: undefined,
  gasPrice: undefined,
  maxFeePerGas: undefined,
  maxPriorityFeePerGas: undefined,
  value: 0n,
  data: EMPTY,
  nonce: undefined,
  accessList: [],
  authorizationList: [],
  ...fields,
});
const call = (fields: Partial<CallArgs>) => chain.evm.call(chain.reader.latest(), args(fields));
const estimate = (fields: Partial<CallArgs>, cap = CAP) =>
  chain.evm.estimateGas(chain.reader.latest(), args(fields), cap);

test('a call returns, reverts with data, or fails in geth words, and changes nothing', async () => {
  const root = toHex(chain.reader.latest().stateRoot);
  expect((await call({ to: contract(0), data: hex(word(3)) })).kind).toBe('returned');
  expect(await call({ to: contract(1) })).toMatchObject({ kind: 'reverted', data: hex(word(42)) });
  expect(await call({ to: contract(2), gas: 100_000n })).toMatchObject({
    kind: 'failed',
    message: 'out of gas',
    gasUsed: 100_000n,
  });
  expect(toHex(chain.reader.latest().stateRoot)).toBe(root);
  expect(toHex(chain.reader.latest().storage(contract(0), new Uint8Array(32)))).toBe(word(7).slice(2));
});

test('a call that cannot be paid is refused as geth refuses it', async () => {
  const stranger = wallet(9);
  expect(await call({ from: stranger.address, to: alice.address, value: 1n, gas: 21_000n })).toEqual({
    kind: 'refused',
    message: `err: insufficient funds for gas * price + value: address ${stranger.account.address} have 0 want 1 (supplied gas 21000)`,
    reason: `insufficient funds for gas * price + value: address ${stranger.account.address} have 0 want 1`,
  });
  expect(await call({ to: alice.address, gas: 20_000n })).toEqual({
    kind: 'refused',
    message: 'err: intrinsic gas too low: have 20000, want 21000 (supplied gas 20000)',
    reason: 'intrinsic gas too low: have 20000, want 21000',
  });
  expect((await call({ to: alice.address, gasPrice: 1n, gas: 21_000n })).kind).toBe('refused');
});

test.each([
  ['CREATE', 'f0'],
  ['CREATE2', 'f5'],
])('%s of init code in the object format costs what any invalid instruction costs', async (_, opcode) => {
  const maker = new Uint8Array(20).fill(8);
  const gasOf = async (start: string, length = 2): Promise<bigint> => {
    const size = length.toString(16).padStart(6, '0');
    // MSTORE(0, start), and a creation with salt, length, offset and value on the stack.
    const code = hex(`0x7f${start.padEnd(64, '0')}600052600062${size}60006000${opcode}00`);
    const none = { balance: undefined, nonce: undefined, state: undefined, stateDiff: undefined };
    const overrides = new Map([[toHex(maker), { ...none, code }]]);
    const outcome = await chain.evm.call(chain.reader.latest(), args({ to: maker, gas: 200_000n }), {
      state: overrides,
    });
    return outcome.kind === 'refused' ? 0n : outcome.gasUsed;
  };
  expect(await gasOf('ef00')).toBe(await gasOf('ef01'));
  expect(await gasOf('ef00')).toBeGreaterThan(190_000n);
  expect(await gasOf('ef00')).toBeLessThan(200_000n);
  // EIP-3860: it is the frame that asks for too much that fails.
  expect(await gasOf('ef00', 49_152)).toBeLessThan(200_000n);
  expect(await gasOf('ef00', 49_153)).toBe(200_000n);
});

test('reverting init code returns its data and remaining gas, even if the data begins with 0xef', async () => {
  // MSTORE8(0, first), REVERT(0, 1).
  const reverting = (first: string): string => `60${first}60005360016000fd`;
  const made = (first: string): Promise<CallOutcome> => call({ to: undefined, data: hex(reverting(first)) });
  const plain = await made('ee');
  expect(plain).toMatchObject({ kind: 'reverted', data: hex('ee') });
  expect(await made('ef')).toEqual({ ...plain, data: hex('ef') });
  // The same from a contract, which returns what it heard.
  const maker = new Uint8Array(20).fill(8);
  const none = { balance: undefined, nonce: undefined, state: undefined, stateDiff: undefined };
  const heard = (first: string): Promise<CallOutcome> => {
    const code = hex(`69${reverting(first)}600052600a60166000f0503d600060003e3d6000f3`);
    return chain.evm.call(chain.reader.latest(), args({ to: maker, gas: 200_000n }), {
      state: new Map([[toHex(maker), { ...none, code }]]),
    });
  };
  const told = await heard('ee');
  expect(told).toMatchObject({ kind: 'returned', data: hex('ee') });
  expect(await heard('ef')).toEqual({ ...told, data: hex('ef') });
});

test('a creation that cannot pay for its code fails with that reason, unless the code is forbidden', async () => {
  // RETURN(0, 1000), of code that begins with `first`.
  const unpaid = (first: string) =>
    call({ to: undefined, gas: 100_000n, data: hex(`60${first}6000536103e86000f3`) });
  const failed = { kind: 'failed', gasUsed: 100_000n };
  expect(await unpaid('00')).toEqual({ ...failed, message: 'contract creation code storage out of gas' });
  expect(await unpaid('ef')).toEqual({ ...failed, message: 'invalid code: must not begin with 0xef' });
  // The init code's own gas.
  const endless = await call({ to: undefined, gas: 100_000n, data: hex('5b600056') });
  expect(endless).toEqual({ ...failed, message: 'out of gas' });
});

test('RETURNDATACOPY beyond the return data fails with that reason, unless the memory runs out of gas', async () => {
  // RETURNDATACOPY(0, offset, length).
  const copied = (length: string, offset = '00') =>
    call({ to: undefined, gas: 100_000n, data: hex(`62${length}60${offset}60003e`) });
  const outside = { kind: 'failed', message: 'return data out of bounds', gasUsed: 100_000n };
  expect(await copied('000001')).toEqual(outside);
  expect(await copied('000000', '01')).toEqual(outside);
  expect(await copied('100000')).toEqual({ ...outside, message: 'out of gas' });
  expect((await copied('000000')).kind).toBe('returned');
  // What BLAKE2F cannot read is another matter.
  const blake2f = hex('09'.padStart(40, '0'));
  expect(await call({ to: blake2f, gas: 100_000n, data: hex('01') })).toMatchObject({
    message: 'invalid input length',
  });
});

test('overrides give an account code, balance and storage for one call', async () => {
  const nobody = wallet(9).address;
  const none = {
    nonce: undefined,
    balance: undefined,
    code: undefined,
    state: undefined,
    stateDiff: undefined,
  };
  // SLOAD(0), return it.
  const reader = hex('60005460005260206000f3');
  const overrides = new Map([
    [`0x${toHex(nobody)}`, { ...none, code: reader, stateDiff: new Map([[word(0), hex(word(99))]]) }],
  ]);
  const outcome = await chain.evm.call(chain.reader.latest(), args({ to: nobody }), { state: overrides });
  expect(outcome).toMatchObject({ kind: 'returned', data: hex(word(99)) });
  const cleared = new Map([[toHex(contract(0)), { ...none, code: reader, state: new Map() }]]);
  expect(
    await chain.evm.call(chain.reader.latest(), args({ to: contract(0) }), { state: cleared }),
  ).toMatchObject({
    data: hex(word(0)),
  });
  const rich = new Map([[toHex(nobody), { ...none, balance: 5n }]]);
  expect(
    (
      await chain.evm.call(chain.reader.latest(), args({ from: nobody, to: alice.address, value: 5n }), {
        state: rich,
      })
    ).kind,
  ).toBe('returned');
});

test('the point-evaluation precompile fails its caller softly, never the machine', async () => {
  expect(await call({ to: contract(4) })).toMatchObject({ kind: 'returned', data: hex(word(0)) });
  const kzg = hex('000000000000000000000000000000000000000a');
  expect((await call({ to: kzg, gas: 100_000n })).kind).toBe('failed');
});

test('BLOCKHASH gives Ethereum hashes of the last 256 blocks and zero elsewhere', async () => {
  const hashOf = async (number: number) => {
    const outcome = await call({ to: contract(3), data: hex(word(number)) });
    return outcome.kind === 'returned' ? toHex(outcome.data) : outcome.kind;
  };
  expect(await hashOf(0)).toBe(toHex(chain.reader.ethBlock(0)?.hash as Uint8Array));
  expect(await hashOf(2)).toBe(toHex(chain.reader.ethBlock(2)?.hash as Uint8Array));
  expect(await hashOf(3)).toBe('00'.repeat(32));
});

test('EIP-2935: the history contract answers with the hash of a parent', async () => {
  const outcome = await call({ to: HISTORY_ADDRESS, data: hex(word(1)) });
  expect(outcome).toMatchObject({ kind: 'returned', data: chain.reader.ethBlock(1)?.hash });
  expect((await call({ to: HISTORY_ADDRESS, data: hex(word(3)) })).kind).toBe('reverted');
});

test('a plain transfer is estimated at exactly 21000', async () => {
  expect(await estimate({ to: wallet(3).address, value: 1n })).toEqual({ kind: 'gas', gas: 21_000n });
});

test('an estimate suffices to run and is close to the gas used', async () => {
  for (const fields of [
    { to: contract(0), data: hex(word(3)) },
    { to: contract(5) },
    { data: hex(deploying(STORE_AND_LOG)) },
  ]) {
    const found = await estimate(fields);
    if (found.kind !== 'gas') throw new Error(found.kind);
    const ran = await call({ ...fields, gas: found.gas });
    expect(ran.kind).toBe('returned');
  }
});

test('an estimate that cannot succeed says why', async () => {
  expect(await estimate({ to: contract(1) })).toMatchObject({ kind: 'reverted', data: hex(word(42)) });
  expect(await estimate({ to: contract(2) }, 200_000n)).toEqual({
    kind: 'refused',
    message: 'gas required exceeds allowance (200000)',
    reason: 'gas required exceeds allowance (200000)',
  });
  expect(await estimate({ to: wallet(3).address, value: 2n * COIN })).toMatchObject({ kind: 'refused' });
  expect(await estimate({ to: wallet(3).address, value: COIN, gasPrice: 5n * GWEI })).toMatchObject({
    kind: 'refused',
    message: 'insufficient funds for transfer',
  });
});
