import { type DrawnClient, isFeatured } from './drawClients.ts';
import type { Dice } from './drawn.ts';
import { pick } from './pick.ts';

/**
 * Time-outs of nodes, as an operator may set them.
 * @param isAlone One validator needs no other: without a pause it would make blocks faster than anybody can fetch them.
 */
export function drawTimes({ choices, rarely }: Dice, isAlone: boolean): { readonly block_time: string } {
  const stream = choices.stream('times');
  const millis = (list: readonly number[]): string => `${pick(stream, list)}ms`;
  // The time-outs grow fast enough to exceed the network's delays within a dozen rounds.
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

/** Sometimes blocks and pools are small, unless a script relies on every transaction being taken. */
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
 * Sometimes the limits of nodes are small, so that short runs exceed them. But a node that fetches few blocks at a time
 * never catches up with a validator that makes them alone.
 */
export function drawSizes({ choices, rarely }: Dice): object {
  const stream = choices.stream('sizes');
  return rarely(stream, 4) ? { sizes_max: pick(stream, [2, 1, 4]) } : {};
}
