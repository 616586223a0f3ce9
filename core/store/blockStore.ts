import { BLOCK_META } from '../codec/block.ts';
import { COMMIT } from '../codec/commit.ts';
import { txHash } from '../codec/hashes.ts';
import { encodeConsensusParams } from '../codec/params.ts';
import { PART } from '../codec/part.ts';
import { putMessage, putRecord } from '../codec/record.ts';
import { FINALIZE_REPLY } from '../codec/results.ts';
import { encodeValidatorSet } from '../codec/validator.ts';
import { assert, present } from '../lib/assert.ts';
import { type Bytes, concat, EMPTY, equalBytes, toHex } from '../lib/bytes.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import { StorageFault } from '../lib/storageFault.ts';
import type { FinalizeReply } from '../types/app.ts';
import { type Block, type BlockId, type Commit, equalBlockId, type Part } from '../types/block.ts';
import type { Hash, Height } from '../types/ids.ts';
import type { ConsensusParams } from '../types/params.ts';
import type { ChainState } from '../types/state.ts';
import type { ValidatorSet } from '../types/validator.ts';
import { ChainReads, STORED_FULL, STORED_POINTER } from './chainReads.ts';
import * as keys from './keys.ts';
import type { KvOp, KvStore } from './kv.ts';
import * as layouts from './layouts.ts';
import type { Roots } from './roots.ts';
import { STORED_STATE } from './stateRecord.ts';

/** CometBFT's valSetCheckpointInterval: a full set from time to time, so that old heights can be pruned. */
const FULL_VALIDATORS_EVERY = 100_000;

/** The Ethereum block of a height. The record is opaque to the store. */
export interface EthPart {
  readonly hash: Hash;
  readonly record: Bytes;
}

export interface CommitInput {
  readonly block: Block;
  readonly blockId: BlockId;
  readonly parts: readonly Part[];
  readonly seenCommit: Commit;
  /** The state after the block. */
  readonly state: ChainState;
  readonly results: FinalizeReply;
  /** The roots after the block. */
  readonly roots: Roots;
  readonly eth: EthPart & {
    /**
     * One entry per tx of the block: keccak256 of the Ethereum transaction that it added to the Ethereum block, or
     * undefined if it added none (another kind of tx, or refused).
     */
    readonly txHashes: readonly (Hash | undefined)[];
  };
}

export interface GenesisInput {
  /** The state before the first block. */
  readonly state: ChainState;
  readonly roots: Roots;
  readonly eth: EthPart;
}

/** The value of `height`, which is stored in full under the height `like`. */
interface LastFull<T> {
  readonly height: Height;
  readonly like: Height;
  readonly value: T;
}

const lastFull = <T>(
  height: Height,
  like: Height | undefined,
  value: T | undefined,
): LastFull<T> | undefined =>
  like === undefined || value === undefined ? undefined : { height, like, value };

const isSameParams = (a: ConsensusParams, b: ConsensusParams): boolean =>
  a === b || equalBytes(encodeConsensusParams(a), encodeConsensusParams(b));

const tagged = (tag: number, body: Bytes): Bytes => concat(Uint8Array.of(tag), body);

/** Writes decided heights, each in one atomic batch with the head pointer last. */
export class BlockStore {
  readonly reads: ChainReads;
  readonly #kv: KvStore;
  /** The last values written, to compare the next ones with. After a restart they are read from the database. */
  #lastSet: LastFull<ValidatorSet> | undefined;
  #lastParams: LastFull<ConsensusParams> | undefined;

  constructor(kv: KvStore, sizes: Sizes = USUAL_SIZES) {
    this.#kv = kv;
    this.reads = new ChainReads(kv, sizes);
  }

  /** Resolves once the block is durable and readable through `reads`. `stateOps` come from the sealed write set. */
  async commit(input: CommitInput, stateOps: readonly KvOp[]): Promise<void> {
    await this.#kv.batch([...stateOps, ...this.commitOps(input)]);
    this.reads.refresh();
    if (this.reads.head() !== input.block.header.height)
      throw new StorageFault('head read back is not the one just written', keys.HEAD_KEY);
  }

  async commitGenesis(input: GenesisInput, stateOps: readonly KvOp[]): Promise<void> {
    await this.#kv.batch([...stateOps, ...this.genesisOps(input)]);
    this.reads.refresh();
  }

  /** Operations of one decided height. In the batch they follow the operations of the state. */
  commitOps(input: CommitInput): KvOp[] {
    assertFits(input, this.reads.head());
    const { block, blockId, parts, seenCommit, state, results, roots, eth } = input;
    const { height } = block.header;
    const isFirst = height === state.initialHeight;
    const blockSize = parts.reduce((sum, part) => sum + part.bytes.length, 0);
    const meta = { blockId, blockSize, header: block.header, numTxs: block.txs.length };
    return [
      putMessage(keys.metaKey(height), BLOCK_META, meta),
      ...parts.map((part) => putMessage(keys.partKey(height, part.index), PART, part)),
      ...(isFirst ? [] : [putMessage(keys.commitKey(height - 1), COMMIT, block.lastCommit)]),
      putMessage(keys.seenCommitKey(height), COMMIT, seenCommit),
      this.#validatorsOp(height + 2, state.nextValidators),
      this.#paramsOp(height + 1, state.params),
      putMessage(keys.resultsKey(height), FINALIZE_REPLY, results),
      putRecord(keys.rootsKey(height), layouts.encodeRoots(roots)),
      putRecord(keys.ethRecordKey(height), eth.record),
      putRecord(keys.ethHashKey(eth.hash), layouts.encodeHeight(height)),
      putRecord(keys.blockHashKey(blockId.hash), layouts.encodeHeight(height)),
      ...this.#txOps(input),
      ...(isFirst ? [putRecord(keys.BASE_KEY, layouts.encodeHeight(height))] : []),
      putMessage(keys.STATE_KEY, STORED_STATE, state),
      putRecord(keys.HEAD_KEY, layouts.encodeHead({ height, blockHash: blockId.hash })),
    ];
  }

