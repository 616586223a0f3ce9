import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { Account, type Address } from '@ethereumjs/util';
import { assert } from '../lib/assert.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import type { Roots } from '../store/roots.ts';
import { isEmptyRoot } from './trieNode.ts';
import { WorldState } from './worldState.ts';
import { BlockWriteSet } from './writeSet.ts';

/**
 * The EVM library's access to a block's writes. The library modifies the accounts it gets before it puts them back, so
 * each get makes a fresh Account from our immutable state. Storage roots change only at the end of the block, so the
 * root in an account that is put back is ignored.
 */
export class EvmStateAdapter implements StateManagerInterface {
  readonly writes: BlockWriteSet;
  readonly originalStorageCache: StateManagerInterface['originalStorageCache'];

  constructor(writes: BlockWriteSet) {
    this.writes = writes;
    this.originalStorageCache = {
      get: async (address, key) => writes.originalStorage(address.bytes, key),
      clear: () => writes.beginTx(),
    };
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const state = this.writes.account(address.bytes);
    if (state === undefined) return undefined;
    return new Account(state.nonce, state.balance, state.storageRoot, state.codeHash);
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) this.writes.deleteAccount(address.bytes);
    else this.writes.putAccount(address.bytes, account);
  }

  async deleteAccount(address: Address): Promise<void> {
    this.writes.deleteAccount(address.bytes);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const { nonce, balance, codeHash } = fields;
    // The library's types allow null for "not loaded", which only partial (stateless) accounts have.
    this.writes.putAccount(address.bytes, {
      ...(nonce === undefined ? {} : { nonce }),
      ...(balance === undefined ? {} : { balance }),
      ...(codeHash === undefined ? {} : { codeHash }),
    });
  }

  async putCode(address: Address, value: Bytes): Promise<void> {
    this.writes.putCode(address.bytes, value);
  }

  async getCode(address: Address): Promise<Bytes> {
    return this.writes.code(address.bytes);
  }

  async getCodeSize(address: Address): Promise<number> {
    return this.writes.code(address.bytes).length;
  }

  async getStorage(address: Address, key: Bytes): Promise<Bytes> {
    return this.writes.storage(address.bytes, key);
  }

  async putStorage(address: Address, key: Bytes, value: Bytes): Promise<void> {
    this.writes.putStorage(address.bytes, key, value);
  }

  async clearStorage(address: Address): Promise<void> {
    this.writes.clearStorage(address.bytes);
  }

  async checkpoint(): Promise<void> {
    this.writes.checkpoint();
  }

  async commit(): Promise<void> {
    this.writes.commit();
  }

  async revert(): Promise<void> {
    this.writes.revert();
  }

  /** Costs a trie update of everything written so far. Block execution does not call it. */
  async getStateRoot(): Promise<Bytes> {
    return this.writes.rootsNow().stateRoot;
  }

  /** A write set belongs to one state. Another state needs another adapter. */
  async setStateRoot(stateRoot: Bytes): Promise<void> {
    assert(equalBytes(stateRoot, this.writes.world.stateRoot), 'a write set cannot change its state');
  }

  async hasStateRoot(root: Bytes): Promise<boolean> {
    return isEmptyRoot(root) || this.writes.world.db.hasRoot(root);
  }

  /** Nothing to clear: caches are by content, and the block's writes are no cache. */
  clearCaches(): void {}

  getAppliedKey(address: Bytes): Bytes {
    return this.writes.world.db.keyHash(address);
  }

  /** An adapter over the same frozen state, without this block's writes. */
  shallowCopy(): EvmStateAdapter {
    const { db } = this.writes.world;
    const roots: Roots = this.writes.world;
    return new EvmStateAdapter(new BlockWriteSet(WorldState.open(db, roots)));
  }
}
