import type { ChainReader } from '../../core/app/chain.ts';
import { readOffences } from '../../core/app/evidence/keeper.ts';
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import { accused } from './framing.ts';

/** Whoever the blocks prove guilty is recorded as often as they do. */
export class Offences {
  readonly #counts = new Map<string, { readonly address: Bytes; count: bigint }>();
  #head = 0;

  /** Blocks are counted once: agreement is another's matter. A chain that ends earlier than one before it is not asked. */
  problem(chain: ChainReader): string | undefined {
    if (chain.head() < this.#head) return undefined;
    for (let height = Math.max(this.#head + 1, chain.base()); height <= chain.head(); height++) {
      for (const address of chain.block(height)?.evidence.flatMap(accused) ?? []) {
        const entry = this.#counts.get(toHex(address)) ?? { address, count: 0n };
        entry.count += 1n;
        this.#counts.set(toHex(address), entry);
      }
      this.#head = height;
    }
    for (const { address, count } of this.#counts.values()) {
      const recorded = readOffences(chain.latest(), address)?.count ?? 0n;
      if (recorded !== count)
        return `${recorded} offences of ${toHex(address)} are recorded, blocks prove ${count}`;
    }
    return undefined;
  }
}