  /** Operations for the state before the first block, height 0. */
  genesisOps({ state, roots, eth }: GenesisInput): KvOp[] {
    assert(state.lastBlockHeight === 0, 'the genesis state comes before the first block');
    assert(this.reads.headPointer() === undefined, 'the genesis state is written once');
    const first = state.initialHeight;
    return [
      putRecord(keys.validatorsKey(first), tagged(STORED_FULL, encodeValidatorSet(state.validators))),
      putRecord(keys.validatorsKey(first + 1), tagged(STORED_FULL, encodeValidatorSet(state.nextValidators))),
      putRecord(keys.paramsKey(first), tagged(STORED_FULL, encodeConsensusParams(state.params))),
      putRecord(keys.rootsKey(0), layouts.encodeRoots(roots)),
      putRecord(keys.ethRecordKey(0), eth.record),
      putRecord(keys.ethHashKey(eth.hash), layouts.encodeHeight(0)),
      putMessage(keys.STATE_KEY, STORED_STATE, state),
      putRecord(keys.HEAD_KEY, layouts.encodeHead({ height: 0, blockHash: EMPTY })),
    ];
  }

  #validatorsOp(height: Height, set: ValidatorSet): KvOp {
    const last =
      this.#lastSet?.height === height - 1
        ? this.#lastSet
        : lastFull(
            height - 1,
            this.reads.fullValidatorsHeight(height - 1),
            this.reads.loadValidators(height - 1),
          );
    const isPointer =
      last !== undefined && height % FULL_VALIDATORS_EVERY !== 0 && layouts.isSameMembers(last.value, set);
    const like = isPointer ? last.like : height;
    this.#lastSet = { height, like, value: set };
    return putRecord(
      keys.validatorsKey(height),
      isPointer
        ? tagged(STORED_POINTER, layouts.encodeSetPointer(layouts.pointerOf(like, set)))
        : tagged(STORED_FULL, encodeValidatorSet(set)),
    );
  }

  #paramsOp(height: Height, params: ConsensusParams): KvOp {
    const last =
      this.#lastParams?.height === height - 1
        ? this.#lastParams
        : lastFull(height - 1, this.reads.fullParamsHeight(height - 1), this.reads.loadParams(height - 1));
    const isPointer = last !== undefined && isSameParams(last.value, params);
    const like = isPointer ? last.like : height;
    this.#lastParams = { height, like, value: params };
    return putRecord(
      keys.paramsKey(height),
      isPointer
        ? tagged(STORED_POINTER, layouts.encodeHeight(like))
        : tagged(STORED_FULL, encodeConsensusParams(params)),
    );
  }

  /** A failed tx does not replace the entry of a tx with the same bytes, as in CometBFT's indexer. */
  #txOps({ block, results, eth }: CommitInput): KvOp[] {
    const ops: KvOp[] = [];
    const here = new Set<string>();
    let ethCount = 0;
    for (const [index, tx] of block.txs.entries()) {
      const ethHash = eth.txHashes[index];
      const ethIndex = ethHash === undefined ? undefined : ethCount++;
      const location = layouts.encodeLocation({ height: block.header.height, index, ethIndex });
      if (ethHash !== undefined) ops.push(putRecord(keys.ethTxKey(ethHash), location));
      const hash = txHash(tx);
      const name = toHex(hash);
      const hasFailed = present(results.txResults[index], 'a result for each tx').code !== 0;
      if (hasFailed && (here.has(name) || this.#kv.get(keys.txKey(hash)) !== undefined)) continue;
      here.add(name);
      ops.push(putRecord(keys.txKey(hash), location));
    }
    return ops;
  }
}

function assertFits(
  { block, blockId, parts, seenCommit, state, results, eth }: CommitInput,
  head: Height,
): void {
  const { height } = block.header;
  assert(height === (head === 0 ? state.initialHeight : head + 1), 'heights are committed one after another');
  assert(state.lastBlockHeight === height, 'the state is that after the block');
  assert(equalBlockId(state.lastBlockId, blockId), 'the state names the block');
  assert(parts.length === blockId.parts.total, 'all parts of the block');
  assert(
    parts.every((part, index) => part.index === index),
    'parts in order',
  );
  assert(
    seenCommit.height === height && equalBlockId(seenCommit.blockId, blockId),
    'the commit is for the block',
  );
  assert(results.txResults.length === block.txs.length, 'one result a tx');
  assert(eth.txHashes.length === block.txs.length, 'one Ethereum hash (or none) a tx');
}
