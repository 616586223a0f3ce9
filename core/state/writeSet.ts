import { assert } from '../lib/assert.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import { EMPTY_ROOT } from '../store/roots.ts';
import type { Address, Hash } from '../types/ids.ts';
import { type AccountState, EMPTY_CODE_HASH, isEmptyAccount, NEW_ACCOUNT } from './account.ts';
import { Journal } from './journal.ts';
import { latin1, packed } from './packed.ts';
import { type Sealed, sealWrites } from './seal.ts';
import { TRIE_KEY_BYTES_MAX } from './trieNode.ts';
import type { WorldState } from './worldState.ts';

const NO_VALUE = new Uint8Array(0);

export interface SlotEntry {
  readonly slot: Bytes;
  /** The value before the block; empty if the storage was cleared since. Values have no leading zeros. */
  readonly base: Bytes;
  value: Bytes;
  /** The tx that last wrote the slot, and the value before that tx first wrote it (EIP-2200's "original"). */
  writtenBy: number;
  original: Bytes;
}

export interface AccountEntry {
  readonly address: Address;
  /** The account before the block. */
  readonly base: AccountState | undefined;
  /** The account now. Its storageRoot is that of `base` or the empty root: roots change only at the block's end. */
  state: AccountState | undefined;
  slots: Map<string, SlotEntry>;
  /** The storage that `slots` are writes on; the empty root once the storage was cleared. */
  storageRoot: Hash;
  written: boolean;
  touchedBy: number;
}

export interface ModuleEntry {
  readonly key: Bytes;
  readonly base: Bytes | undefined;
  value: Bytes | undefined;
}

/** What a caller may change in an account. The storage root follows from the slots. */
export type AccountFields = Partial<Pick<AccountState, 'nonce' | 'balance' | 'codeHash'>>;

/**
 * The writes of one block over a frozen state. Reads see them, checkpoints undo them, and `seal` turns them into new
 * roots and database operations with one update per trie. Checkpoints cover accounts, slots, code and the module store
 * alike. A checkpoint costs one number and a write one undo entry; nothing is copied.
 */
export class BlockWriteSet {
  readonly world: WorldState;
  readonly #accounts = new Map<string, AccountEntry>();
  readonly #modules = new Map<string, ModuleEntry>();
  readonly #codes = new Map<string, Bytes>();
  readonly #journal = new Journal();
  /** Counts the block's txs from 1. "Original" values are those at the start of the tx. */
  #tx = 1;
  #touched: AccountEntry[] = [];
  #isSealed = false;

  constructor(world: WorldState) {
    this.world = world;
  }

  // Accounts

  account(address: Address): AccountState | undefined {
    return this.#account(address).state;
  }

