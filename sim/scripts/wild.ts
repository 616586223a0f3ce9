import { contractAddressOf } from '../../core/app/evm/execute.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, hex } from '../../core/lib/bytes.ts';
import { signerOf } from './authorizations.ts';
import type { Draft, Script } from './script.ts';
import { GWEI, IN_FLIGHT_MAX } from './transfers.ts';
import { WildPrograms } from './wildPrograms.ts';

const PRICE = { tip: GWEI, feeCap: 100n * GWEI };
/** The precompiles that the simulator's own EVM knows. */
const PRECOMPILES = [2, 4].map((number) => hex(number.toString(16).padStart(40, '0')));
const STRANGER = new Uint8Array(20).fill(0xb9);
/** How many contracts are called: the newest ones. */
const CONTRACTS_MAX = 8;
const DATA_MAX = 70;

type Call = Pick<Draft, 'to' | 'data'> & Partial<Draft>;

/**
 * Creates contracts of random programs and calls them, directly and from each other. An account delegates to some
 * (EIP-7702).
 */
export function wild(suite: CryptoSuite): Script {
  const heir = signerOf('heir of the wild', suite);
  let delegations = 0n;
  return (state) => {
    const from = present(state.accounts[0], 'an account');
    if (state.open(from).length >= IN_FLIGHT_MAX) return [];
    const choose = (count: number): number => state.choices.choose(count);
    const next = state.nonceOf(from);
    const made = Array.from({ length: CONTRACTS_MAX }, (_, i) => next - 1 - i)
      .filter((nonce) => nonce >= 0)
      .map((nonce) => contractAddressOf(from.address, BigInt(nonce), suite));
    // One of them is still to come.
    const own = [...made, contractAddressOf(from.address, BigInt(next), suite), heir.address];
    const callees = [...own, ...own, from.address, STRANGER, ...PRECOMPILES];
    const callee = (): Bytes => present(own[choose(own.length)], 'a contract');
    const data = (): Bytes => Uint8Array.from({ length: choose(DATA_MAX) }, () => choose(256));
    const kinds: readonly (() => Call)[] = [
      () => ({ to: undefined, data: new WildPrograms(choose, callees).initCode() }),
      () => ({ to: callee(), data: data() }),
      () => ({
        to: callee(),
        data: data(),
        accessList: [{ address: callee(), storageKeys: [new Uint8Array(32)] }],
      }),
      () => {
        const tuple = heir.sign({ chainId: 0n, address: callee(), nonce: delegations++ });
        return { to: callee(), data: data(), type: 4, authorizationList: [tuple] };
      },
    ];
    const isMaking = made.length === 0 || choose(3) === 0;
    const call = present(kinds[isMaking ? 0 : choose(kinds.length)], 'a kind')();
    const gas = needed(call) + present([5_000n, 30_000n, 90_000n, 250_000n][choose(4)], 'gas');
    const common = { from, nonce: state.takeNonce(from), status: undefined, ...PRICE };
    return [{ ...common, gas, value: choose(3) === 0 ? 9n : 0n, ...call }];
  };
}

/** More than its intrinsic gas, or no node would take it. */
const needed = ({ to, data, accessList, authorizationList }: Call): bigint =>
  21_000n +
  (to === undefined ? 32_000n : 0n) +
  42n * BigInt(data.length) +
  (accessList === undefined ? 0n : 4_300n) +
  (authorizationList === undefined ? 0n : 25_000n);
