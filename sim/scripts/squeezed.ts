import { present } from '../../core/lib/assert.ts';
import { DEV_BALANCE, type DevAccount } from '../cluster.ts';
import type { ClientState, Draft, Script } from './script.ts';
import { GWEI, PLAIN_TRANSFER } from './transfers.ts';

/** More transactions than a small pool holds. */
const FILLING = 14;
/** With less, in wei, an account cannot pay for its part in a round. */
const LEAST = 1_000_000_000n * GWEI;

/**
 * One account sends two transactions. The second costs most of its coins and offers little. Another account fills the
 * pool, so that a small pool evicts the second one. Then the first account sends it again at a better price. It can pay
 * for it, and a node that holds no more of its transactions must not say that it cannot. It ends when the coins do.
 */
export const squeezed: Script = (state) => {
  const { accounts, choices } = state;
  if (accounts.some((account) => state.open(account).length > 0)) return [];
  const at = choices.choose(accounts.length);
  const rich = present(accounts[at], 'an account');
  const other = present(accounts[(at + 1) % accounts.length], 'another account');
  if ([rich, other].some((account) => DEV_BALANCE - state.spent(account) < LEAST)) return [];
  const value = ((DEV_BALANCE - state.spent(rich)) * 3n) / 5n;
  const first = transfer(state, rich, 1n, 3n);
  const second = transfer(state, rich, value, 1n);
  const fillings = Array.from({ length: FILLING }, () =>
    transfer(state, other, BigInt(choices.choose(1000)), 3n),
  );
  return [first, second, ...fillings, { ...second, ...feesOf(4n) }];
};

const feesOf = (gwei: bigint) => ({ tip: gwei * GWEI, feeCap: (100n + 10n * gwei) * GWEI });

function transfer(state: ClientState, from: DevAccount, value: bigint, gwei: bigint): Draft {
  const to = new Uint8Array(20).fill(0x7d);
  const nonce = state.takeNonce(from);
  return { ...PLAIN_TRANSFER, from, to, nonce, value, ...feesOf(gwei), isWanted: true };
}
