import { present } from '../../core/lib/assert.ts';
import { type Bytes, hex } from '../../core/lib/bytes.ts';
import type { Draft, Script } from './script.ts';
import { GWEI, IN_FLIGHT_MAX } from './transfers.ts';

const GAS = 130_000n;
const STRANGER = 'b9'.repeat(20);
const ONES = `7f${'ff'.repeat(32)}`;
/** Makes a contract of these three instructions and leaves its address on the stack. */
const making = (instructions: string): string => `6a62${instructions}5f526003601df35f52600b60155ff0`;

/** Programs that fail, or call what fails, each where geth has words, a price or a place in its traces of its own for it. */
const PROGRAMS: readonly string[] = [
  // The identity in one's own name, with too little gas; and with enough.
  '60405f60405f60046010f400',
  '60405f60405f60045af400',
  // A store for which only the stipend is there, one that a static call forbids, and a log that it forbids.
  `${making('5f5f55')}5f5f5f5f6001855ff100`,
  `${making('5f5f55')}5f5f5f5f84612710fa00`,
  `${making('5f5fa0')}5f5f5f5f846103e8fa00`,
  // Slots, and accounts, are looked at until the gas is gone.
  '5f5b8054506001016001565b',
  '5f5b8031506001016001565b',
  // Code that ends in its own making, for somebody whom it cannot pay to look at.
  `5b5a61196e105f5773${STRANGER}ff`,
  // A call for which its least price is not left.
  '5b5a6063105f575f5f5f5f5f60045af100',
  // Too few operands: of two, of three, of seven.
  '5f0b',
  '5f5f08',
  '5f5f5f5f5f5ff1',
  // Memory that no number counts, and memory that has no price.
  `6001${ONES}fd`,
  '5f6505000000000052',
  // Code that is borrowed with a value, and room for the answer of nobody.
  `5f5f5f5f600173${STRANGER}5af200`,
  `6130005f5f5f5f73${STRANGER}5af100`,
  // Code that may not be kept, and code of two lengths that cannot be paid.
  '60ef5f53620100005ff3',
  '6120005ff3',
  '6160015ff3',
  // Bytes that have a name and are no instruction.
  'e0',
  '4b',
  // What is copied from behind the end of the code leaves zeros.
  `${ONES}5f5260205f60405f39602061ffff5f39600151600155`,
];

/** Each of them in turn, as what makes a contract: code that fails at once is not missed. */
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
