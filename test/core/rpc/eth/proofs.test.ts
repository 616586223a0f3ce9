import { verifyMerkleProof } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { type Hex, hexToBytes, keccak256 } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { CODES } from '../../../../core/rpc/rpcError.ts';
import { deploying, STORE_AND_LOG, word } from '../../app/support/code.ts';
import { signRaw } from '../../app/support/wallet.ts';
import { bytesHex, type Loose, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
let contract: string;
let callHash: string;

async function send(fields: Record<string, unknown>): Promise<string> {
  const nonce = Number(await world.get('eth_getTransactionCount', bytesHex(world.dev.address), 'pending'));
  const raw = await signRaw(world.dev, { nonce, ...fields });
  const hash = await world.get('eth_sendRawTransaction', bytesHex(raw));
  await world.commit();
  return hash;
}

beforeAll(async () => {
  world = await RpcWorld.open();
  const hash = await send({ data: deploying(STORE_AND_LOG), gas: 1_000_000n });
  contract = (await world.get('eth_getTransactionReceipt', hash)).contractAddress;
  callHash = await send({ to: contract, data: word(0x1234), gas: 200_000n });
});

/** What a light client does: walk from the root of a header that it trusts. */
const proven = async (root: Hex, key: Hex, proof: readonly Hex[]): Promise<Loose> => {
  const value = await verifyMerkleProof(
    hexToBytes(keccak256(key)),
    proof.map((node) => hexToBytes(node)),
    { root: hexToBytes(root), useKeyHashing: false },
  );
  return value === null ? null : RLP.decode(value);
};

test("eth_getProof verifies against the header's stateRoot, account and slot", async () => {
  const { stateRoot } = await world.get('eth_getBlockByNumber', 'latest', false);
  const proof = await world.get('eth_getProof', contract, ['0x0', word(7)], 'latest');
  const account = await proven(stateRoot, contract as Hex, proof.accountProof);
  expect(bytesHex(account[2])).toBe(proof.storageHash);
  expect(bytesHex(account[3])).toBe(proof.codeHash);
  expect(proof.codeHash).toBe(keccak256(`0x${STORE_AND_LOG}`));
  const [set, unset] = proof.storageProof;
  expect(set).toMatchObject({ key: '0x0', value: '0x1234' });
  expect(bytesHex(await proven(proof.storageHash, word(0), set.proof))).toBe('0x1234');
  expect(unset).toMatchObject({ key: word(7), value: '0x0' });
  expect(await proven(proof.storageHash, word(7), unset.proof)).toBeNull();
});

test('eth_getProof proves that an account does not exist', async () => {
  const nobody = `0x${'5e'.repeat(20)}` as Hex;
  const { stateRoot } = await world.get('eth_getBlockByNumber', 'latest', false);
  const proof = await world.get('eth_getProof', nobody, [], 'latest');
  expect(proof).toMatchObject({ balance: '0x0', nonce: '0x0', codeHash: word(0), storageHash: word(0) });
  expect(await proven(stateRoot, nobody, proof.accountProof)).toBeNull();
});

test('eth_getProof of an older block proves the older value', async () => {
  const proof = await world.get('eth_getProof', contract, ['0x0'], '0x1');
  expect(proof.storageProof).toEqual([{ key: '0x0', value: '0x0', proof: [] }]);
});

test('eth_getStorageValues reads many slots, and refuses none and too many', async () => {
  expect(await world.get('eth_getStorageValues', { [contract]: [word(0), word(1)] })).toEqual({
    [contract]: [word(0x1234), word(0)],
  });
  expect((await world.rpc('eth_getStorageValues', {})).error).toEqual({
    code: -32602,
    message: 'empty request',
  });
  const many = Array.from({ length: 1025 }, (_, i) => word(i));
  expect((await world.rpc('eth_getStorageValues', { [contract]: many })).error).toEqual({
    code: CODES.clientLimit,
    message: 'too many slots (max 1024)',
  });
});

test('raw bytes hash to the hashes that blocks and transactions are known by', async () => {
  const block = await world.get('eth_getBlockByNumber', 'latest', false);
  const raw: Hex = await world.get('eth_getRawTransactionByHash', callHash);
  expect(keccak256(raw)).toBe(callHash);
  expect(await world.get('debug_getRawTransaction', callHash)).toBe(raw);
  expect(await world.get('eth_getRawTransactionByBlockNumberAndIndex', 'latest', '0x0')).toBe(raw);
  expect(await world.get('eth_getRawTransactionByBlockHashAndIndex', block.hash, '0x1')).toBe('0x');
  expect(await world.get('eth_getRawTransactionByHash', word(1))).toBe('0x');
  expect(keccak256(await world.get('debug_getRawHeader', 'latest'))).toBe(block.hash);
  const rlp = RLP.decode(hexToBytes(await world.get('debug_getRawBlock', 'latest'))) as Loose;
  expect(keccak256(RLP.encode(rlp[0]))).toBe(block.hash);
  expect(rlp[1].map((tx: Uint8Array) => bytesHex(tx))).toEqual([raw]);
  expect(await world.get('debug_getRawReceipts', 'latest')).toHaveLength(1);
  expect((await world.rpc('debug_getRawBlock', '0x9999')).error?.message).toBe('block #39321 not found');
});

test.each([
  ['berlin', 9],
  ['cancun', 10],
  ['prague', 17],
  ['osaka', 18],
] as const)('under the rules of %s there are %i precompiles', async (fork, count) => {
  const chain = new Proxy(world.ctx.chain, {
    get: (reader, name) => {
      const value: unknown = name === 'fork' ? fork : Reflect.get(reader, name);
      return typeof value === 'function' ? value.bind(reader) : value;
    },
  });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_config', params: [] });
  const answer = (await handleEthRequest({ ...world.ctx, chain }, body, 'http')) ?? 'null';
  expect(Object.keys(JSON.parse(answer).result.current.precompiles)).toHaveLength(count);
});

test('eth_config, eth_capabilities, eth_blobBaseFee and eth_coinbase describe the chain', async () => {
  const { current, next, last } = await world.get('eth_config');
  expect({ next, last }).toEqual({ next: null, last: null });
  expect(current).toMatchObject({ chainId: '0x2328', precompiles: { ECREC: `0x${'0'.repeat(39)}1` } });
  expect(current.precompiles.P256VERIFY).toBe('0x0000000000000000000000000000000000000100');
  const head = await world.get('eth_getBlockByNumber', 'latest', false);
  expect(await world.get('eth_capabilities')).toMatchObject({
    head: { number: head.number, hash: head.hash },
    stateproofs: { disabled: false, oldestBlock: '0x0' },
  });
  expect(await world.get('eth_blobBaseFee')).toBe('0x1');
  expect(await world.get('eth_coinbase')).toBe(head.miner);
});
