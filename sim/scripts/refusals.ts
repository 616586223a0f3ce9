import { present } from '../../core/lib/assert.ts';
import { EMPTY } from '../../core/lib/bytes.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';
import { EVM_CHAIN_ID } from '../cluster.ts';
import type { Draft } from './script.ts';
import { GWEI } from './transfers.ts';

/** Whom every refused transaction would pay. */
const PAYEE = new Uint8Array(20).fill(0xd8);

type Plain = Omit<Draft, 'tip' | 'feeCap'>;
type Refused = (
  good: Draft,
  old: Draft | undefined,
  choose: (count: number) => number,
  isUsed: boolean,
) => Draft;

/** What no pool takes that has `old`, or has seen it in a block: in turn, so that a short run has each of them. */
export function refusals({ minGasPrice }: FeeMarket): Refused {
  let turn = 0;
  return ({ from, nonce }, old, choose, isUsed) => {
    const plain = { from, nonce, to: PAYEE, data: EMPTY, value: 1n, gas: 21_000n, status: undefined };
    const later = { ...plain, nonce: nonce + 1, tip: GWEI, feeCap: 100n * GWEI };
    const sometimes: readonly Draft[] = [
      ...(old === undefined ? [] : outbidBadly({ ...plain, nonce: old.nonce }, old)),
      ...(isUsed ? [{ ...later, nonce: 0, bad: 'has a nonce that was used' }] : []),
    ];
    if (sometimes.length > 0 && choose(3) === 0)
      return present(sometimes[choose(sometimes.length)], 'a kind');
    const cheap = { ...later, tip: 0n, feeCap: minGasPrice - 1n, bad: 'offers less than the least price' };
    const kinds = [...(minGasPrice > 0n ? [cheap] : []), ...always(later)];
    return present(kinds[turn++ % kinds.length], 'a kind');
  };
}

const always = (later: Draft): readonly Draft[] => [
  { ...later, chainId: EVM_CHAIN_ID + 1n, bad: 'is of another chain' },
  { ...later, type: 0, chainId: EVM_CHAIN_ID + 1n, bad: 'is of another chain' },
  { ...later, hasUpperS: true, bad: 'has a signature that anyone can make of another' },
  // At a price at which no node minds the fee.
  { ...later, gas: 16_777_217n, feeCap: 40n * GWEI, bad: 'wants more gas than one may' },
  { ...later, value: 1_000_000n * 10n ** 18n, bad: 'costs more than its sender has' },
  { ...later, gas: 20_999n, bad: 'has too little gas' },
  { ...later, data: Uint8Array.of(1), gas: 21_015n, bad: 'has too little gas for its data' },
  { ...later, data: new Uint8Array(100).fill(1), gas: 23_000n, bad: 'has less gas than the floor' },
  { ...later, tip: 101n * GWEI, bad: 'has a tip above its cap' },
  { ...later, gas: 60_000n, odd: 'without authorizations', bad: 'authorizes nobody' },
  { ...later, odd: 'of no chain', bad: 'can be sent to any chain' },
  { ...later, gas: 16_000_000n, feeCap: 200n * GWEI, bad: 'pays more than anybody means to' },
  {
    ...later,
    to: undefined,
    data: new Uint8Array(49_153),
    gas: 5_000_000n,
    bad: 'makes too long a contract',
  },
];

/** A tenth more in both fields is what a pool asks for. */
function outbidBadly(plain: Plain, { tip, feeCap }: Draft): readonly Draft[] {
  const much = tip === 0n ? feeCap : 2n * feeCap;
  return [
    { ...plain, tip: (tip * 109n) / 100n, feeCap: much, bad: 'raises the tip too little' },
    { ...plain, tip, feeCap: (feeCap * 109n) / 100n, bad: 'raises the cap too little' },
  ];
}
