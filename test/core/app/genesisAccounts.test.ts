import { expect, test } from 'vitest';
import { toEip55 } from '../../../core/address/eip55.ts';
import { formatAddress } from '../../../core/address/kinds.ts';
import { addGenesisAccounts, genesisBalance } from '../../../core/app/auth/genesisAccounts.ts';
import { defaultAppState } from '../../../core/app/defaultAppState.ts';
import { must } from './support/chain.ts';

const [alice, bob, carol] = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const text = (address: Uint8Array): string => formatAddress('acc', 'chain', address);
const coins = (amount: string, denom = 'achain') => [{ denom, amount }];
// biome-ignore lint/suspicious/noExplicitAny: the section is plain JSON.
type Loose = any;
const fresh = (): Loose => defaultAppState({ accounts: [{ address: alice, balance: 5n }] });
const add = (state: unknown, address: Uint8Array, given: ReturnType<typeof coins>, isAppend = false): Loose =>
  must(addGenesisAccounts(state, 'chain', [{ address, coins: given }], isAppend));
const numbersOf = (state: Loose): unknown =>
  state.auth.accounts.map(({ base_account: one }: Loose) => [one.address, one.account_number]);

test('accounts are numbered on, and their coins join the supply', () => {
  const state = fresh();
  // Somebody owns coins and has no account yet.
  state.bank.balances.push({ address: toEip55(carol), coins: coins('7') });
  state.bank.supply = coins('12');
  const more = add(state, bob, coins('30'));
  expect(numbersOf(more)).toEqual([
    [text(alice), '0'],
    [text(bob), '1'],
  ]);
  expect(more.bank.balances.at(-1)).toEqual({ address: text(bob), coins: coins('30') });
  expect(more.bank.supply).toEqual(coins('42'));
  expect([more.evm, more.bank.denom_metadata]).toEqual([state.evm, state.bank.denom_metadata]);
});

test('an address that has an account or a balance, in any form, is changed only with --append', () => {
  const state = fresh();
  state.bank.balances.push({ address: toEip55(carol), coins: coins('7') });
  for (const address of [alice, carol])
    expect(addGenesisAccounts(state, 'chain', [{ address, coins: coins('1') }], false)).toEqual({
      ok: false,
      error: {
        code: 'account-exists',
        message: `cannot add account at existing address ${text(address)}`,
      },
    });
  state.bank.balances = [];
  expect(addGenesisAccounts(state, 'chain', [{ address: alice, coins: [] }], false).ok).toBe(false);
});

test('with --append, coins are added by denomination, sorted, without zero amounts', () => {
  const once = add(fresh(), alice, coins('3'), true);
  expect(once.bank.balances).toEqual([{ address: text(alice), coins: coins('8') }]);
  const twice = add(once, alice, [...coins('2', 'zcoin'), ...coins('1', 'abc'), ...coins('0', 'none')], true);
  const owned = [...coins('1', 'abc'), ...coins('8'), ...coins('2', 'zcoin')];
  expect(twice.bank.balances).toEqual([{ address: text(alice), coins: owned }]);
  expect(twice.bank.supply).toEqual(owned);
  expect(numbersOf(twice)).toEqual([[text(alice), '0']]);
  const nothing = add(fresh(), bob, coins('0'));
  expect(nothing.bank.balances.at(-1)).toEqual({ address: text(bob), coins: [] });
  expect([alice, bob, carol].map((who) => genesisBalance(twice, 'chain', who, 'zcoin'))).toEqual([
    2n,
    undefined,
    undefined,
  ]);
  expect(genesisBalance(twice, 'chain', alice, 'other')).toBe(0n);
});

test('several accounts are added in order, all or none', () => {
  const two = [bob, carol].map((address) => ({ address, coins: coins('1') }));
  const state = must(addGenesisAccounts(fresh(), 'chain', two, false)) as Loose;
  expect(numbersOf(state)).toEqual([
    [text(alice), '0'],
    [text(bob), '1'],
    [text(carol), '2'],
  ]);
  expect(state.bank.supply).toEqual(coins('7'));
  const again = [...two, { address: bob, coins: coins('1') }];
  expect(addGenesisAccounts(fresh(), 'chain', again, false).ok).toBe(false);
  expect(addGenesisAccounts(null, 'chain', two, false)).toMatchObject({ error: { code: 'genesis-shape' } });
});
