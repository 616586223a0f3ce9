import type { ForkRules } from './forks.ts';
import { TX_GAS, TX_GAS_CAP } from './intrinsicGas.ts';
import type { MessageResult } from './message.ts';

/** The result of one execution with a given gas limit. */
export type Probed =
  /** Cannot run with any gas limit: funds, fees, code size. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Gas limit below the intrinsic gas or the floor: a higher limit may succeed. */
  | { readonly kind: 'too-little'; readonly message: string }
  | {
      readonly kind: 'ran';
      readonly result: MessageResult;
      /** After refunds. */
      readonly gasUsed: bigint;
      /** Before refunds: the gas limit must cover this. */
      readonly gasPeak: bigint;
    };

export interface GasProbe {
  run(gas: bigint): Promise<Probed>;
  isTransfer(): boolean;
  readonly balance: bigint;
  readonly feeCap: bigint;
  readonly value: bigint;
}

export type Estimated =
  | { readonly kind: 'gas'; readonly gas: bigint }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly probed: Extract<Probed, { kind: 'ran' }> };

const CALL_STIPEND = 2300n;
const OUT_OF_GAS = 'out of gas';

interface Bounds {
  readonly asked: bigint | undefined;
  readonly blockGasLimit: bigint;
  readonly gasCap: bigint;
  readonly rules: ForkRules;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * The highest gas limit to try: the requested one or a whole block, what the sender can pay, the node's cap, EIP-7825.
 */
function highest(probe: GasProbe, bounds: Bounds): bigint | undefined {
  let high = bounds.asked !== undefined && bounds.asked >= TX_GAS ? bounds.asked : bounds.blockGasLimit;
  if (bounds.rules.osaka) high = least(high, TX_GAS_CAP);
  if (probe.feeCap > 0n) {
    if (probe.value >= probe.balance) return undefined;
    high = least(high, (probe.balance - probe.value) / probe.feeCap);
  }
  return bounds.gasCap > 0n ? least(high, bounds.gasCap) : high;
}

const succeeded = (probed: Probed): boolean => probed.kind === 'ran' && probed.result.vmError === undefined;

/** geth's eth/gasestimator: run with the highest limit, guess from the gas used, then bisect to within 1.5 per cent. */
export async function estimate(probe: GasProbe, bounds: Bounds): Promise<Estimated> {
  let high = highest(probe, bounds);
  if (high === undefined) return { kind: 'refused', message: 'insufficient funds for transfer' };
  if (probe.isTransfer() && high >= TX_GAS && succeeded(await probe.run(TX_GAS)))
    return { kind: 'gas', gas: TX_GAS };
  const top = await probe.run(high);
  if (top.kind === 'refused') return { kind: 'refused', message: `failed with ${high} gas: ${top.message}` };
  if (top.kind === 'too-little') return exceeds(high);
  if (top.result.vmError?.startsWith(OUT_OF_GAS) === true) return exceeds(high);
  if (top.result.vmError !== undefined) return { kind: 'failed', probed: top };
  let low = top.gasUsed - 1n;
  const guess = ((top.gasPeak + CALL_STIPEND) * 64n) / 63n;
  if (guess < high) {
    if (succeeded(await probe.run(guess))) high = guess;
    else low = guess;
  }
  while (low + 1n < high && (high - low) * 1000n >= 15n * high) {
    const middle = least((high + low) / 2n, low * 2n);
    if (succeeded(await probe.run(middle))) high = middle;
    else low = middle;
  }
  return { kind: 'gas', gas: high };
}

const exceeds = (gas: bigint): Estimated => ({
  kind: 'refused',
  message: `gas required exceeds allowance (${gas})`,
});
