import { contractAddressOf } from '../../core/app/evm/execute.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, hex } from '../../core/lib/bytes.ts';
import type { DevAccount } from '../cluster.ts';
import { initCodeOf, PROGRAMS, type Program } from './programs.ts';
import type { ClientState, Draft, Script } from './script.ts';
import { GWEI, IN_FLIGHT_MAX } from './transfers.ts';

const DEPLOY_GAS = 400_000n;
/** More than a node suggests before it has seen any transaction. */
const TIP = 2n * GWEI;
const FEE_CAP = 100n * GWEI;
/** Transactions of a storm. */
const STORM = 5;
/** One turn in so many is a storm; another one a replacement. */
const ONE_IN = 4;

const word = (value: number): Bytes => hex(value.toString(16).padStart(64, '0'));

/**
 * Deploys every program, then calls them: one by one, in storms whose nonces come backwards, so that the first ones
 * wait for the last, and with replacements at one and a half times the price.
 */
export function contracts(suite: Pick<CryptoSuite, 'keccak256'>): Script {
  const addressOf = (owner: DevAccount, index: number): Bytes =>
    contractAddressOf(owner.address, BigInt(index), suite);

  const call = (state: ClientState, from: DevAccount, nonce: number): Draft => {
    const index = state.choices.choose(PROGRAMS.length);
    const { gas, status, argumentMax } = present(PROGRAMS[index], 'a program');
    const to = addressOf(present(state.accounts[0], 'the owner'), index);
    const data = word(state.choices.choose(argumentMax));
    return { from, to, data, nonce, value: 0n, gas, tip: TIP, feeCap: FEE_CAP, status };
  };

  return (state) => {
    const owner = present(state.accounts[0], 'an account');
    const missing = PROGRAMS.findIndex((_, i) => !state.isConfirmed(owner, i));
    if (missing >= 0) return deployment(state, owner);
    const from = present(state.accounts[state.choices.choose(state.accounts.length)], 'an account');
    const open = state.open(from);
    const turn = state.choices.choose(ONE_IN);
    const last = open.at(-1);
    if (turn === 1 && last !== undefined && last.feeCap === FEE_CAP) {
      // Both prices go up by half. A pool asks for a tenth.
      const { tip, feeCap, ...draft } = call(state, from, last.nonce);
      return [{ ...draft, tip: (tip * 3n) / 2n, feeCap: (feeCap * 3n) / 2n }];
    }
    const size = turn === 0 ? STORM : 1;
    if (open.length + size > IN_FLIGHT_MAX) return [];
    return Array.from({ length: size }, () => call(state, from, state.takeNonce(from))).reverse();
  };
}

function deployment(state: ClientState, owner: DevAccount): readonly Draft[] {
  if (state.open(owner).length >= IN_FLIGHT_MAX) return [];
  if (state.nonceOf(owner) >= PROGRAMS.length) return [];
  const nonce = state.takeNonce(owner);
  const program: Program = present(PROGRAMS[nonce], 'a program to deploy');
  const fees = { gas: DEPLOY_GAS, tip: TIP, feeCap: FEE_CAP };
  const data = initCodeOf(program.code);
  return [{ from: owner, to: undefined, data, nonce, value: 0n, ...fees, status: '0x1' }];
}
