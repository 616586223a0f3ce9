import { compareText } from '../../lib/bytes.ts';
import { MAX_UINT256 } from '../evm/numbers.ts';
import type { Coin } from '../tx/tables.ts';

const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/;
const AMOUNT = /^(0|[1-9][0-9]{0,77})$/;
/** Scale of a price: the SDK's decimals have 18 places. */
const PLACES = 10n ** 18n;

/** `12achain,3other`, as the SDK prints coins. */
export const coinsText = (coins: readonly Coin[]): string =>
  coins.map(({ amount, denom }) => amount + denom).join(',');

/** Checks a list of coins: denoms ascending and unique, amounts above zero and within 256 bits. Undefined if valid. */
export function coinsProblem(coins: readonly Coin[]): string | undefined {
  let before = '';
  for (const { denom, amount } of coins) {
    if (!DENOM.test(denom)) return `invalid denom: ${denom}`;
    if (!AMOUNT.test(amount) || BigInt(amount) > MAX_UINT256) return `invalid amount: ${amount}${denom}`;
    if (amount === '0') return `coin ${amount}${denom} amount is not positive`;
    if (before !== '' && compareText(before, denom) >= 0) {
      return before === denom ? `duplicate denomination ${denom}` : `denomination ${denom} is not sorted`;
    }
    before = denom;
  }
  return undefined;
}

/** The amount of one denom in a list of valid coins; 0 if absent. */
export const amountOf = (coins: readonly Coin[], denom: string): bigint =>
  BigInt(coins.find((coin) => coin.denom === denom)?.amount ?? '0');

/** Parses `12achain` or `12achain,3other`; undefined if the text is not a list of coins. */
export function parseCoins(text: string): readonly Coin[] | undefined {
  if (text.trim() === '') return [];
  const coins: Coin[] = [];
  for (const part of text.split(',')) {
    const match = /^\s*([0-9]{1,78})\s*([a-zA-Z][a-zA-Z0-9/:._-]{2,127})\s*$/.exec(part);
    if (match === null) return undefined;
    coins.push({ amount: BigInt(match[1] as string).toString(), denom: match[2] as string });
  }
  return coins.sort((a, b) => compareText(a.denom, b.denom));
}

/**
 * What `gas` costs at prices like `0.025achain`, rounded up like the SDK; undefined if the text is not a list of
 * prices.
 */
export function feeAt(prices: string, gas: bigint): readonly Coin[] | undefined {
  const fees: string[] = [];
  for (const price of prices.split(',')) {
    const match = /^\s*([0-9]{1,50})(?:\.([0-9]{1,18}))?(\D.*)$/.exec(price);
    if (match === null) return undefined;
    const fine = gas * BigInt(`${match[1]}${(match[2] ?? '').padEnd(18, '0')}`);
    fees.push(`${(fine + PLACES - 1n) / PLACES}${match[3]}`);
  }
  return parseCoins(fees.join(','))?.filter(({ amount }) => amount !== '0');
}
