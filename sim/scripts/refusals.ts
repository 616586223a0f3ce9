import { present } from '../../core/lib/assert.ts';
import { EMPTY } from '../../core/lib/bytes.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';
import { EVM_CHAIN_ID } from '../cluster.ts';
import { ETH_LIES, lying, POOL_LIES } from './ethLies.ts';
import type { Draft } from './script.ts';
import { GWEI } from './transfers.ts';

/** The receiver of every refused transaction. */
const PAYEE = new Uint8Array(20).fill(0xd8);

/** Wei per gas. */
const CHEAP = 10n;

type Plain = Omit<Draft, 'tip' | 'feeCap'>;
type Refused = (
  good: Draft,
  old: Draft | undefined,
  choose: (count: number) => number,
  isUsed: boolean,
) => Draft;

/**
 * Transactions that a pool must refuse if it has `old`, or has seen it in a block. In turn, so that a short run has
 * each kind.
 */
export function refusals({ minGasPrice }: FeeMarket): Refused {
  let turn: number | undefined;
  return ({ from, nonce, tip, feeCap }, old, choose, isUsed) => {
    const plain = { from, nonce, to: PAYEE, data: EMPTY, value: 1n, gas: 21_000n, status: undefined };
    // A tenth of so low a price is nothing.
    if (feeCap < CHEAP)
      return { ...plain, tip, feeCap, bad: 'pays no more than the one whose place it would take' };
    const later = { ...plain, nonce: nonce + 1, tip: GWEI, feeCap: 100n * GWEI };
    const sometimes: readonly Draft[] = [
      ...(old === undefined ? [] : outbidBadly({ ...plain, nonce: old.nonce }, old)),
      ...(isUsed ? [{ ...later, nonce: 0, bad: 'has a nonce that was used' }] : []),
    ];
    if (sometimes.length > 0 && choose(3) === 0)
      return present(sometimes[choose(sometimes.length)], 'a kind');
    const cheap = { ...later, tip: 0n, feeCap: minGasPrice - 1n, bad: 'offers less than the least price' };
    const kinds = [...(minGasPrice > 0n ? [cheap] : []), ...always(later)];
    turn = turn === undefined ? choose(kinds.length) : turn + 1;
    return present(kinds[turn % kinds.length], 'a kind');
  };
}

const always = (later: Draft): readonly Draft[] => [
  { ...later, chainId: EVM_CHAIN_ID + 1n, bad: 'is of another chain' },
  { ...later, type: 0, chainId: EVM_CHAIN_ID + 1n, bad: 'is of another chain' },
  { ...later, value: 1_000_000n * 10n ** 18n, bad: 'costs more than its sender has' },
  { ...later, gas: 20_999n, bad: 'has too little gas' },
  { ...later, gas: 16_000_000n, feeCap: 200n * GWEI, bad: 'pays more than anybody means to' },
  ...POOL_LIES.map((lie) => ({
    ...lying(lie, later),
    lie,
    bad: ETH_LIES[lie].why,
  })),
];

/** A pool asks for a tenth more in both fields. */
function outbidBadly(plain: Plain, { tip, feeCap }: Draft): readonly Draft[] {
  const much = tip === 0n ? feeCap : 2n * feeCap;
  return [
    { ...plain, tip: (tip * 109n) / 100n, feeCap: much, bad: 'raises the tip too little' },
    { ...plain, tip, feeCap: (feeCap * 109n) / 100n, bad: 'raises the cap too little' },
  ];
}
