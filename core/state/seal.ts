/** Computes new roots from a block's writes, with one update for each touched trie: storage, state, modules. */
import { type Bytes, compareBytes, equalBytes } from '../lib/bytes.ts';
import { codeKey, nodeKey } from '../store/keys.ts';
import type { KvOp } from '../store/kv.ts';
import type { Roots } from '../store/roots.ts';
import type { Hash } from '../types/ids.ts';
import { type AccountState, encodeAccount } from './account.ts';
import { packed } from './packed.ts';
import { encodeString } from './rlp.ts';
import type { Change } from './trieUpdate.ts';
import type { WorldState } from './worldState.ts';
import type { AccountEntry, ModuleEntry } from './writeSet.ts';

export interface Sealed extends Roots {
  /** New nodes and code. They are content-addressed: their order does not matter, and writing one twice is harmless. */
  readonly ops: readonly KvOp[];
}

export function sealWrites(
  world: WorldState,
  accounts: ReadonlyMap<string, AccountEntry>,
  codes: ReadonlyMap<string, Bytes>,
  modules: ReadonlyMap<string, ModuleEntry>,
): Sealed {
  const ops: KvOp[] = [];
  const accountChanges: Change[] = [];
  for (const entry of accounts.values()) {
    if (!entry.written) continue;
    const state = entry.state === undefined ? undefined : settledState(world, entry, entry.state, ops);
    if (sameState(entry.base, state)) continue;
    accountChanges.push({
      key: world.db.keyHash(entry.address),
      value: state === undefined ? undefined : encodeAccount(state),
    });
    const code = state === undefined ? undefined : codes.get(packed(state.codeHash));
    if (state !== undefined && code !== undefined)
      ops.push({ type: 'put', key: codeKey(state.codeHash), value: code });
  }
  const moduleChanges: Change[] = [];
  for (const { key, base, value } of modules.values())
    if (!sameBytes(base, value)) moduleChanges.push({ key, value });
  return {
    stateRoot: updated(world, world.stateRoot, accountChanges, ops),
    modulesRoot: updated(world, world.modulesRoot, moduleChanges, ops),
    ops,
  };
}

/** The account with its storage root after the block. */
function settledState(
  world: WorldState,
  entry: AccountEntry,
  state: AccountState,
  ops: KvOp[],
): AccountState {
  const changes: Change[] = [];
  for (const { slot, base, value } of entry.slots.values()) {
    if (equalBytes(base, value)) continue;
    changes.push({
      key: world.db.keyHash(slot),
      value: value.length === 0 ? undefined : encodeString(value),
    });
  }
  return { ...state, storageRoot: updated(world, entry.storageRoot, changes, ops) };
}

function updated(world: WorldState, root: Hash, changes: Change[], ops: KvOp[]): Hash {
  if (changes.length === 0) return root;
  changes.sort((a, b) => compareBytes(a.key, b.key));
  const result = world.db.trie.update(root, changes);
  for (const [hash, raw] of result.nodes) ops.push({ type: 'put', key: nodeKey(hash), value: raw });
  return result.root;
}

const sameBytes = (a: Bytes | undefined, b: Bytes | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b);

const sameState = (a: AccountState | undefined, b: AccountState | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.nonce === b.nonce &&
      a.balance === b.balance &&
      equalBytes(a.storageRoot, b.storageRoot) &&
      equalBytes(a.codeHash, b.codeHash);
