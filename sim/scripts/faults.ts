import { present } from '../../core/lib/assert.ts';
import { type Bytes, hex } from '../../core/lib/bytes.ts';
import type { Draft, Script } from './script.ts';
import { GWEI, IN_FLIGHT_MAX } from './transfers.ts';

const GAS = 130_000n;
const STRANGER = 'b9'.repeat(20);
const ONES = `7f${'ff'.repeat(32)}`;
/** Creates a contract of these three instructions and leaves its address on the stack. */
const making = (instructions: string): string => `6a62${instructions}5f526003601df35f52600b60155ff0`;

/** Programs that fail, or that call something that fails. Geth has words, a price or a trace of its own for each. */
const PROGRAMS: readonly string[] = [
  // A delegate call of the identity precompile, with too little gas, and with enough.
  '60405f60405f60046010f400',
  '60405f60405f60045af400',
  // A store with only the stipend for gas, a store that a static call forbids, and a log that it forbids.
  `${making('5f5f55')}5f5f5f5f6001855ff100`,
  `${making('5f5f55')}5f5f5f5f84612710fa00`,
  `${making('5f5fa0')}5f5f5f5f846103e8fa00`,
  // Reads slots, or accounts, until the gas is used up.
  '5f5b8054506001016001565b',
  '5f5b8031506001016001565b',
  // Init code that destroys itself for an account that it cannot pay to access.
  `5b5a61196e105f5773${STRANGER}ff`,
  // A call when its lowest price is not left.
  '5b5a6063105f575f5f5f5f5f60045af100',
  // Too few operands, for instructions that take two, three and seven.
  '5f0b',
  '5f5f08',
  '5f5f5f5f5f5ff1',
  // Memory beyond any number, and memory that is too large to have a price.
  `6001${ONES}fd`,
  '5f6505000000000052',
  // Memory beyond any number, when the lowest price of the hash is not left.
  `5b5a6031105f57${ONES}${ONES}20`,
  // A CALLCODE with a value, and a call that makes room for the answer of an empty account.
  `5f5f5f5f600173${STRANGER}5af200`,
  `6130005f5f5f5f73${STRANGER}5af100`,
  // Code that must not be deployed, and code of two lengths whose deposit cannot be paid.
  '60ef5f53620100005ff3',
  '6120005ff3',
  '6160015ff3',
  // Bytes that have a name but are no instruction.
  'e0',
  '4b',
  // Copying from behind the end of the code gives zeros.
  `${ONES}5f5260205f60405f39602061ffff5f39600151600155`,
];

/** Each of them in turn, as init code: nothing needs the contract that it fails to create. */
export function faults(): Script {
  let turn = 0;
  return (state) => {
    const from = present(state.accounts[0], 'an account');
    if (state.open(from).length >= IN_FLIGHT_MAX) return [];
    const data: Bytes = hex(present(PROGRAMS[turn++ % PROGRAMS.length], 'a program'));
    const draft: Draft = {
      from,
      to: undefined,
      data,
      nonce: state.takeNonce(from),
      value: 1n,
      gas: GAS + BigInt(state.choices.choose(2_000)),
      tip: GWEI,
      feeCap: 100n * GWEI,
      status: undefined,
    };
    return [draft];
  };
}
