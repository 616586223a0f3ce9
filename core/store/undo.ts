/**
 * Rolls the newest height back. The state goes one height down. The block stays and is executed again at the next
 * start; if the block itself is bad, it is removed too, and the height is decided anew. Trie nodes are not touched:
 * they are content-addressed, and the state before the block is still complete.
 */
import { txHash } from '../codec/hashes.ts';
import { decodeRecord, encodeRecord, putRecord } from '../codec/record.ts';
import { assert } from '../lib/assert.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import { kept } from '../lib/storageFault.ts';
import type { Block, BlockId, Commit, Part } from '../types/block.ts';
import type { Hash, Height } from '../types/ids.ts';
import { ChainReads } from './chainReads.ts';
import * as keys from './keys.ts';
import type { KvOp, KvStore } from './kv.ts';
import * as layouts from './layouts.ts';
import { encodeStoredState, type StoredState } from './stateRecord.ts';

type Reads = Pick<KvStore, 'get'>;

const del = (key: Bytes): KvOp => ({ type: 'del', key });

/** The height of the rolled-back block above the head; undefined if there is none. */
export function undoneHeight(kv: Reads): Height | undefined {
  const record = kv.get(keys.UNDONE_KEY);
  return record === undefined ? undefined : layouts.decodeHeight(decodeRecord(keys.UNDONE_KEY, record));
}

/**
 * Whether there is a block at `next`, the height above the head, that was not rolled back. A commit writes block and
 * head together, so in that case the head that was read is outdated.
 */
export const isStray = (kv: Reads, next: Height): boolean =>
  kv.get(keys.metaKey(next)) !== undefined && undoneHeight(kv) !== next;

/** Clears the rolled-back height. Belongs in the batch that commits its block again or removes it. */
export const undoneOver = (): KvOp => del(keys.UNDONE_KEY);

/** Reads as if the rolled-back block were the head. */
class WithUndone extends ChainReads {
  constructor(kv: Reads, height: Height) {
    const head = layouts.encodeHead({ height, blockHash: new Uint8Array(32) });
    super({
      get: (key) => (equalBytes(key, keys.HEAD_KEY) ? encodeRecord(keys.HEAD_KEY, head) : kv.get(key)),
    });
  }
}

export interface UndoneBlock {
  readonly block: Block;
  readonly blockId: BlockId;
  readonly parts: readonly Part[];
  readonly seenCommit: Commit;
}

/** The rolled-back block, complete and checked against its hashes. A missing piece is a StorageFault. */
export function loadUndone(kv: Reads, height: Height): UndoneBlock {
  const reads = new WithUndone(kv, height);
  const block = kept(reads.loadBlock(height), 'the block that was taken back', keys.metaKey(height));
  const { blockId } = kept(
    reads.loadMeta(height),
    'the meta of the block that was taken back',
    keys.metaKey(height),
  );
  const parts = Array.from({ length: blockId.parts.total }, (_, index) =>
    kept(
      reads.loadPart(height, index),
      'a part of the block that was taken back',
      keys.partKey(height, index),
    ),
  );
  const seenCommit = kept(
    reads.loadSeenCommit(height),
    'the commit of the block that was taken back',
    keys.seenCommitKey(height),
  );
  return { block, blockId, parts, seenCommit };
}

/** The chain state before the head's block; undefined if the store has no block before it. */
export function stateBefore(reads: ChainReads, now: StoredState): StoredState | undefined {
  const head = reads.loadMeta(now.lastBlockHeight);
  const before = reads.loadMeta(now.lastBlockHeight - 1);
  if (head === undefined || before === undefined) return undefined;
  const height = now.lastBlockHeight - 1;
  // A change made by this block has not happened yet at that state.
  const results = kept(
    reads.loadResults(now.lastBlockHeight),
    'the results of the head',
    keys.resultsKey(now.lastBlockHeight),
  );
  return {
    chainId: now.chainId,
    initialHeight: now.initialHeight,
    lastBlockHeight: height,
    lastBlockId: before.blockId,
    lastBlockTime: before.header.time,
    lastHeightValidatorsChanged:
      results.validatorUpdates.length > 0 ? height + 1 : now.lastHeightValidatorsChanged,
    lastHeightParamsChanged: results.paramUpdates === undefined ? now.lastHeightParamsChanged : height + 1,
    lastResultsHash: head.header.lastResultsHash,
    appHash: head.header.appHash,
  };
}

/** Moves state and head to `before`. The block above stays, to be executed again. */
export const undoOps = (before: StoredState): readonly KvOp[] => [
  putRecord(keys.UNDONE_KEY, layouts.encodeHeight(before.lastBlockHeight + 1)),
  putRecord(keys.STATE_KEY, encodeStoredState(before)),
  putRecord(
    keys.HEAD_KEY,
    layouts.encodeHead({ height: before.lastBlockHeight, blockHash: before.lastBlockId.hash }),
  ),
];

/** Removes all that is left of the rolled-back block. `eth` has the hashes of its Ethereum block and transactions. */
export function forgetOps(
  kv: Reads,
  height: Height,
  eth: { readonly block: Hash; readonly txs: readonly Hash[] },
): readonly KvOp[] {
  const { block, blockId, parts } = loadUndone(kv, height);
  assert(block.header.height === height, 'the block is of its height');
  const here = (key: Bytes): readonly KvOp[] => (locates(kv, key, height) ? [del(key)] : []);
  return [
    del(keys.metaKey(height)),
    ...parts.map(({ index }) => del(keys.partKey(height, index))),
    del(keys.commitKey(height - 1)),
    del(keys.seenCommitKey(height)),
    del(keys.validatorsKey(height + 2)),
    del(keys.paramsKey(height + 1)),
    del(keys.resultsKey(height)),
    del(keys.rootsKey(height)),
    del(keys.ethRecordKey(height)),
    del(keys.blockHashKey(blockId.hash)),
    del(keys.ethHashKey(eth.block)),
    ...block.txs.flatMap((tx) => here(keys.txKey(txHash(tx)))),
    ...eth.txs.flatMap((hash) => here(keys.ethTxKey(hash))),
    undoneOver(),
  ];
}

/** Whether a transaction's entry points to this height. The entry may belong to an earlier tx with the same bytes. */
function locates(kv: Reads, key: Bytes, height: Height): boolean {
  const record = kv.get(key);
  return record !== undefined && layouts.decodeLocation(decodeRecord(key, record))?.height === height;
}
