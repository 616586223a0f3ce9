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
  /** Value before the block, or empty when the storage was cleared since. Values carry no leading zeros. */
  readonly base: Bytes;
  value: Bytes;
  /** The tx that wrote it last, and the value before that tx first wrote it (EIP-2200's "original"). */
  writtenBy: number;
  original: Bytes;
}

export interface AccountEntry {
  readonly address: Address;
  /** Before the block. */
  readonly base: AccountState | undefined;
  /** Now; its storageRoot is that of `base` or the empty root: roots move at the end of the block. */
  state: AccountState | undefined;
  slots: Map<string, SlotEntry>;
  /** What lies under `slots`; the empty root once the storage was cleared. */
  storageRoot: Hash;
  written: boolean;
  touchedBy: number;
}

export interface ModuleEntry {
  readonly key: Bytes;
  readonly base: Bytes | undefined;
  value: Bytes | undefined;
}

/** What a caller may change of an account; the storage root follows from the slots. */
export type AccountFields = Partial<Pick<AccountState, 'nonce' | 'balance' | 'codeHash'>>;

/**
 * The writes of one block over a frozen state: reads see them, checkpoints undo them, `seal` turns them into new
 * roots and database operations with one trie update each. Checkpoints cover accounts, slots, code and the module
 * store alike. A checkpoint costs one number and a write one undo entry: nothing is copied.
 */
export class BlockWriteSet {
  readonly world: WorldState;
  readonly #accounts = new Map<string, AccountEntry>();
  readonly #modules = new Map<string, ModuleEntry>();
  readonly #codes = new Map<string, Bytes>();
  readonly #journal = new Journal();
  /** Counts the block's txs from 1; "original" values are those at the start of the tx. */
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

  /** Writes the fields given and keeps the others; makes the account when there is none. */
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

  /** Removes the account with its storage. */
  deleteAccount(address: Address): void {
    const entry = this.#account(address);
    this.#setState(entry, undefined);
    this.#clearSlots(entry);
  }

  /** Counts as a touch: see removeEmptyTouched. */
  touch(address: Address): void {
    this.#touch(this.#account(address));
  }

  /** Accounts, in no order, whose nonce is higher or whose balance is lower than before the block, as they are now. */
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

  /** Without leading zeros; empty when unset. */
  storage(address: Address, slot: Bytes): Bytes {
    const entry = this.#account(address);
    if (entry.slots.size === 0 && (entry.state === undefined || entry.storageRoot === EMPTY_ROOT))
      return NO_VALUE;
    return this.#slot(entry, slot).value;
  }

  /** The value that the slot had when the tx began (EIP-2200, EIP-3529). */
  originalStorage(address: Address, slot: Bytes): Bytes {
    const entry = this.#account(address);
    if (entry.slots.size === 0 && entry.storageRoot === EMPTY_ROOT) return NO_VALUE;
    const found = this.#slot(entry, slot);
    return found.writtenBy === this.#tx ? found.original : found.value;
  }

  /** `value` of at most 32 bytes; leading zeros are dropped, and nothing left clears the slot. The account must exist. */
  putStorage(address: Address, slot: Bytes, value: Bytes): void {
    assert(value.length <= 32, 'storage value length');
    const account = this.#account(address);
    assert(account.state !== undefined, 'storage belongs to an account');
    const entry = this.#slot(account, slot);
    this.#writable();
    if (entry.writtenBy !== this.#tx) {
      // Not undone by a revert: the value then is the original again.
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

  /** Original storage values are those of now; forgets what was touched. */
  beginTx(): void {
    this.#tx++;
    this.#touched = [];
  }

  /** EIP-161: deletes what this tx touched (and did not undo) and left empty. */
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

  /** Roots as they would be now. Costs a trie update of everything written. */
  rootsNow(): Sealed {
    return sealWrites(this.world, this.#accounts, this.#codes, this.#modules);
  }

  /** Ends the writing. The operations make the new roots readable once they are in the database. */
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

/** The one object for "empty", so that a comparison of references is enough. */
const rootOf = (state: AccountState | undefined): Hash =>
  state === undefined || equalBytes(state.storageRoot, EMPTY_ROOT) ? EMPTY_ROOT : state.storageRoot;

function withoutLeadingZeros(value: Bytes): Bytes {
  let start = 0;
  while (start < value.length && value[start] === 0) start++;
  return start === value.length ? NO_VALUE : value.slice(start);
}
