import { contractAddressOf } from '../../core/app/evm/execute.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, EMPTY, hex } from '../../core/lib/bytes.ts';
import { DEV_BALANCE, type DevAccount } from '../cluster.ts';
import { signed } from './authorizations.ts';
import { assemble, initCodeOf } from './programs.ts';
import type { Draft, Script } from './script.ts';
import { GWEI } from './transfers.ts';

/** Sends the caller as many of its own coins as the first word says. */
const GIVER = assemble('5f 5f 5f 5f 5f 35 33 5a f1 00');
const COIN = 10n ** 18n;
const CALL = { value: 0n, gas: 200_000n, tip: GWEI, feeCap: 100n * GWEI, status: '0x1' as const };
/** The fee cap is below the base fee of every block in a run of minutes. */
const WAITS = { data: EMPTY, gas: 21_000n, tip: 1n, feeCap: 1n, status: undefined };

const word = (value: bigint): Bytes => hex(value.toString(16).padStart(64, '0'));

/**
 * What others do to an account while one of its transactions waits in the pool. First an authorization that it signed
 * (EIP-7702) uses its nonce. Later the code that it delegated to spends its coins. What waits can then not run, or not
 * be paid. The account still sends as before, one transaction at a time.
 */
export function authorities(suite: CryptoSuite): Script {
  let turn = 0;
  let used = 0;
  let given = 0n;
  return (state) => {
    const account = (index: number): DevAccount => present(state.accounts[index], 'two accounts');
    const [owner, authority] = [account(0), account(1)];
    const giver = contractAddressOf(owner.address, 0n, suite);
    const calls = (draft: Pick<Draft, 'to' | 'data'> & Partial<Draft>): readonly Draft[] => [
      { ...CALL, from: owner, nonce: state.takeNonce(owner), ...draft },
    ];
    const own = { ...CALL, from: authority, to: owner.address, data: EMPTY, value: 1n };
    const waits = (value: bigint): readonly Draft[] => [
      { ...WAITS, from: authority, nonce: used, to: owner.address, value },
    ];
    if (state.nonceOf(owner) === 0) return calls({ to: undefined, data: initCodeOf(GIVER) });
    // What is done to the account has to be in a block before its next transaction comes.
    if ([owner, authority].some((one) => state.open(one).some(({ status }) => status !== undefined)))
      return [];
    switch (turn++ % 5) {
      case 0: {
        const gapped = { ...own, nonce: used + 1, bad: 'leaves a gap before one of a delegated account' };
        return [...(used === 0 ? [] : [gapped]), ...waits(0n)];
      }
      case 1: {
        const tuple = { chainId: 0n, address: giver, nonce: BigInt(used++) };
        const authorizationList = [signed(tuple, authority.secret, suite)];
        return calls({ to: giver, data: word(0n), type: 4, authorizationList });
      }
      case 2:
        return waits(DEV_BALANCE - given - COIN / 2n);
      case 3:
        given += COIN;
        return calls({ to: authority.address, data: word(COIN) });
      default:
        return [
          { ...own, nonce: used++, isWanted: true },
          { ...own, nonce: used, bad: 'is a second one of a delegated account' },
        ];
    }
  };
}
