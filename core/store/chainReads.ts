import { decodeBlock, decodeBlockMeta } from '../codec/block.ts';
import { decodeCommit } from '../codec/commit.ts';
import { headerHash } from '../codec/hashes.ts';
import { decodeConsensusParams } from '../codec/params.ts';
import { decodePart } from '../codec/part.ts';
import { PartSet } from '../codec/partSet.ts';
import { decodeRecord } from '../codec/record.ts';
import { decodeFinalizeReply } from '../codec/results.ts';
import { decodeValidatorSet } from '../codec/validator.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import type { Result } from '../lib/result.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import { StorageFault } from '../lib/storageFault.ts';
import type { FinalizeReply } from '../types/app.ts';
import type { Block, BlockMeta, Commit, Part } from '../types/block.ts';
import type { BlockReader } from '../types/blockReader.ts';
import type { Hash, Height } from '../types/ids.ts';
import type { ConsensusParams } from '../types/params.ts';
import type { ValidatorSet } from '../types/validator.ts';
import * as keys from './keys.ts';
import type { KvStore } from './kv.ts';
import * as layouts from './layouts.ts';
import { RecentHeights } from './recentHeights.ts';
import { RecentRecords } from './recentRecords.ts';
import type { Roots } from './roots.ts';
import { decodeStoredState, type StoredState } from './stateRecord.ts';

/** First payload byte of validators and params records. */
export const STORED_FULL = 1;
export const STORED_POINTER = 2;

const HEIGHTS_CACHED_MAX = 64;
/** A full block and its results take megabytes. Clients that wait for receipts ask for the same few repeatedly. */
const BLOCKS_CACHED_MAX = 4;

/**
 * Reads all that was decided, by height or by hash, up to the head. Each value read is checked against its key, and a
 * block against its hash. A value that we cannot have written is a StorageFault.
 */
export class ChainReads implements BlockReader {
  readonly #kv: Pick<KvStore, 'get'>;
  #head: Height = 0;
  #base: Height = 0;
  readonly #metas: RecentHeights<BlockMeta>;
  readonly #commits: RecentHeights<Commit>;
  readonly #seenCommits: RecentHeights<Commit>;
  readonly #blocks: RecentRecords<Block>;
  readonly #results: RecentRecords<FinalizeReply>;

  constructor(kv: Pick<KvStore, 'get'>, sizes: Sizes = USUAL_SIZES) {
    this.#kv = kv;
    const heights = sizes.kept(HEIGHTS_CACHED_MAX);
    const blocks = sizes.kept(BLOCKS_CACHED_MAX);
    this.#metas = new RecentHeights(heights);
    this.#commits = new RecentHeights(heights);
    this.#seenCommits = new RecentHeights(heights);
    this.#blocks = new RecentRecords(blocks);
    this.#results = new RecentRecords(blocks);
    this.refresh();
  }

  /** Reads the head from the database: at the start, and once a commit batch is durable. */
  refresh(): void {
    const head = this.headPointer();
    if (head === undefined) return;
    this.#head = head.height;
    this.#base = this.#read(keys.BASE_KEY, layouts.decodeHeight) ?? 0;
  }

  /** undefined until the genesis state is written. */
  headPointer(): layouts.HeadPointer | undefined {
    return this.#read(keys.HEAD_KEY, layouts.decodeHead);
  }

  /** The chain state as stored; recovery.ts adds the validators and params. */
  loadStoredState(): StoredState | undefined {
    return this.#read(keys.STATE_KEY, decodeStoredState);
  }

  /** Newest height that may be read; 0 before the first block. */
  head(): Height {
    return this.#head;
  }

  /** Lowest block kept; 0 before the first block. */
  base(): Height {
    return this.#base;
  }

  loadMeta(height: Height): BlockMeta | undefined {
    if (!this.keeps(height)) return undefined;
    return this.#metas.at(height, () => this.#decode(keys.metaKey(height), decodeBlockMeta));
  }

