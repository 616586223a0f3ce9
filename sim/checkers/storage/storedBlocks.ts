import type { ChainReader } from '../../../core/app/chain.ts';
import { encodeBlock } from '../../../core/codec/block.ts';
import { encodeCommit } from '../../../core/codec/commit.ts';
import { validatorsHash } from '../../../core/codec/hashes.ts';
import { present } from '../../../core/lib/assert.ts';
import { type Bytes, equalBytes } from '../../../core/lib/bytes.ts';
import type { Sample } from '../../sample.ts';

/** What follows from the block of a height and from the next block. */
interface Wanted {
  readonly bytes: number;
  readonly txs: readonly Bytes[];
  /** The commit for the block below, the same on every node. */
  readonly lastCommit: Bytes;
}

/** What a node stores beside its consensus blocks: size, transaction count and locations, commits, validators. */
export class StoredBlocks {
  readonly #sha256: (message: Bytes) => Bytes;
  readonly #wanted = new Map<number, Wanted>();

  constructor(sha256: (message: Bytes) => Bytes) {
    this.#sha256 = sha256;
  }

  /** Each block is read once, because another checker compares blocks of different nodes. */
  problem(chain: ChainReader, height: number, sample: Sample): string | undefined {
    const meta = chain.blockMeta(height);
    if (height === 0 || meta === undefined) return undefined;
    const { bytes, txs } = this.#of(chain, height);
    if (meta.numTxs !== txs.length) return `has ${txs.length} transactions and says ${meta.numTxs}`;
    if (meta.blockSize !== bytes) return `has ${bytes} bytes and says ${meta.blockSize}`;
    for (const i of sample.txs(txs.length, chain.results(height)?.txResults ?? [])) {
      const tx = present(txs[i], 'a transaction');
      const place = chain.txLocation(this.#sha256(tx));
      // The same bytes may be in the chain twice if they failed the first time.
      const isThere =
        place?.height === height ? equalBytes(txs[place.index] ?? NONE, tx) : place !== undefined;
      if (!isThere) return `does not find its consensus transaction ${i}`;
    }
    const validators = chain.validators(height);
    if (validators === undefined || !equalBytes(validatorsHash(validators), meta.header.validatorsHash))
      return 'has other validators than its header says';
    if (height >= chain.head()) return undefined;
    const commit = chain.commit(height);
    return commit !== undefined && equalBytes(encodeCommit(commit), this.#of(chain, height + 1).lastCommit)
      ? undefined
      : 'has another commit than the next block carries';
  }

  #of(chain: ChainReader, height: number): Wanted {
    const known = this.#wanted.get(height);
    if (known !== undefined) return known;
    const block = present(chain.block(height), 'a kept block');
    const wanted: Wanted = {
      bytes: encodeBlock(block).length,
      txs: block.txs,
      lastCommit: encodeCommit(block.lastCommit),
    };
    this.#wanted.set(height, wanted);
    return wanted;
  }
}

const NONE: Bytes = new Uint8Array(0);
