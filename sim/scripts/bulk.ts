import { present } from '../../core/lib/assert.ts';
import type { Script } from './script.ts';
import { GWEI } from './transfers.ts';

/** Maximum number of unconfirmed transactions per account. */
const IN_FLIGHT_MAX = 3;
/** Bytes of calldata: two or three transactions fill a block part, or one fills nearly two. */
const SIZES = [20_000, 40_000, 70_000, 110_000] as const;
/** EIP-7623: at least ten gas for a zero byte, and forty for any other. */
const GAS = { plain: 21_000, zero: 10, other: 40 } as const;
/** One byte in so many is not zero, so that no two parts are equal. */
const STRIDE = 256;

/** Plain transfers with much calldata, for blocks of several parts. */
export const bulk: Script = (state) => {
  const { accounts, choices } = state;
  const from = present(accounts[choices.choose(accounts.length)], 'an account');
  if (state.open(from).length >= IN_FLIGHT_MAX) return [];
  const nonce = state.takeNonce(from);
  const data = new Uint8Array(present(SIZES[choices.choose(SIZES.length)], 'a size'));
  const others = Math.ceil(data.length / STRIDE);
  for (let i = 0; i < others; i++) data[i * STRIDE] = 1 + ((nonce + i) % 255);
  const gas = BigInt(GAS.plain + (data.length - others) * GAS.zero + others * GAS.other);
  const to = new Uint8Array(20).fill(0x70 + choices.choose(8));
  return [{ from, to, data, nonce, value: 1n, gas, tip: GWEI, feeCap: 100n * GWEI, status: '0x1' }];
};