  loadPart(height: Height, index: number): Part | undefined {
    return this.keeps(height) ? this.#decode(keys.partKey(height, index), decodePart) : undefined;
  }

  /** The commit for `height` that the block at height + 1 carries. */
  loadCommit(height: Height): Commit | undefined {
    if (!this.keeps(height)) return undefined;
    return this.#commits.at(height, () => this.#decode(keys.commitKey(height), decodeCommit));
  }

  loadSeenCommit(height: Height): Commit | undefined {
    if (!this.keeps(height)) return undefined;
    return this.#seenCommits.at(height, () => this.#decode(keys.seenCommitKey(height), decodeCommit));
  }

  /** The whole block. Its parts are proven against the meta, and its hash is computed again. */
  loadBlock(height: Height): Block | undefined {
    const meta = this.loadMeta(height);
    if (meta === undefined) return undefined;
    const records: Bytes[] = [];
    for (let index = 0; index < meta.blockId.parts.total; index++) {
      const record = this.#kv.get(keys.partKey(height, index));
      if (record === undefined) throw partFault(height, index);
      records.push(record);
    }
    return this.#blocks.at(height, records, () => blockOf(height, meta, records));
  }

  /** Known up to head + 2; before the first block, for the two heights that genesis determines. */
  loadValidators(height: Height): ValidatorSet | undefined {
    const stored = this.#stored(keys.validatorsKey(height));
    if (stored === undefined || !this.#isWithin(height, 2)) return undefined;
    const fault = (): StorageFault => new StorageFault('validators altered', keys.validatorsKey(height));
    if (stored.isFull) return orFault(decodeValidatorSet(stored.body), fault);
    const pointer = layouts.decodeSetPointer(stored.body);
    const full = pointer === undefined ? undefined : this.#stored(keys.validatorsKey(pointer.like));
    if (pointer === undefined || full?.isFull !== true) throw fault();
    const set = layouts.setOfPointer(orFault(decodeValidatorSet(full.body), fault), pointer);
    if (set === undefined) throw fault();
    return set;
  }

  /** The height under which the full set for `height` is stored. */
  fullValidatorsHeight(height: Height): Height | undefined {
    const stored = this.#stored(keys.validatorsKey(height));
    if (stored === undefined) return undefined;
    return stored.isFull ? height : layouts.decodeSetPointer(stored.body)?.like;
  }

  /** Known up to head + 1; before the first block, for the initial height. */
  loadParams(height: Height): ConsensusParams | undefined {
    const at = this.fullParamsHeight(height);
    if (at === undefined || !this.#isWithin(height, 1)) return undefined;
    const key = keys.paramsKey(at);
    const stored = this.#stored(key);
    const fault = (): StorageFault => new StorageFault('params missing or altered', key);
    if (stored?.isFull !== true) throw fault();
    return orFault(decodeConsensusParams(stored.body), fault);
  }

  /** The height under which the full params for `height` are stored. */
  fullParamsHeight(height: Height): Height | undefined {
    const stored = this.#stored(keys.paramsKey(height));
    if (stored === undefined) return undefined;
    return stored.isFull ? height : layouts.decodeHeight(stored.body);
  }

  loadResults(height: Height): FinalizeReply | undefined {
    if (!this.keeps(height)) return undefined;
    const key = keys.resultsKey(height);
    const record = this.#kv.get(key);
    if (record === undefined) return undefined;
    return this.#results.at(height, [record], () => decoded(key, record, decodeFinalizeReply));
  }

  /** The application's record of the Ethereum block; height 0 is the genesis block. */
  loadEthRecord(height: Height): Bytes | undefined {
    return height > this.#head ? undefined : this.#payload(keys.ethRecordKey(height));
  }

  /** State roots after the height; height 0 is the genesis state. */
  loadRoots(height: Height): Roots | undefined {
    return height > this.#head ? undefined : this.#read(keys.rootsKey(height), layouts.decodeRoots);
  }

  heightOfBlockHash(hash: Hash): Height | undefined {
    return this.#heightAt('block', hash);
  }

  heightOfEthHash(hash: Hash): Height | undefined {
    return this.#heightAt('eth', hash);
  }

  /** By sha256 of the consensus tx. */
  txLocation(hash: Hash): layouts.StoredLocation | undefined {
    return this.#location('tx', hash);
  }

  /** By keccak256 of the Ethereum envelope. */
  ethTxLocation(hash: Hash): layouts.StoredLocation | undefined {
    return this.#location('ethTx', hash);
  }

  /** Whether everything of this height must be in the store, according to head and base. */
  keeps(height: Height): boolean {
    return height >= this.#base && height <= this.#head && height > 0;
  }

  /** At most `ahead` heights above the head. Before the first block only the heights of genesis are stored at all. */
  #isWithin(height: Height, ahead: number): boolean {
    return this.#head === 0 || height <= this.#head + ahead;
  }

  #heightAt(kind: 'block' | 'eth', hash: Hash): Height | undefined {
    if (hash.length !== 32) return undefined;
    const key = kind === 'block' ? keys.blockHashKey(hash) : keys.ethHashKey(hash);
    const height = this.#read(key, layouts.decodeHeight);
    return height === undefined || height > this.#head ? undefined : height;
  }

