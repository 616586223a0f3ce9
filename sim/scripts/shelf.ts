import { contractAddressOf } from '../../core/app/evm/execute.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, concat, hex } from '../../core/lib/bytes.ts';
import type { DevAccount } from '../cluster.ts';
import { FEATURES } from './featurePrograms.ts';
import { initCodeOf } from './programs.ts';
import type { Draft, Script } from './script.ts';
import { GWEI, IN_FLIGHT_MAX } from './transfers.ts';

/** Enough slots for a trie of two levels. */
const SLOTS = 40;
const DEPLOY_GAS = 400_000n;
const CALL_GAS = 1_200_000n;
const FEES = { tip: GWEI, feeCap: 100n * GWEI };

const word = (value: number): Bytes => hex(value.toString(16).padStart(64, '0'));

/**
 * One contract whose storage is filled and cleared again and again: all slots, a few, and all but one or two. So the
 * trie nodes above them come and go in every way.
 */
export function shelf(suite: Pick<CryptoSuite, 'keccak256'>): Script {
  return (state) => {
    const from: DevAccount = present(state.accounts[0], 'an account');
    const open = state.open(from);
    const plain = { from, value: 0n, ...FEES, status: '0x1' as const };
    const send = (draft: Pick<Draft, 'to' | 'data' | 'gas'>): readonly Draft[] => [
      { ...plain, ...draft, nonce: state.takeNonce(from) },
    ];
    if (state.nonceOf(from) === 0)
      return send({ to: undefined, data: initCodeOf(FEATURES.slots), gas: DEPLOY_GAS });
    if (!state.isConfirmed(from, 0) || open.length >= IN_FLIGHT_MAX) return [];
    const choose = (count: number): number => state.choices.choose(count);
    const all = Array.from({ length: SLOTS }, (_, slot) => slot);
    const first = choose(SLOTS);
    const rest = all.filter((slot) => slot !== first && slot !== (first * 7 + 3) % SLOTS);
    const few = all.filter(() => choose(8) === 0);
    const [slots, value] = present(
      [
        [all, 1 + choose(200)],
        [rest, 0],
        [all.filter((slot) => slot !== first), 0],
        [few, 1 + choose(200)],
        [few, 1 + choose(200)],
        [few, 0],
        [few, 0],
        [[first], 1 + choose(60_000)],
        [[first], 0],
        [[first], 1],
      ][choose(10)] as readonly [readonly number[], number] | undefined,
      'a kind',
    );
    const data = concat(...slots.flatMap((slot) => [word(slot), word(value)]));
    return send({ to: contractAddressOf(from.address, 0n, suite), data, gas: CALL_GAS });
  };
}
