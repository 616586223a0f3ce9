import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import { kept, StorageFault } from '../lib/storageFault.ts';
import type { StateDb } from '../state/stateDb.ts';
import { WorldState } from '../state/worldState.ts';
import type { ChainReads } from '../store/chainReads.ts';
import { ethRecordKey } from '../store/keys.ts';
import { RecentHeights } from '../store/recentHeights.ts';
import type { Hash, Height } from '../types/ids.ts';
import { AppView } from './appView.ts';
import type { EthBlock } from './chain.ts';
import { decodeEthBlock } from './evm/blockCodec.ts';
import { ZERO_HASH } from './evm/header.ts';

/** Decoded Ethereum blocks in the cache: filters, fee history and explorers ask for recent blocks repeatedly. */
const ETH_BLOCKS_CACHED_MAX = 256;
/** More than the 256 blocks that BLOCKHASH can reach. */
const ETH_HASHES_CACHED_MAX = 512;

/**
 * The newest readable height, and access to earlier ones. The application's commit advances it; every reader uses it.
 */
export class ChainHead {
  readonly #reads: ChainReads;
  readonly #db: StateDb;
  readonly #initialHeight: Height;
  readonly #blocks: RecentHeights<EthBlock>;
  readonly #hashes: RecentHeights<Hash>;
  #view: AppView;
  #ethBlock: EthBlock;

  constructor(parts: {
    readonly reads: ChainReads;
    readonly db: StateDb;
    readonly initialHeight: Height;
    readonly view: AppView;
    /** The Ethereum block of the view's height. */
    readonly ethBlock: EthBlock;
    readonly sizes?: Sizes | undefined;
  }) {
    const { reads, db, initialHeight, view, ethBlock, sizes = USUAL_SIZES } = parts;
    this.#blocks = new RecentHeights(sizes.kept(ETH_BLOCKS_CACHED_MAX));
    this.#hashes = new RecentHeights(sizes.kept(ETH_HASHES_CACHED_MAX));
    this.#reads = reads;
    this.#db = db;
    this.#initialHeight = initialHeight;
    this.#view = view;
    this.#ethBlock = ethBlock;
  }

  get initialHeight(): Height {
    return this.#initialHeight;
  }

  get view(): AppView {
    return this.#view;
  }

  get latestEthBlock(): EthBlock {
    return this.#ethBlock;
  }

  /** Must be called after the commit batch is durable and before subscribers are notified. */
  advance(view: AppView, ethBlock: EthBlock): void {
    this.#view = view;
    this.#ethBlock = ethBlock;
    this.#blocks.at(view.height, () => ethBlock);
    this.#hashes.at(view.height, () => ethBlock.hash);
  }

  viewAt(height: Height): AppView | undefined {
    if (height === this.#view.height) return this.#view;
    const roots = height < 0 || height > this.#view.height ? undefined : this.#reads.loadRoots(height);
    return roots === undefined ? undefined : new AppView(height, WorldState.open(this.#db, roots));
  }

  ethBlock(height: Height): EthBlock | undefined {
    if (height === this.#view.height) return this.#ethBlock;
    if (height < 0 || height > this.#view.height) return undefined;
    return this.#blocks.at(height, () => {
      const record = this.#reads.loadEthRecord(height);
      if (record === undefined && !this.#reads.keeps(height)) return undefined;
      const block = kept(record, 'the Ethereum block of a kept height', ethRecordKey(height));
      const decoded = decodeEthBlock(block, this.#db.keccak256);
      if (!decoded.ok)
        throw new StorageFault(`Ethereum block of height ${height}: ${decoded.error}`, ZERO_HASH);
      return decoded.value;
    });
  }

  /** Ethereum hash by Ethereum block number; zeros if there is no such block (BLOCKHASH). */
  ethHashOf(number: number): Hash {
    // The genesis block has number `initialHeight - 1` but is stored under height 0.
    const first = this.#initialHeight - 1;
    if (number < first) return ZERO_HASH;
    const height = number === first ? 0 : number;
    return this.#hashes.at(height, () => this.ethBlock(height)?.hash) ?? ZERO_HASH;
  }
}
