import { present } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { DEV_BALANCE, type DevAccount } from '../cluster.ts';
import type { Draft, Script } from './script.ts';
import { PLAIN_TRANSFER } from './transfers.ts';

/**
 * One account after the other sends the next one more than half of its coins, twice, the later nonce first. When the
 * earlier one is in a block, pools drop the later one, because its sender can no longer pay for it. Then the other
 * account sends the coins back, and the wallet sends the dropped one again.
 */
export function refunded(): Script {
  const received = new Map<DevAccount, bigint>();
  let last = 0;
  let owed: Draft | undefined;
  return (state) => {
    const { accounts } = state;
    const [from, to] = [last, last + 1].map((i) => present(accounts[i % accounts.length], 'an account')) as [
      DevAccount,
      DevAccount,
    ];
    if (owed !== undefined) {
      if (!state.isConfirmed(owed.from, owed.nonce)) return [];
      const { value } = owed;
      owed = undefined;
      last++;
      received.set(from, (received.get(from) ?? 0n) + value);
      received.set(to, (received.get(to) ?? 0n) + value);
      return [transfer(to, from.address, value, state.takeNonce(to))];
    }
    if (accounts.some((account) => state.open(account).length > 0)) return [];
    const value = ((DEV_BALANCE + (received.get(from) ?? 0n) - state.spent(from)) * 3n) / 5n;
    const [earlier, later] = [0, 0].map(() => transfer(from, to.address, value, state.takeNonce(from))) as [
      Draft,
      Draft,
    ];
    owed = earlier;
    received.set(to, (received.get(to) ?? 0n) + value);
    return [later, earlier];
  };
}

const transfer = (from: DevAccount, to: Bytes, value: bigint, nonce: number): Draft => ({
  ...PLAIN_TRANSFER,
  from,
  to,
  nonce,
  value,
  isWanted: true,
});