  #location(kind: 'tx' | 'ethTx', hash: Hash): layouts.StoredLocation | undefined {
    if (hash.length !== 32) return undefined;
    const key = kind === 'tx' ? keys.txKey(hash) : keys.ethTxKey(hash);
    const location = this.#read(key, layouts.decodeLocation);
    return location === undefined || location.height > this.#head ? undefined : location;
  }

  #payload(key: Bytes): Bytes | undefined {
    const record = this.#kv.get(key);
    return record === undefined ? undefined : decodeRecord(key, record);
  }

  #read<T>(key: Bytes, decode: (payload: Bytes) => T | undefined): T | undefined {
    const payload = this.#payload(key);
    if (payload === undefined) return undefined;
    const value = decode(payload);
    if (value === undefined) throw new StorageFault('record of another shape', key);
    return value;
  }

  #decode<T>(key: Bytes, decode: Decode<T>): T | undefined {
    const record = this.#kv.get(key);
    return record === undefined ? undefined : decoded(key, record, decode);
  }

  #stored(key: Bytes): { readonly isFull: boolean; readonly body: Bytes } | undefined {
    const payload = this.#payload(key);
    if (payload === undefined) return undefined;
    const kind = payload[0];
    if (kind !== STORED_FULL && kind !== STORED_POINTER)
      throw new StorageFault('record of another shape', key);
    return { isFull: kind === STORED_FULL, body: payload.subarray(1) };
  }
}

type Decode<T> = (payload: Bytes) => Result<T, { readonly message: string }>;

const decoded = <T>(key: Bytes, record: Bytes, decode: Decode<T>): T =>
  orFault(decode(decodeRecord(key, record)), () => new StorageFault('record does not decode', key));

const partFault = (height: Height, index: number): StorageFault =>
  new StorageFault('block part missing or wrong', keys.partKey(height, index));

/** The block that consists of these parts. */
function blockOf(height: Height, { blockId }: BlockMeta, records: readonly Bytes[]): Block {
  const parts = PartSet.empty(blockId.parts);
  for (const [index, record] of records.entries()) {
    const part = decoded(keys.partKey(height, index), record, decodePart);
    if (!parts.add(part).ok) throw partFault(height, index);
  }
  const block = decodeBlock(parts.bytes());
  if (!block.ok || block.value.header.height !== height)
    throw new StorageFault('block altered', keys.metaKey(height));
  if (!equalBytes(headerHash(block.value.header), blockId.hash))
    throw new StorageFault('block has another hash', keys.metaKey(height));
  return block.value;
}

function orFault<T>(result: Result<T, unknown>, fault: () => StorageFault): T {
  if (!result.ok) throw fault();
  return result.value;
}
