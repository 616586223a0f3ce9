import type { EthBlock } from '../../app/chain.ts';
import { atLeast } from '../../app/feemarket/baseFee.ts';
import { append } from '../../lib/append.ts';
import type { Height } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';

const GWEI = 1_000_000_000n;
const BLOCKS_MAX = 20;
const SAMPLES_PER_BLOCK_MAX = 3;
const PERCENTILE = 60;
/** Tips at or below this are ignored. */
const IGNORED_TIP = 2n;
const TIP_START = GWEI;
const TIP_MAX = 500n * GWEI;

/** The price above the base fee that the sender paid per gas unit. */
export function effectiveTip(block: EthBlock, index: number): bigint {
  const receipt = block.receipts[index];
  const tip = receipt === undefined ? 0n : receipt.effectiveGasPrice - block.header.baseFeePerGas;
  return tip < 0n ? 0n : tip;
}

/** geth's gas price oracle: 60th percentile of the lowest tips in the last twenty blocks; 1 gwei if there are none. */
export class GasOracle {
  readonly #ctx: RpcContext;
  #at: Height = -1;
  #tip = TIP_START;

  constructor(ctx: RpcContext) {
    this.#ctx = ctx;
  }

  /** At least high enough that base fee plus tip reach the chain's minimum gas price. */
  suggestTip(): bigint {
    const { chain } = this.#ctx;
    return atLeast(this.#usualTip(), chain.leastGasPrice() - chain.nextBaseFee());
  }

  #usualTip(): bigint {
    const head = this.#ctx.chain.latest().height;
    if (head !== this.#at) {
      this.#tip = this.#compute(head);
      this.#at = head;
    }
    return this.#tip;
  }

  /** Base fee of the next block plus the suggested tip. */
  gasPrice(): bigint {
    return this.#ctx.chain.nextBaseFee() + this.suggestTip();
  }

  #compute(head: Height): bigint {
    const samples: bigint[] = [];
    for (let height = head; height > 0 && height > head - BLOCKS_MAX; height--) {
      const block = this.#ctx.chain.ethBlock(height);
      if (block !== undefined) append(samples, lowestTips(block));
    }
    if (samples.length === 0) return TIP_START;
    samples.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const tip = samples[Math.floor(((samples.length - 1) * PERCENTILE) / 100)] as bigint;
    return tip > TIP_MAX ? TIP_MAX : tip;
  }
}

function lowestTips(block: EthBlock): readonly bigint[] {
  const tips = block.transactions
    .map((_, i) => effectiveTip(block, i))
    .filter((tip) => tip > IGNORED_TIP)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return tips.length === 0 ? [TIP_START] : tips.slice(0, SAMPLES_PER_BLOCK_MAX);
}
