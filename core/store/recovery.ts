/** Opens the database after a clean stop, a crash or a fault. Is the head complete, and do its records agree? */
import { equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import { StorageFault } from '../lib/storageFault.ts';
import { equalBlockId } from '../types/block.ts';
import type { Height } from '../types/ids.ts';
import type { ChainState } from '../types/state.ts';
import { BlockStore } from './blockStore.ts';
import { nodeKey } from './keys.ts';
import type { KvStore } from './kv.ts';
import { EMPTY_ROOT, type Roots } from './roots.ts';
import { isStray } from './undo.ts';

export interface OpenedStore {
  readonly blocks: BlockStore;
  /** undefined if the database is new. The application then writes the genesis state. */
  readonly chain: { readonly state: ChainState; readonly roots: Roots } | undefined;
}

/** `message` is one line for the operator, and says what to do. */
export type StoreError =
  /** A record differs from what was written under its key. */
  | { readonly code: 'store-corrupt'; readonly message: string }
  /** The head refers to something that is missing, so part of a batch was lost. */
  | {
      readonly code: 'store-incomplete';
      readonly height: Height;
      readonly missing: string;
      readonly message: string;
    }
  /** Two records from the same batch contradict each other. */
  | { readonly code: 'store-disagrees'; readonly height: Height; readonly message: string };

/** What the operator can do about a database that cannot be trusted. */
export const REMEDY =
  'restore the data directory from a backup, or remove it and sync from peers (keep the signer state file)';

const incomplete = (height: Height, missing: string): { ok: false; error: StoreError } =>
  err({
    code: 'store-incomplete',
    height,
    missing,
    message: `the database lacks ${missing} of its head, height ${height}: ${REMEDY}`,
  });

const disagrees = (height: Height, what: string): { ok: false; error: StoreError } =>
  err({ code: 'store-disagrees', height, message: `the database's ${what}, height ${height}: ${REMEDY}` });

/** Checks the newest height completely. Older heights are checked when they are read. */
export function openStore(kv: KvStore, sizes: Sizes = USUAL_SIZES): Result<OpenedStore, StoreError> {
  try {
    return checked(kv, sizes);
  } catch (fault) {
    // Here a storage fault becomes a value, because nothing runs yet and the operator needs one line.
    if (!(fault instanceof StorageFault)) throw fault;
    return err({ code: 'store-corrupt', message: `${fault.message}: ${REMEDY}` });
  }
}

function checked(kv: KvStore, sizes: Sizes): Result<OpenedStore, StoreError> {
  const blocks = new BlockStore(kv, sizes);
  const { reads } = blocks;
  const head = reads.headPointer();
  const stored = reads.loadStoredState();
  if (head === undefined) {
    return stored === undefined ? ok({ blocks, chain: undefined }) : incomplete(0, 'the head pointer');
  }
  const { height } = head;
  if (stored === undefined) return incomplete(height, 'the chain state');
  if (stored.lastBlockHeight !== height) {
    return disagrees(height, `chain state is of height ${stored.lastBlockHeight}, not of its head`);
  }
  const next = height === 0 ? stored.initialHeight : height + 1;
  if (isStray(kv, next)) return disagrees(height, `head is below block ${next}, which is there`);
  const [validators, nextValidators] = [reads.loadValidators(next), reads.loadValidators(next + 1)];
  if (validators === undefined) return incomplete(height, `the validators of height ${next}`);
  if (nextValidators === undefined) return incomplete(height, `the validators of height ${next + 1}`);
  const params = reads.loadParams(next);
  if (params === undefined) return incomplete(height, `the params of height ${next}`);
  const lastValidators = height === 0 ? undefined : reads.loadValidators(height);
  if (height > 0 && lastValidators === undefined)
    return incomplete(height, `the validators of height ${height}`);
  const state: ChainState = { ...stored, validators, nextValidators, lastValidators, params };
  if (height > 0) {
    const block = checkBlock(blocks, state, head.blockHash);
    if (!block.ok) return block;
  }
  if (reads.loadEthRecord(height) === undefined) return incomplete(height, 'the Ethereum block');
  const roots = reads.loadRoots(height);
  if (roots === undefined) return incomplete(height, 'the state roots');
  for (const root of [roots.stateRoot, roots.modulesRoot]) {
    if (!equalBytes(root, EMPTY_ROOT) && kv.get(nodeKey(root)) === undefined)
      return incomplete(height, 'the state');
  }
  return ok({ blocks, chain: { state, roots } });
}

function checkBlock(
  { reads }: BlockStore,
  state: ChainState,
  headHash: Uint8Array,
): Result<undefined, StoreError> {
  const height = state.lastBlockHeight;
  const meta = reads.loadMeta(height);
  if (meta === undefined) return incomplete(height, 'the block meta');
  if (!equalBytes(meta.blockId.hash, headHash))
    return disagrees(height, 'block is not the one its head names');
  if (!equalBlockId(state.lastBlockId, meta.blockId))
    return disagrees(height, 'chain state names another block');
  for (let index = 0; index < meta.blockId.parts.total; index++) {
    if (reads.loadPart(height, index) === undefined) return incomplete(height, `block part ${index}`);
  }
  reads.loadBlock(height);
  const seen = reads.loadSeenCommit(height);
  if (seen === undefined) return incomplete(height, 'the seen commit');
  if (!equalBlockId(seen.blockId, meta.blockId)) return disagrees(height, 'seen commit is for another block');
  const results = reads.loadResults(height);
  if (results === undefined) return incomplete(height, 'the results');
  if (!equalBytes(results.appHash, state.appHash))
    return disagrees(height, 'results have another app hash than its state');
  return ok(undefined);
}
