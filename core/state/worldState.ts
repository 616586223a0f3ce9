import { assert, present } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import { Recent } from '../lib/recent.ts';
import { EMPTY_ROOT, type Roots } from '../store/roots.ts';
import type { Address, Hash } from '../types/ids.ts';
import { type AccountState, decodeAccount } from './account.ts';
import { packed } from './packed.ts';
import { payloadStart } from './rlp.ts';
import type { StateDb } from './stateDb.ts';
import type { EntryRange, TrieEntry } from './trieEntries.ts';

const NO_VALUE = new Uint8Array(0);

/**
 * The frozen state at one pair of roots. Accounts are in Ethereum's state trie under keccak256(address). Their slots
 * are in tries of their own, under keccak256(slot), as RLP of the value without leading zeros.
 *
 * The module store is a second trie whose keys are *not* hashed. A module key is a prefix byte or word followed by
 * bytes that the module chooses. So a module's entries can be walked in key order, and a proof names the key itself.
 * Keys have a bounded length, and consist of addresses and names that cannot cheaply be ground into deep common
 * prefixes.
 */
export class WorldState implements Roots {
  readonly db: StateDb;
  readonly stateRoot: Hash;
  readonly modulesRoot: Hash;
  /** Accounts already read, as they are at these roots. */
  readonly #accounts: Recent<AccountState>;

  private constructor(db: StateDb, roots: Roots) {
    this.db = db;
    this.#accounts = new Recent(db.accountsMax);
    this.stateRoot = roots.stateRoot;
    this.modulesRoot = roots.modulesRoot;
  }

  static open(db: StateDb, roots: Roots): WorldState {
    assert(roots.stateRoot.length === 32 && roots.modulesRoot.length === 32, 'roots are 32 bytes');
    return new WorldState(db, roots);
  }

  account(address: Address): AccountState | undefined {
    assert(address.length === 20, 'address length');
    const name = packed(address);
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const raw = this.db.trie.get(this.stateRoot, this.db.keyHash(address));
    if (raw === undefined) return undefined;
    const account = present(decodeAccount(raw), 'the state trie holds accounts');
    this.#accounts.set(name, account);
    return account;
  }

  /** Empty if the account has no code or does not exist. */
  code(address: Address): Bytes {
    const account = this.account(address);
    return account === undefined ? NO_VALUE : this.db.code(account.codeHash);
  }

  /** 32 bytes; zero if unset. */
  storage(address: Address, slot: Bytes): Bytes {
    const account = this.account(address);
    const word = new Uint8Array(32);
    if (account === undefined) return word;
    const value = this.slot(account.storageRoot, slot);
    word.set(value, 32 - value.length);
    return word;
  }

  /** A slot's value without leading zeros; empty if unset. */
  slot(storageRoot: Hash, slot: Bytes): Bytes {
    assert(slot.length === 32, 'slot length');
    if (storageRoot === EMPTY_ROOT) return NO_VALUE;
    const raw = this.db.trie.get(storageRoot, this.db.keyHash(slot));
    return raw === undefined ? NO_VALUE : raw.subarray(payloadStart(raw, 0));
  }

  /** Slots in order of their keccak256, from `from` on; values without leading zeros. */
  storageRange(address: Address, from: Hash, limitMax: number): { keyHash: Hash; value: Bytes }[] {
    const root = this.account(address)?.storageRoot ?? EMPTY_ROOT;
    const after = hashBefore(from);
    const range = { prefix: NO_VALUE, limitMax, ...(after === undefined ? {} : { after }) };
    return this.db.trie
      .entries(root, range)
      .map(({ key, value }) => ({ keyHash: key, value: value.subarray(payloadStart(value, 0)) }));
  }

  /** Accounts in order of the keccak256 of their addresses, from `from` on. */
  accountRange(from: Hash, limitMax: number): { keyHash: Hash; account: AccountState }[] {
    const after = hashBefore(from);
    const range = { prefix: NO_VALUE, limitMax, ...(after === undefined ? {} : { after }) };
    return this.db.trie.entries(this.stateRoot, range).map(({ key, value }) => ({
      keyHash: key,
      account: present(decodeAccount(value), 'the state trie holds accounts'),
    }));
  }

  /**
   * Hashes of the addresses whose accounts exist now and differ from those of the older state; undefined for a part of
   * the walk that found none.
   */
  changedSince(older: Roots): Iterable<Hash | undefined> {
    return this.db.trie.changed(older.stateRoot, this.stateRoot);
  }

  /** Raw entry of the module store. */
  module(key: Bytes): Bytes | undefined {
    return this.db.trie.get(this.modulesRoot, key);
  }

  /** Entries of the module store in key order. */
  moduleEntries(range: EntryRange): TrieEntry[] {
    return this.db.trie.entries(this.modulesRoot, range);
  }

  /** eth_getProof's accountProof: the nodes from stateRoot towards the account, or towards its absence. */
  proveAccount(address: Address): Bytes[] {
    return this.db.trie.prove(this.stateRoot, this.db.keyHash(address));
  }

  /** eth_getProof's storageProof for one slot; empty if the account does not exist. */
  proveStorage(address: Address, slot: Bytes): Bytes[] {
    const account = this.account(address);
    return account === undefined ? [] : this.db.trie.prove(account.storageRoot, this.db.keyHash(slot));
  }

  proveModule(key: Bytes): Bytes[] {
    return this.db.trie.prove(this.modulesRoot, key);
  }
}

/** The hash minus one; undefined for zero. */
function hashBefore(hash: Hash): Hash | undefined {
  const below = hash.slice();
  let at = below.length - 1;
  while (at >= 0 && below[at] === 0) below[at--] = 0xff;
  if (at < 0) return undefined;
  below[at] = (below[at] as number) - 1;
  return below;
}
