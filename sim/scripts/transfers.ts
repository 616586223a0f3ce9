import { present } from '../../core/lib/assert.ts';
import { EMPTY } from '../../core/lib/bytes.ts';
import type { Script } from './script.ts';

export const GWEI = 10n ** 9n;
/** Fields of every plain transfer, unless it pays otherwise. */
export const PLAIN_TRANSFER = {
  data: EMPTY,
  gas: 21_000n,
  tip: GWEI,
  feeCap: 100n * GWEI,
  status: '0x1',
} as const;
/** Maximum number of unconfirmed transactions per account. */
export const IN_FLIGHT_MAX = 8;

/** Plain transfers, one at a time, to eight strangers. */
export const transfers: Script = (state) => {
  const { accounts, choices } = state;
  const from = present(accounts[choices.choose(accounts.length)], 'an account');
  if (state.open(from).length >= IN_FLIGHT_MAX) return [];
  const nonce = state.takeNonce(from);
  const to = new Uint8Array(20).fill(0x70 + choices.choose(8));
  const value = BigInt(1 + choices.choose(1_000_000));
  return [{ ...PLAIN_TRANSFER, from, to, nonce, value }];
};
