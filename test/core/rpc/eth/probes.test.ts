/** What anvil and hardhat were recorded to answer alike, whatever their chain, this node answers alike too. */
import { beforeAll, expect, test } from 'vitest';
import { contractAddressOf } from '../../../../core/app/evm/execute.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { hex, to0xHex, toHex } from '../../../../core/lib/bytes.ts';
import { personalDigest } from '../../../../core/rpc/eth/personalMessage.ts';
import { EMPTY_ROOT } from '../../../../core/store/roots.ts';
import { type Any, vectors } from '../../codec/vectors.ts';
import { RpcWorld } from '../support/rpcWorld.ts';

interface Probe {
  readonly method?: string;
  readonly params?: readonly unknown[];
  readonly body: { readonly result?: unknown };
}
const probes = (name: string): readonly Probe[] => vectors(`evm/${name}.json`).items;

/** Of the chain they ran on, not of the protocol. */
const OF_THE_CHAIN = [
  'net_version',
  'eth_chainId',
  'eth_maxPriorityFeePerGas',
  'eth_blobBaseFee',
  'eth_getLogs',
];

const nameOf = ({ method, params }: Probe): string => `${method} ${JSON.stringify(params)}`;
const others = new Map(probes('probe_hardhat').map((one) => [nameOf(one), one.body.result]));
const agreed = probes('probe_anvil').filter(
  (one) =>
    one.method !== undefined &&
    one.body.result !== undefined &&
    !OF_THE_CHAIN.includes(one.method) &&
    JSON.stringify(others.get(nameOf(one))) === JSON.stringify(one.body.result),
);

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
  await world.commit();
});

test.each(agreed.map((one) => [nameOf(one), one] as const))(
  '%s',
  async (_, { method = '', params = [], body }) => {
    expect(await world.get(method, ...params)).toEqual(body.result);
  },
);

test('the recordings agree on enough to be worth asking', () => {
  expect(agreed.length).toBeGreaterThanOrEqual(7);
});

test('the remaining constants of Ethereum are ours', () => {
  const constants: Any = vectors('evm/constants.json');
  expect(toHex(EMPTY_ROOT)).toBe(constants.empty_trie_root);
  const { sender, nonce0, nonce1 } = constants.create_address_example;
  for (const [nonce, address] of [
    [0n, nonce0],
    [1n, nonce1],
  ] as const)
    expect(to0xHex(contractAddressOf(hex(sender.slice(2).toLowerCase()), nonce, nobleSuite))).toBe(
      address.toLowerCase(),
    );
  const { message, hash } = constants.eip191_hello;
  expect(to0xHex(personalDigest(new TextEncoder().encode(message), nobleSuite))).toBe(hash);
  const selector = (text: string): string =>
    toHex(nobleSuite.keccak256(new TextEncoder().encode(text))).slice(0, 8);
  expect(selector('Error(string)')).toBe(constants.error_string_selector);
  expect(selector('Panic(uint256)')).toBe(constants.panic_selector);
});
