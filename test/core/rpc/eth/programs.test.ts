/**
 * Random contracts, traced and called as geth does it. The answers of test/vectors/evm/geth_programs.json are those of a
 * geth whose genesis has only funded strangers and the system contracts of Prague: the programs bring their accounts and
 * their block along; those of geth_programs_forks.json are of genesis files with older forks. To look into a difference, ask both nodes what `askedOf` says.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { ForkName } from '../../../../core/types/fork.ts';
import { testGenesis } from '../../app/support/chain.ts';
import { RpcWorld } from '../support/rpcWorld.ts';
import { askedOf, digestOf } from './support/askedOfPrograms.ts';

type Cases = Readonly<Record<string, Readonly<Record<string, string>>>>;
const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../vectors/evm/${name}.json`, import.meta.url), 'utf8'));
const { cases } = read('geth_programs') as { readonly cases: Cases };
const { forks } = read('geth_programs_forks') as { readonly forks: Readonly<Record<string, Cases>> };

async function toldOf(world: RpcWorld, seed: string): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const { name, method, params } of askedOf(Number(seed))) {
    const { result, error } = await world.rpc(method, ...params);
    told[name] = digestOf(error ?? result);
  }
  return told;
}

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
});

test.each(Object.entries(cases))('program %s runs, fails and is traced as in geth', async (seed, wanted) => {
  expect(await toldOf(world, seed)).toEqual(wanted);
});

test.each(Object.entries(forks))('programs under %s, too', async (fork, ofFork) => {
  const older = await RpcWorld.openOn(testGenesis({ accounts: [], fork: fork as ForkName }));
  for (const [seed, wanted] of Object.entries(ofFork))
    expect(await toldOf(older, seed), `program ${seed}`).toEqual(wanted);
});

const CONTRACT = `0x${'ab'.repeat(20)}`;

test('what an instruction lacks on the stack is counted before it takes anything', async () => {
  const texts = new Set<string>();
  for (let opcode = 0; opcode < 256; opcode++)
    for (const items of [0, 1, 2, 5]) {
      const code = `0x${'5f'.repeat(items)}${opcode.toString(16).padStart(2, '0')}`;
      const params = [{ to: CONTRACT, gas: '0x7530' }, 'latest', { [CONTRACT]: { code } }];
      const { error } = await world.rpc('eth_call', ...params);
      const text = error?.message ?? '';
      if (!text.startsWith('stack underflow')) continue;
      expect(text).toMatch(new RegExp(`^stack underflow \\(${items} <=> \\d+\\)$`));
      texts.add(text);
    }
  expect(texts.size).toBeGreaterThan(50);
});

test('a call asks for the price of a cold account before it asks how much memory it names', async () => {
  const strange = 'cc'.repeat(20);
  const code = `0x5f5f650fffffffff005f5f73${strange}5af100`;
  const told = async (gas: number) => {
    const params = [{ to: CONTRACT, gas: `0x${gas.toString(16)}` }, 'latest', { [CONTRACT]: { code } }];
    return (await world.rpc('eth_call', ...params)).error?.message;
  };
  expect([await told(21_050), await told(22_030), await told(23_700)]).toEqual([
    'out of gas',
    'out of gas: out of gas',
    'out of gas: gas uint64 overflow',
  ]);
});

test('memory beyond all numbers is out of gas where not even the constant gas of the instruction is left', async () => {
  const word = `7f${'ff'.repeat(32)}`;
  // KECCAK256, CALLDATACOPY, EXTCODECOPY, MLOAD, MCOPY, CREATE and STATICCALL, with the constant gas of each.
  const cases: readonly [opcode: string, operands: number, constant: number][] = [
    ['20', 2, 30],
    ['37', 3, 3],
    ['3c', 4, 100],
    ['51', 1, 3],
    ['5e', 3, 3],
    ['f0', 3, 32_000],
    ['fa', 6, 100],
  ];
  for (const [opcode, operands, constant] of cases) {
    const code = `0x${word.repeat(operands)}${opcode}`;
    const told = async (left: number) => {
      const gas = `0x${(21_000 + 3 * operands + left).toString(16)}`;
      return (await world.rpc('eth_call', { to: CONTRACT, gas }, 'latest', { [CONTRACT]: { code } })).error
        ?.message;
    };
    expect([opcode, await told(constant - 1), await told(constant)]).toEqual([
      opcode,
      'out of gas',
      'gas uint64 overflow',
    ]);
  }
});

test('a self-destruction asks for the price of a cold account before that of a new one', async () => {
  const code = `0x73${'cc'.repeat(20)}ff`;
  const told = async (left: number) => {
    const gas = `0x${(21_003 + left).toString(16)}`;
    const overrides = { [CONTRACT]: { code, balance: '0x1' } };
    return (await world.rpc('eth_call', { to: CONTRACT, gas }, 'latest', overrides)).error?.message;
  };
  expect([
    await told(4999),
    await told(5000),
    await told(7599),
    await told(7600),
    await told(32_599),
  ]).toEqual(['out of gas', 'out of gas: out of gas', 'out of gas: out of gas', 'out of gas', 'out of gas']);
  expect(await told(32_600)).toBeUndefined();
});
