import { type DrawnClient, isPriced } from './drawClients.ts';
import type { Dice } from './drawn.ts';
import { pick } from './pick.ts';

interface DrawnGenesis {
  readonly initial_height?: number;
  readonly [key: string]: number | string | undefined;
}

/** Sometimes a chain does not begin at height 1, has small blocks or soon forgets offences. */
export function drawGenesis({ choices, rarely, isExtreme }: Dice): DrawnGenesis {
  const far = choices.stream('extremes/genesis');
  if (isExtreme && far.choose(6) === 0) return { initial_height: pick(far, [1_000_000_000, 2]) };
  const stream = choices.stream('genesis');
  if (!rarely(stream, 4)) return {};
  return {
    initial_height: pick(stream, [1, 2, 100]),
    block_bytes: pick(stream, [8_000, 100_000]),
    evidence_bytes: pick(stream, [1_000, 4_000]),
    evidence_blocks: pick(stream, [2, 5, 100]),
    evidence_time: `${pick(stream, [1, 5, 100])}s`,
  };
}

/** Fee markets other than the usual one. */
const FEES: readonly object[] = [
  { collect_base_fee: true },
  { min_gas_price: '2gwei' },
  { elasticity: 3, base_fee_denominator: 3, base_fee: '3gwei' },
  { no_base_fee: true },
];

/** Sometimes the fees are other than usual, unless a client relies on the usual prices. */
export function drawFees({ choices, rarely }: Dice, clients: readonly DrawnClient[]): object {
  const stream = choices.stream('fees');
  const isUsual = clients.length === 0 || clients.some(isPriced);
  return isUsual || !rarely(stream, 4) ? {} : pick(stream, FEES);
}
