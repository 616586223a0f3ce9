import { contractAddressOf } from '../../core/app/evm/execute.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, concat, EMPTY, hex } from '../../core/lib/bytes.ts';
import { signerOf } from './authorizations.ts';
import { FEATURES } from './featurePrograms.ts';
import { initCodeOf } from './programs.ts';
import type { Draft, Script } from './script.ts';
import { GWEI, IN_FLIGHT_MAX } from './transfers.ts';

/** EIP-7825, EIP-3860 and EIP-7623: the most gas, the most init code, and the least gas for a nonzero byte. */
const [TX_GAS_MAX, INIT_CODE_MAX, FLOOR_BYTE] = [16_777_216n, 49_152, 40n];
const DATA_BYTES = 100;
/** No node minds the fee of so much gas at this price. */
const PRICE = { tip: GWEI, feeCap: 40n * GWEI };
const STRANGER = new Uint8Array(20).fill(0xb7);

const word = (value: number): Bytes => hex(value.toString(16).padStart(64, '0'));
const pairs = (count: number, value: number): Bytes =>
  concat(...Array.from({ length: count }, () => concat(word(0), word(value))));

type Call = Pick<Draft, 'to' | 'data' | 'gas'> & Partial<Draft>;

/**
 * In turn valid transactions exactly on a bound of gas, and refunds that are bounded from below or survive a failure.
 */
export function bounds(suite: CryptoSuite): Script {
  const heir = signerOf('heir', suite);
  let turn = 0;
  let delegations = 0n;
  return (state) => {
    const from = present(state.accounts[0], 'an account');
    if (state.open(from).length >= IN_FLIGHT_MAX) return [];
    const at = (index: number): Bytes => contractAddressOf(from.address, BigInt(index), suite);
    const [slots, guard] = [at(0), at(1)];
    const made = [FEATURES.slots, FEATURES.guard][turn];
    const kinds: readonly (() => Call)[] = [
      () => ({ to: STRANGER, data: EMPTY, gas: TX_GAS_MAX }),
      () => ({
        to: STRANGER,
        data: new Uint8Array(DATA_BYTES).fill(1),
        gas: 21_000n + FLOOR_BYTE * BigInt(DATA_BYTES),
      }),
      () => ({ to: undefined, data: new Uint8Array(INIT_CODE_MAX), gas: 600_000n }),
      () => ({ to: slots, data: pairs(1, 9), gas: 100_000n }),
      // The refund does not take the gas below the floor for so much data.
      () => ({ to: slots, data: pairs(25, 0), gas: 100_000n }),
      // A signer that exists already costs less, though the call reverts.
      () => {
        const tuple = heir.sign({ chainId: 0n, address: guard, nonce: delegations++ });
        return { to: heir.address, data: EMPTY, gas: 200_000n, type: 4, authorizationList: [tuple] };
      },
    ];
    const call = made === undefined ? present(kinds[turn % kinds.length], 'a kind')() : making(made);
    turn++;
    const common = { from, nonce: state.takeNonce(from), value: 0n, status: undefined, isWanted: true };
    return [{ ...common, ...PRICE, ...call }];
  };
}

const making = (code: Bytes): Call => ({ to: undefined, data: initCodeOf(code), gas: 400_000n });
