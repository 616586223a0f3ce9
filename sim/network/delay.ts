import type { ChoiceStream } from '../world/choices.ts';

/** How long a segment travels, in virtual microseconds. `exponential` has its mean at (low + high) / 2. */
export interface Delay {
  readonly low: number;
  readonly high: number;
  readonly shape: 'uniform' | 'exponential';
}

const STEPS = 1024;

/** -ln((i + ½) / 1024) × 1024 in whole numbers, from + - × / alone: Math.log may differ between engines. */
const EXPONENTIAL: readonly number[] = Array.from({ length: STEPS }, (_, i) =>
  Math.round(-naturalLog((i + 0.5) / STEPS) * STEPS),
);

/** ln of 0 < x ≤ 1: halvings, then 2·atanh((m-1)/(m+1)) as a series. */
function naturalLog(x: number): number {
  let mantissa = x;
  let halvings = 0;
  while (mantissa < 0.5) {
    mantissa *= 2;
    halvings++;
  }
  return atanhLog(mantissa) + halvings * atanhLog(0.5);
}

function atanhLog(mantissa: number): number {
  const z = (mantissa - 1) / (mantissa + 1);
  let sum = 0;
  let power = z;
  for (let k = 1; k < 60; k += 2) {
    sum += power / k;
    power *= z * z;
  }
  return 2 * sum;
}

/** Draws one delay. The choice 0 gives the low end. */
export function drawDelay(delay: Delay, choices: ChoiceStream): number {
  if (delay.high <= delay.low) return delay.low;
  if (delay.shape === 'uniform') return choices.between(delay.low, delay.high);
  return tail(delay, STEPS - 1 - choices.choose(STEPS));
}

/** The longest that can be drawn. */
export const longestDelay = (delay: Delay): number =>
  delay.shape === 'uniform' ? delay.high : Math.max(delay.high, tail(delay, 0));

const tail = ({ low, high }: Delay, step: number): number =>
  low + Math.floor(((EXPONENTIAL[step] as number) * (high - low)) / (2 * STEPS));
