import { present } from '../../core/lib/assert.ts';
import { EMPTY } from '../../core/lib/bytes.ts';
import type { Script } from './script.ts';
import { GWEI, IN_FLIGHT_MAX } from './transfers.ts';

/** Tip of the first transfer. Each later one gives a gwei less. The first tips are higher than geth ever suggests. */
const HIGHEST_TIP = 530n * GWEI;
const FEE_CAP = 700n * GWEI;
const STRANGER = new Uint8Array(20).fill(0xba);

/**
 * Transfers whose tips fall from block to block. Between them are transfers with a tip of a wei or two, which price
 * suggestions must ignore.
 */
export const tips: Script = (state) => {
  const from = present(state.accounts[0], 'an account');
  if (state.open(from).length >= IN_FLIGHT_MAX) return [];
  const nonce = state.takeNonce(from);
  const noise = BigInt(nonce % 3);
  const fees = { tip: noise === 0n ? HIGHEST_TIP - BigInt(nonce) * GWEI : noise, feeCap: FEE_CAP };
  const transfer = { to: STRANGER, data: EMPTY, value: 1n, gas: 21_000n, status: '0x1' } as const;
  return [{ from, nonce, ...fees, ...transfer }];
};
