import { present } from '../../core/lib/assert.ts';
import { EMPTY } from '../../core/lib/bytes.ts';
import type { DevAccount } from '../cluster.ts';
import type { ClientState, Draft, Script } from './script.ts';
import { GWEI } from './transfers.ts';

const IN_FLIGHT = 12;
const BURST = 4;
/** About what each account has at first. Fees are not subtracted from it. */
const WEALTH = 10_000n * 10n ** 18n;
/** How often an account commits three fifths of its coins. */
const BINDINGS = 3;

type Choose = (count: number) => number;

/**
 * More transfers than blocks hold, at all prices: bursts whose nonces come backwards, prices below the base fee, and
 * replacements by just enough or a wei less. Now and then one costs most of its sender's coins, is replaced, and leaves
 * no coins for another one.
 */
export function crowd(): Script {
  const bound = new Map<DevAccount, number>();
  return (state) => {
    const from = present(state.accounts[state.choices.choose(state.accounts.length)], 'an account');
    const choose: Choose = (count) => state.choices.choose(count);
    const open = state.open(from);
    const turn = choose(6);
    const times = bound.get(from) ?? 0;
    if (times < BINDINGS && open.length === 0) {
      if (turn > 2) return [transfer(state, from, choose)];
      bound.set(from, times + 1);
      const most = ((WEALTH - state.spent(from)) * 3n) / 5n;
      return choose(3) === 0 ? exhausting(state, from, most) : binding(state, from, most);
    }
    const last = open.at(-1);
    if (turn === 1 && last !== undefined) {
      const { tip, feeCap } = last;
      // One replacement in so many is a wei short.
      const short = choose(4) === 0 ? 1n : 0n;
      const fees = { tip: justAbove(tip) - short, feeCap: justAbove(feeCap) - short };
      return [{ ...transfer(state, from, choose, last.nonce), ...fees }];
    }
    const size = turn === 0 ? BURST : 1;
    if (open.length + size > IN_FLIGHT) return [];
    return Array.from({ length: size }, () => transfer(state, from, choose)).reverse();
  };
}

/** The lowest price that replaces. */
const justAbove = (price: bigint): bigint => {
  const tenthMore = (price * 110n) / 100n;
  return tenthMore > price ? tenthMore : price + 1n;
};

function transfer(state: ClientState, from: DevAccount, choose: Choose, at?: number): Draft {
  const nonce = at ?? state.takeNonce(from);
  const to = new Uint8Array(20).fill(0x70 + choose(8));
  // One transfer in so many pays less than the base fee. It waits until it is replaced or the fee falls.
  const fees = [
    { tip: 1n, feeCap: GWEI / 2n },
    { tip: GWEI, feeCap: 100n * GWEI },
    // A tenth of these is no whole number.
    { tip: 2n * GWEI + 99n, feeCap: 100n * GWEI + 99n },
    { tip: 3n * GWEI, feeCap: 90n * GWEI },
    // The tip is more than the cap leaves room for, sometimes by more and sometimes by less.
    { tip: nonce % 2 === 0 ? 3n * GWEI : (5n * GWEI) / 2n, feeCap: 3n * GWEI },
  ];
  return {
    from,
    to,
    data: EMPTY,
    nonce,
    value: BigInt(choose(1000)),
    // Sometimes more than it needs: a block must have room for all of it.
    gas: choose(3) === 0 ? 60_000n : 21_000n,
    ...present(fees[choose(8) === 0 ? 0 : 1 + choose(4)], 'fees'),
    status: '0x1',
  };
}

/**
 * A transfer that is replaced twice, first by one that costs most of its sender's coins. After that the sender cannot
 * pay for the next one, nor replace a later one by one as large.
 */
function binding(state: ClientState, from: DevAccount, most: bigint): readonly Draft[] {
  const nonce = state.takeNonce(from);
  const to = new Uint8Array(20).fill(0x7f);
  const plain = { from, to, data: EMPTY, nonce, gas: 21_000n, status: '0x1' as const };
  const fees = (times: bigint) => ({ tip: times * GWEI, feeCap: times * 100n * GWEI });
  return [
    { ...plain, value: 1n, ...fees(1n), isWanted: true },
    { ...plain, value: most, ...fees(2n), isWanted: true },
    { ...plain, value: most, ...fees(3n), isWanted: true },
    {
      ...plain,
      nonce: nonce + 1,
      value: most,
      ...fees(3n),
      bad: 'costs more than its sender has left',
    },
    { ...plain, nonce: nonce + 2, value: 2n, ...fees(1n) },
    {
      ...plain,
      nonce: nonce + 2,
      value: most,
      ...fees(2n),
      bad: 'costs more than its sender has left in the place of a small one',
    },
  ];
}

/** The later one comes first and waits. Once the earlier one is in a block, its sender can no longer pay for it. */
function exhausting(state: ClientState, from: DevAccount, most: bigint): readonly Draft[] {
  const nonce = state.takeNonce(from);
  const to = new Uint8Array(20).fill(0x7e);
  const fees = { tip: GWEI, feeCap: 100n * GWEI };
  const plain = { from, to, data: EMPTY, gas: 21_000n, value: most, ...fees, status: '0x1' as const };
  return [
    { ...plain, nonce: nonce + 1, isWanted: true },
    { ...plain, nonce, isWanted: true },
  ];
}
