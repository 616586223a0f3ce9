import type { EvidencePool } from '../../../core/evidence/pool.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import type { Block } from '../../../core/types/block.ts';
import type { KvOp } from '../../../core/types/kvOp.ts';
import type { ChainState } from '../../../core/types/state.ts';

/** The keys of a node's database, as far as the pool asks for them. */
export class Marks {
  readonly #keys = new Set<string>();

  readonly has = (key: Uint8Array): boolean => this.#keys.has(toHex(key));

  write(ops: readonly KvOp[]): void {
    for (const { type, key } of ops)
      if (type === 'put') this.#keys.add(toHex(key));
      else this.#keys.delete(toHex(key));
  }

  /** The block is stored and the pool hears of it, in that order. */
  commit(pool: EvidencePool, block: Block, state: ChainState): void {
    this.write(pool.commitOps(block));
    pool.onCommitted(block, state);
  }
}
