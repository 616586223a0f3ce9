/** What the explorer's page asks of the node. */
import { beforeAll, expect, test } from 'vitest';
import { toEip55 } from '../../../core/address/eip55.ts';
import { formatAddress } from '../../../core/address/kinds.ts';
import { txHash } from '../../../core/codec/hashes.ts';
import { hex, toUpperHex } from '../../../core/lib/bytes.ts';
import { answerExplorer } from '../../../core/rpc/explorer/api.ts';
import { VALIDATOR } from '../app/support/chain.ts';
import { deploying, STORE_AND_LOG } from '../app/support/code.ts';
import { bech32, cosmosTx, FEE, GAS, sendMessage } from '../app/support/cosmosTx.ts';
import { bytesHex, type Loose, RpcWorld } from './support/rpcWorld.ts';

let world: RpcWorld;
let transfer: string;
let creation: string;
let payment: Uint8Array;
beforeAll(async () => {
  world = await RpcWorld.open();
  const [from, to] = [bytesHex(world.dev.address), bytesHex(world.other.address)];
  transfer = await world.get('eth_sendTransaction', { from, to, value: '0x5' });
  await world.commit();
  const data = deploying(STORE_AND_LOG);
  creation = await world.get('eth_sendTransaction', { from, data, gas: '0xf4240' });
  payment = cosmosTx({
    messages: [sendMessage(world.dev.address, world.other.address, 7n)],
    data: { sequence: 2n },
  });
  await world.ctx.submit(payment);
  await world.commit();
  await world.commit();
});

const ask = async (name: string, q?: string): Promise<readonly [number, Loose]> => {
  const { status, body } = await answerExplorer(
    world.ctx,
    name,
    q === undefined ? '' : `q=${encodeURIComponent(q)}`,
  );
  return [status, JSON.parse(body)];
};
const find = async (q: string): Promise<Loose> => (await ask('find', q))[1];
const NONE = { kind: 'none' };

test('says what the chain is', async () => {
  expect(await ask('chain')).toEqual([
    200,
    {
      chainId: 'chain_9000-1',
      head: 3,
      evmChainId: '9000',
      denom: 'achain',
      moniker: 'tester',
      version: '0.1.0',
    },
  ]);
});

test('a number is a block that is there', async () => {
  expect(await find('1')).toEqual({ kind: 'block', height: 1 });
  expect(await find(' 3 ')).toEqual({ kind: 'block', height: 3 });
  for (const text of ['0', '4', '9999999999999999', '-1', '']) expect(await find(text)).toEqual(NONE);
});

test('a hash is a block by either of its hashes, or a transaction by either of its', async () => {
  const { chain } = world.ctx;
  for (const hash of [chain.blockMeta(2)?.blockId.hash, chain.ethBlock(2)?.hash])
    expect(await find(bytesHex(hash as Uint8Array))).toEqual({ kind: 'block', height: 2 });
  expect(await find(bytesHex(chain.ethBlock(0)?.hash as Uint8Array))).toEqual(NONE);
  const consensus = txHash(chain.block(1)?.txs[0] as Uint8Array);
  for (const hash of [hex(transfer.slice(2)), consensus, txHash(payment)])
    expect(await find(toUpperHex(hash))).toEqual({ kind: 'tx', hash: toUpperHex(hash) });
  expect(await find(`0x${'00'.repeat(32)}`)).toEqual(NONE);
});

test('an address in any form is an account', async () => {
  const address = toEip55(world.other.address);
  for (const text of [address, address.toLowerCase(), bech32(world.other.address)])
    expect(await find(text)).toEqual({ kind: 'account', address });
  expect(await find(formatAddress('cons', 'chain', VALIDATOR))).toEqual({
    kind: 'account',
    address: toEip55(VALIDATOR),
  });
  expect(await find('<b>nobody</b>')).toEqual(NONE);
});

test('an account has both names, what it owns and what it has sent', async () => {
  const { other, ctx } = world;
  expect(await ask('account', bech32(other.address))).toEqual([
    200,
    {
      hex: toEip55(other.address),
      bech32: bech32(other.address),
      height: 3,
      balance: String(ctx.chain.latest().account(other.address)?.balance),
      nonce: '0',
      codeBytes: 0,
      denom: 'achain',
    },
  ]);
  expect((await ask('account', toEip55(world.dev.address)))[1].nonce).toBe('3');
  const { contractAddress } = await world.get('eth_getTransactionReceipt', creation);
  expect((await ask('account', contractAddress))[1]).toMatchObject({
    nonce: '1',
    balance: '0',
    codeBytes: ctx.chain.latest().code(hex(contractAddress.slice(2))).length,
  });
  expect((await ask('account', `0x${'77'.repeat(20)}`))[1]).toMatchObject({ balance: '0', nonce: '0' });
  expect(await ask('account', 'nobody')).toMatchObject([400, { error: expect.any(String) }]);
});

test('a transaction by either hash, with its Ethereum half', async () => {
  const bytes = world.ctx.chain.block(1)?.txs[0] as Uint8Array;
  const [status, shown] = await ask('tx', transfer);
  expect(status).toBe(200);
  expect(await ask('tx', toUpperHex(txHash(bytes)))).toEqual([200, shown]);
  expect(shown).toMatchObject({
    hash: toUpperHex(txHash(bytes)),
    height: 1,
    index: 0,
    bytes: bytes.length,
    code: 0,
    log: '',
    gasUsed: '21000',
    gasWanted: '21000',
    ethereum: {
      hash: transfer,
      type: 2,
      from: { hex: toEip55(world.dev.address), bech32: bech32(world.dev.address) },
      to: { hex: toEip55(world.other.address), bech32: bech32(world.other.address) },
      value: '5',
      nonce: '0',
      data: '0x',
      dataBytes: 0,
    },
  });
  expect(shown.events.map(({ type }: Loose) => type)).toContain('ethereum_tx');
  const data = deploying(STORE_AND_LOG);
  expect((await ask('tx', creation))[1]).toMatchObject({
    height: 2,
    index: 0,
    gasWanted: '1000000',
    ethereum: { to: null, value: '0', nonce: '1', data, dataBytes: data.length / 2 - 1 },
  });
});

test('a bank transaction has no Ethereum half', async () => {
  const [, shown] = await ask('tx', toUpperHex(txHash(payment)));
  expect(shown).toMatchObject({ height: 2, index: 1, code: 0, gasWanted: String(GAS), ethereum: null });
  expect(Number(shown.gasUsed)).toBeLessThan(Number(GAS));
  expect(JSON.stringify(shown.events)).toContain(`"${FEE}achain"`);
});

test('unknown, too long and malformed requests', async () => {
  expect(await ask('tx', `0x${'00'.repeat(32)}`)).toEqual([404, { error: 'transaction not found' }]);
  expect(await ask('tx', 'nothing')).toEqual([404, { error: 'transaction not found' }]);
  expect(await ask('find', 'a'.repeat(257))).toEqual([400, { error: 'too long' }]);
  expect(await ask('find', 'a'.repeat(256))).toEqual([200, NONE]);
  expect(await ask('nothing')).toEqual([404, { error: 'no such question' }]);
  expect(await find('%zz')).toEqual(NONE);
});
