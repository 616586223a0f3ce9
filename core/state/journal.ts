import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { Hash } from '../types/ids.ts';
import type { AccountState } from './account.ts';
import type { AccountEntry, ModuleEntry, SlotEntry } from './writeSet.ts';

/** What a revert restores. */
type Undo =
  | { readonly kind: 'account'; readonly entry: AccountEntry; readonly state: AccountState | undefined }
  | { readonly kind: 'touch'; readonly entry: AccountEntry; readonly touchedBy: number }
  | {
      readonly kind: 'slots';
      readonly entry: AccountEntry;
      readonly slots: Map<string, SlotEntry>;
      readonly storageRoot: Hash;
    }
  | { readonly kind: 'storage'; readonly entry: SlotEntry; readonly value: Bytes }
  | { readonly kind: 'module'; readonly entry: ModuleEntry; readonly value: Bytes | undefined };

/** The EVM's call depth is at most 1024; the application adds a few checkpoints. */
const CHECKPOINTS_MAX = 2048;

/**
 * Undo entries in the order of writing, and the start of each open checkpoint. Without an open checkpoint nothing can
 * be undone, so nothing is recorded.
 */
export class Journal {
  readonly #undo: Undo[] = [];
  readonly #starts: number[] = [];

  get depth(): number {
    return this.#starts.length;
  }

  checkpoint(): void {
    assert(this.#starts.length < CHECKPOINTS_MAX, 'too many open checkpoints');
    this.#starts.push(this.#undo.length);
  }

  commit(): void {
    assert(this.#starts.length > 0, 'commit without checkpoint');
    this.#starts.pop();
    if (this.#starts.length === 0) this.#undo.length = 0;
  }

  revert(): void {
    const start = this.#starts.pop();
    assert(start !== undefined, 'revert without checkpoint');
    for (let i = this.#undo.length - 1; i >= start; i--) putBack(this.#undo[i] as Undo);
    this.#undo.length = start;
  }

  account(entry: AccountEntry, state: AccountState | undefined): void {
    if (this.#starts.length > 0) this.#undo.push({ kind: 'account', entry, state });
  }

  touch(entry: AccountEntry, touchedBy: number): void {
    if (this.#starts.length > 0) this.#undo.push({ kind: 'touch', entry, touchedBy });
  }

  slots(entry: AccountEntry, slots: Map<string, SlotEntry>, storageRoot: Hash): void {
    if (this.#starts.length > 0) this.#undo.push({ kind: 'slots', entry, slots, storageRoot });
  }

  storage(entry: SlotEntry, value: Bytes): void {
    if (this.#starts.length > 0) this.#undo.push({ kind: 'storage', entry, value });
  }

  module(entry: ModuleEntry, value: Bytes | undefined): void {
    if (this.#starts.length > 0) this.#undo.push({ kind: 'module', entry, value });
  }
}

function putBack(undo: Undo): void {
  switch (undo.kind) {
    case 'account':
      undo.entry.state = undo.state;
      return;
    case 'touch':
      undo.entry.touchedBy = undo.touchedBy;
      return;
    case 'slots':
      undo.entry.slots = undo.slots;
      undo.entry.storageRoot = undo.storageRoot;
      return;
    case 'storage':
      undo.entry.value = undo.value;
      return;
    case 'module':
      undo.entry.value = undo.value;
      return;
  }
}
