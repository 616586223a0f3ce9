import { formatAddress, parseAnyAddress } from '../../address/kinds.ts';
import { type Bytes, to0xHex, toHex } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Address } from '../../types/ids.ts';
import { EMPTY_CODE_HASH } from '../evm/admission.ts';
import type { Coin } from '../tx/tables.ts';
import { TYPE_URL } from '../typeUrls.ts';

export interface NewAccount {
  readonly address: Address;
  /** Valid denoms, without duplicates. */
  readonly coins: readonly Coin[];
}

export interface GenesisAccountError {
  readonly code: 'account-exists' | 'genesis-shape';
  readonly message: string;
}

type Loose = Readonly<Record<string, unknown>>;

interface Balance {
  readonly address: string;
  readonly coins: readonly Coin[];
}

const listOf = <T>(section: Loose, name: string): readonly T[] =>
  Array.isArray(section[name]) ? (section[name] as readonly T[]) : [];

const sectionOf = (appState: Loose, name: string): Loose => (appState[name] ?? {}) as Loose;

/** Adds amounts by denom and drops zero amounts; denoms in ascending order. */
function added(a: readonly Coin[], b: readonly Coin[]): readonly Coin[] {
  const sums = new Map<string, bigint>();
  for (const { denom, amount } of [...a, ...b]) sums.set(denom, (sums.get(denom) ?? 0n) + BigInt(amount));
  return [...sums]
    .filter(([, amount]) => amount > 0n)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([denom, amount]) => ({ denom, amount: amount.toString() }));
}

/** Accounts and balances of an `app_state` by address, in whichever text form the file writes the address. */
class Book {
  readonly #hrp: string;
  readonly #accounts: unknown[];
  readonly #balances: Balance[];
  readonly #known = new Set<string>();
  readonly #balanceAt = new Map<string, number>();

  constructor(appState: Loose, hrp: string) {
    this.#hrp = hrp;
    this.#accounts = [...listOf<unknown>(sectionOf(appState, 'auth'), 'accounts')];
    this.#balances = [...listOf<Balance>(sectionOf(appState, 'bank'), 'balances')];
    for (const account of this.#accounts) {
      const { base_account: base, address } = account as { base_account?: Loose; address?: unknown };
      this.#note(String(base?.address ?? address), (key) => this.#known.add(key));
    }
    for (const [i, { address }] of this.#balances.entries())
      this.#note(address, (key) => this.#balanceAt.set(key, i));
  }

  #note(text: string, note: (key: string) => void): void {
    const parsed = parseAnyAddress(text, this.#hrp);
    if (parsed.ok) note(toHex(parsed.value.address));
  }

  has(address: Bytes): boolean {
    const key = toHex(address);
    return this.#known.has(key) || this.#balanceAt.has(key);
  }

  /** A new account gets the number after those of the accounts that are already listed. */
  add({ address, coins }: NewAccount): void {
    const key = toHex(address);
    const text = formatAddress('acc', this.#hrp, address);
    if (!this.#known.has(key)) {
      this.#known.add(key);
      this.#accounts.push({
        '@type': TYPE_URL.ethAccount,
        base_account: {
          address: text,
          pub_key: null,
          account_number: this.#accounts.length.toString(),
          sequence: '0',
        },
        code_hash: to0xHex(EMPTY_CODE_HASH),
      });
    }
    const at = this.#balanceAt.get(key);
    if (at === undefined) {
      this.#balanceAt.set(key, this.#balances.length);
      this.#balances.push({ address: text, coins: added([], coins) });
    } else {
      const before = this.#balances[at] as Balance;
      this.#balances[at] = { ...before, coins: added(before.coins, coins) };
    }
  }

  written(appState: Loose, coins: readonly Coin[]): Loose {
    const bank = sectionOf(appState, 'bank');
    return {
      ...appState,
      auth: { ...sectionOf(appState, 'auth'), accounts: this.#accounts },
      bank: { ...bank, balances: this.#balances, supply: added(listOf<Coin>(bank, 'supply'), coins) },
    };
  }
}

/**
 * Returns the `app_state` with more accounts: auth and bank entries, and their coins added to the supply. An existing
 * account is an error unless `isAppend`, which adds the coins to its balance. `appState` must have been checked before.
 */
export function addGenesisAccounts(
  appState: unknown,
  hrp: string,
  accounts: readonly NewAccount[],
  isAppend: boolean,
): Result<Loose, GenesisAccountError> {
  if (typeof appState !== 'object' || appState === null)
    return err({ code: 'genesis-shape', message: 'genesis has no app_state' });
  const book = new Book(appState as Loose, hrp);
  for (const account of accounts) {
    if (book.has(account.address) && !isAppend) {
      const address = formatAddress('acc', hrp, account.address);
      return err({ code: 'account-exists', message: `cannot add account at existing address ${address}` });
    }
    book.add(account);
  }
  return ok(
    book.written(
      appState as Loose,
      accounts.flatMap(({ coins }) => coins),
    ),
  );
}

/** The account's balance of a denom in a checked `app_state`; undefined if the account has no balance entry. */
export function genesisBalance(
  appState: unknown,
  hrp: string,
  address: Address,
  denom: string,
): bigint | undefined {
  for (const balance of listOf<Balance>(sectionOf((appState ?? {}) as Loose, 'bank'), 'balances')) {
    const parsed = parseAnyAddress(balance.address, hrp);
    if (!parsed.ok || toHex(parsed.value.address) !== toHex(address)) continue;
    return BigInt(balance.coins.find((coin) => coin.denom === denom)?.amount ?? '0');
  }
  return undefined;
}