  /** Writes the given fields and keeps the others. Creates the account if it does not exist. */
  putAccount(address: Address, fields: AccountFields): void {
    const entry = this.#account(address);
    const old = entry.state ?? NEW_ACCOUNT;
    const balance = fields.balance ?? old.balance;
    const nonce = fields.nonce ?? old.nonce;
    assert(balance >= 0n, 'balance below zero');
    assert(nonce >= 0n, 'nonce below zero');
    this.#setState(entry, {
      nonce,
      balance,
      storageRoot: entry.storageRoot,
      codeHash: fields.codeHash ?? old.codeHash,
    });
  }

  /** Removes the account and its storage. */
  deleteAccount(address: Address): void {
    const entry = this.#account(address);
    this.#setState(entry, undefined);
    this.#clearSlots(entry);
  }

  /** Counts the account as touched: see removeEmptyTouched. */
  touch(address: Address): void {
    this.#touch(this.#account(address));
  }

  /** Accounts, unordered, with a higher nonce or a lower balance than before the block; their present values. */
  spenders(): readonly { readonly address: Address; readonly nonce: bigint; readonly balance: bigint }[] {
    return [...this.#accounts.values()].flatMap(({ address, base = NEW_ACCOUNT, state = NEW_ACCOUNT }) => {
      const { nonce, balance } = state;
      return nonce > base.nonce || balance < base.balance ? [{ address, nonce, balance }] : [];
    });
  }

  // Code

  code(address: Address): Bytes {
    const state = this.#account(address).state;
    if (state === undefined || state.codeHash === EMPTY_CODE_HASH) return NO_VALUE;
    return this.#codes.get(packed(state.codeHash)) ?? this.world.db.code(state.codeHash);
  }

  putCode(address: Address, code: Bytes): void {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : this.world.db.keccak256(code);
    if (code.length > 0) this.#codes.set(packed(codeHash), code.slice());
    this.putAccount(address, { codeHash });
  }

  // Storage

  /** Without leading zeros; empty if unset. */
  storage(address: Address, slot: Bytes): Bytes {
    const entry = this.#account(address);
    if (entry.slots.size === 0 && (entry.state === undefined || entry.storageRoot === EMPTY_ROOT))
      return NO_VALUE;
    return this.#slot(entry, slot).value;
  }

  /** The slot's value at the start of the tx (EIP-2200, EIP-3529). */
  originalStorage(address: Address, slot: Bytes): Bytes {
    const entry = this.#account(address);
    if (entry.slots.size === 0 && entry.storageRoot === EMPTY_ROOT) return NO_VALUE;
    const found = this.#slot(entry, slot);
    return found.writtenBy === this.#tx ? found.original : found.value;
  }

  /** At most 32 bytes; leading zeros are dropped, and an empty value clears the slot. The account must exist. */
  putStorage(address: Address, slot: Bytes, value: Bytes): void {
    assert(value.length <= 32, 'storage value length');
    const account = this.#account(address);
    assert(account.state !== undefined, 'storage belongs to an account');
    const entry = this.#slot(account, slot);
    this.#writable();
    if (entry.writtenBy !== this.#tx) {
      // A revert does not undo this: it restores the value, which then equals the original again.
      entry.original = entry.value;
      entry.writtenBy = this.#tx;
    }
    this.#journal.storage(entry, entry.value);
    entry.value = withoutLeadingZeros(value);
    account.written = true;
  }

  clearStorage(address: Address): void {
    this.#clearSlots(this.#account(address));
  }

  // The module store

  module(key: Bytes): Bytes | undefined {
    return this.#module(key).value;
  }

  /** An undefined value deletes. */
  putModule(key: Bytes, value: Bytes | undefined): void {
    assert(value === undefined || value.length > 0, 'a module value is not empty');
    this.#writable();
    const entry = this.#module(key);
    this.#journal.module(entry, entry.value);
    entry.value = value;
  }

  // Checkpoints and txs

  get depth(): number {
    return this.#journal.depth;
  }

  checkpoint(): void {
    this.#journal.checkpoint();
  }

  commit(): void {
    this.#journal.commit();
  }

  /** Undoes everything since the matching checkpoint. */
  revert(): void {
    this.#journal.revert();
  }

  /** Starts the next tx: original storage values are the present ones, and no account is touched. */
  beginTx(): void {
    this.#tx++;
    this.#touched = [];
  }

  /** EIP-161: deletes the accounts that this tx touched (and did not revert) and left empty. */
  removeEmptyTouched(): void {
    const touched = this.#touched;
    this.#touched = [];
    for (const entry of touched) {
      if (entry.touchedBy !== this.#tx || entry.state === undefined || !isEmptyAccount(entry.state)) continue;
      this.#setState(entry, undefined);
      this.#clearSlots(entry);
    }
  }

  // The end of the block

  /** The roots as they would be now. Costs a trie update of everything written. */
  rootsNow(): Sealed {
    return sealWrites(this.world, this.#accounts, this.#codes, this.#modules);
  }

  /** Ends the writing. Once the operations are in the database, the new roots can be read. */
  seal(): Sealed {
    assert(this.#journal.depth === 0, 'a block ends with no open checkpoint');
    this.#writable();
    this.#isSealed = true;
    return this.rootsNow();
  }

  #writable(): void {
    assert(!this.#isSealed, 'a sealed write set takes no more writes');
  }

  #account(address: Address): AccountEntry {
    const name = packed(address);
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const base = this.world.account(address);
    const entry: AccountEntry = {
      address: address.slice(),
      base,
      state: base,
      slots: new Map(),
      storageRoot: rootOf(base),
      written: false,
      touchedBy: 0,
    };
    this.#accounts.set(name, entry);
    return entry;
  }

  #setState(entry: AccountEntry, state: AccountState | undefined): void {
    this.#writable();
    this.#touch(entry);
    this.#journal.account(entry, entry.state);
    entry.state = state;
    entry.written = true;
  }

  #touch(entry: AccountEntry): void {
    if (entry.touchedBy === this.#tx) return;
    this.#journal.touch(entry, entry.touchedBy);
    entry.touchedBy = this.#tx;
    this.#touched.push(entry);
  }

  #clearSlots(entry: AccountEntry): void {
    this.#writable();
    if (entry.slots.size === 0 && entry.storageRoot === EMPTY_ROOT) return;
    this.#journal.slots(entry, entry.slots, entry.storageRoot);
    entry.slots = new Map();
    entry.storageRoot = EMPTY_ROOT;
    if (entry.state !== undefined) this.#setState(entry, { ...entry.state, storageRoot: EMPTY_ROOT });
    entry.written = true;
  }

  #slot(entry: AccountEntry, slot: Bytes): SlotEntry {
    assert(slot.length === 32, 'slot length');
    const name = packed(slot);
    const known = entry.slots.get(name);
    if (known !== undefined) return known;
    const base = this.world.slot(entry.storageRoot, slot);
    const made: SlotEntry = { slot: slot.slice(), base, value: base, writtenBy: 0, original: base };
    entry.slots.set(name, made);
    return made;
  }

  #module(key: Bytes): ModuleEntry {
    assert(key.length > 0 && key.length <= TRIE_KEY_BYTES_MAX, 'module key length');
    const name = latin1(key);
    const known = this.#modules.get(name);
    if (known !== undefined) return known;
    const base = this.world.module(key);
    const made: ModuleEntry = { key: key.slice(), base, value: base };
    this.#modules.set(name, made);
    return made;
  }
}

/** Always the same object for the empty root, so that comparing references is enough. */
const rootOf = (state: AccountState | undefined): Hash =>
  state === undefined || equalBytes(state.storageRoot, EMPTY_ROOT) ? EMPTY_ROOT : state.storageRoot;

function withoutLeadingZeros(value: Bytes): Bytes {
  let start = 0;
  while (start < value.length && value[start] === 0) start++;
  return start === value.length ? NO_VALUE : value.slice(start);
}
