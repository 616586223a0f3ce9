import { type DrawnClient, isFeatured } from './drawClients.ts';
import type { Dice } from './drawn.ts';
import { pick } from './pick.ts';

/**
 * How long nodes wait for each other, as an operator may set it.
 * @param isAlone One validator needs no other: without a pause it would make blocks faster than anybody fetches them.
 */
export function drawTimes({ choices, rarely }: Dice, isAlone: boolean): { readonly block_time: string } {
  const stream = choices.stream('times');
  const millis = (list: readonly number[]): string => `${pick(stream, list)}ms`;
  // They grow fast enough to outlast the network within a dozen rounds.
  const delta = millis([300, 500, 1000]);
  const timeouts = (['propose', 'prevote', 'precommit'] as const).flatMap((step) => [
    [`timeout_${step}`, millis([50, 300, 1000, 4000])],
    [`timeout_${step}_delta`, delta],
  ]);
  return {
    block_time: millis([1000, 1000, 300, 100]),
    ...(rarely(stream, 6) && !isAlone ? { skip_timeout_commit: true } : {}),
    ...(rarely(stream, 8) ? { empty_blocks_interval: millis([200, 1000, 3000]) } : {}),
    ...(rarely(stream, 4) ? Object.fromEntries(timeouts) : {}),
  };
}

/** Now and then blocks have little room, and pools; who sends features counts on everything being taken. */
export function drawPool({ choices, rarely }: Dice, clients: readonly DrawnClient[]): object {
  const stream = choices.stream('pool');
  if (clients.length === 0 || clients.some(isFeatured)) return {};
  return {
    ...(rarely(stream, 6) ? { block_gas: pick(stream, [600_000, 3_000_000, 105_000]) } : {}),
    ...(rarely(stream, 6) ? { pool_txs: pick(stream, [100, 12]) } : {}),
    ...(rarely(stream, 8) ? { pool_lifetime: '1s' } : {}),
    ...(rarely(stream, 8) ? { pool_max_wait: `${pick(stream, [10, 2])}s` } : {}),
  };
}

/**
 * Now and then nodes have no room, and short runs come to what lies beyond it; but who fetches a few blocks at a time never catches up
 * with one who makes them alone.
 */
export function drawSizes({ choices, rarely }: Dice): object {
  const stream = choices.stream('sizes');
  return rarely(stream, 4) ? { sizes_max: pick(stream, [2, 1, 4]) } : {};
}
