/**
 * Random contracts, traced and called as geth does it. The answers of test/vectors/evm/geth_programs.json are those of a
 * geth whose genesis has only funded strangers and the system contracts of Prague: the programs bring their accounts and
 * their block along. To look into a difference, ask both nodes what `askedOf` says.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { RpcWorld } from '../support/rpcWorld.ts';
import { askedOf, digestOf } from './support/askedOfPrograms.ts';

type Digests = Readonly<Record<string, string>>;
const { cases } = JSON.parse(
  readFileSync(new URL('../../../vectors/evm/geth_programs.json', import.meta.url), 'utf8'),
) as { readonly cases: Readonly<Record<string, Digests>> };

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
});

test.each(Object.entries(cases))('program %s runs, fails and is traced as in geth', async (seed, wanted) => {
  const told: Record<string, string> = {};
  for (const { name, method, params } of askedOf(Number(seed))) {
    const { result, error } = await world.rpc(method, ...params);
    told[name] = digestOf(error ?? result);
  }
  expect(told).toEqual(wanted);
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
