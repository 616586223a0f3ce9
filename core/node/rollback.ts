/** `orrery rollback`: takes back the newest height of a stopped node. The next start executes its block again. */
import { decodeEthBlock } from '../app/evm/blockCodec.ts';
import { decodeRecord } from '../codec/record.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import { undoIndexOps } from '../events/index/indexer.ts';
import { undoOps as undoEvidenceOps } from '../evidence/pool.ts';
import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { kept, StorageFault } from '../lib/storageFault.ts';
import { ChainReads } from '../store/chainReads.ts';
import { ethRecordKey, HEAD_KEY, resultsKey, UNDONE_KEY } from '../store/keys.ts';
import type { KvOp, KvStore } from '../store/kv.ts';
import {
  forgetOps,
  isStray,
  loadUndone,
  stateBefore,
  undoneHeight,
  undoneOver,
  undoOps,
} from '../store/undo.ts';
import type { Application } from '../types/app.ts';
import type { Height } from '../types/ids.ts';
import type { ChainState } from '../types/state.ts';
import { blockRules } from './blockRules.ts';

type Reads = Pick<KvStore, 'get'>;

export interface RolledBack {
  /** The height of the state after the rollback. */
  readonly height: Height;
  readonly appHash: Bytes;
  /** To be written in one batch; empty if there is nothing to do. */
  readonly ops: readonly KvOp[];
}

/**
 * Plans to take the state back one height and, with `hard`, to remove the block too. A state that was taken back, and
 * not started since, is not taken back again, as in CometBFT. The error is one line for the operator.
 */
export function planRollback(kv: Reads, suite: CryptoSuite, hard: boolean): Result<RolledBack, string> {
  try {
    return planned(kv, suite, hard);
  } catch (fault) {
    // No node runs on this store. A storage fault becomes an error line for the operator.
    if (!(fault instanceof StorageFault)) throw fault;
    return err(fault.message);
  }
}

function planned(kv: Reads, suite: CryptoSuite, hard: boolean): Result<RolledBack, string> {
  const reads = new ChainReads(kv);
  const now = reads.loadStoredState();
  if (now === undefined || now.lastBlockHeight === 0) return err('there is no block to roll back');
  const waiting = undoneHeight(kv);
  if (waiting !== undefined) {
    const { lastBlockHeight: height, appHash } = now;
    checkAbove(height, waiting);
    return ok({ height, appHash, ops: hard ? forget(kv, suite, waiting) : [] });
  }
  const next = now.lastBlockHeight + 1;
  if (isStray(kv, next))
    throw new StorageFault(`block ${next} is there, the head is ${now.lastBlockHeight}`, HEAD_KEY);
  const before = stateBefore(reads, now);
  if (before === undefined) return err(`block ${now.lastBlockHeight} has no block before it in this store`);
  const { lastBlockHeight: height, appHash } = before;
  const key = resultsKey(now.lastBlockHeight);
  const results = kept(reads.loadResults(now.lastBlockHeight), 'the results of the head', key);
  const index = undoIndexOps(kv, now.lastBlockHeight, results);
  const block = hard ? forget(kv, suite, now.lastBlockHeight) : [];
  return ok({ height, appHash, ops: [...index, ...undoOps(before), ...block] });
}

/** The height taken back must be right above the head. Otherwise the disk has returned outdated records. */
function checkAbove(head: Height, waiting: Height): void {
  if (waiting !== head + 1)
    throw new StorageFault(`block ${waiting} was taken back, the head is ${head}`, UNDONE_KEY);
}

function forget(kv: Reads, suite: CryptoSuite, height: Height): readonly KvOp[] {
  const key = ethRecordKey(height);
  const record = decodeRecord(key, kept(kv.get(key), 'the Ethereum face of a block', key));
  const eth = decodeEthBlock(record, (message) => suite.keccak256(message));
  assert(eth.ok, 'the Ethereum block decodes');
  const { hash, transactions } = eth.value;
  return [
    ...undoEvidenceOps(loadUndone(kv, height).block),
    ...forgetOps(kv, height, { block: hash, txs: transactions.map((tx) => tx.hash) }),
  ];
}

/** Executes the block that was rolled back, if there is one. Returns the state to start from. */
export async function redoRolledBack(
  kv: KvStore,
  suite: CryptoSuite,
  { app, state }: { readonly app: Application; readonly state: ChainState },
): Promise<ChainState> {
  const height = undoneHeight(kv);
  if (height === undefined) return state;
  checkAbove(state.lastBlockHeight, height);
  const { block, blockId, parts, seenCommit } = loadUndone(kv, height);
  const rules = blockRules(suite, () => ok(undefined));
  const context = rules.context(state, block);
  const results = await app.finalize({ kind: 'finalize', context, hash: blockId.hash, txs: block.txs });
  const next = rules.next(state, blockId, block, results);
  assert(next.ok, 'a decided block can be applied');
  const extraOps = [undoneOver()];
  await app.commit({
    kind: 'commit',
    block,
    blockId,
    parts,
    seenCommit,
    state: next.value,
    results,
    extraOps,
  });
  return next.value;
}
