import type { View } from '../../core/app/chain.ts';
import { type Bytes, concat, EMPTY, hex, toHex } from '../../core/lib/bytes.ts';

/** An address as 40 lowercase hex digits. */
export type Name = string;

export interface Account {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Bytes;
}

export interface Log {
  readonly address: Bytes;
  readonly topics: readonly Bytes[];
  readonly data: Bytes;
}

const NOBODY: Account = { nonce: 0n, balance: 0n, code: EMPTY };

export const toBig = (bytes: Bytes): bigint => (bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`));
export const toWord = (value: bigint): Bytes => hex(value.toString(16).padStart(64, '0'));
export const isNobody = ({ nonce, balance, code }: Account): boolean =>
  nonce === 0n && balance === 0n && code.length === 0;

/**
 * The state as plain maps over genesis: no trie, no cache, no write set. Every change records its undo step, including
 * what exists only within a transaction: warm items, transient storage, created and destroyed accounts.
 */
export class ReferenceState {
  readonly #genesis: View;
  readonly #accounts = new Map<Name, Account>();
  readonly #storage = new Map<Name, Map<bigint, bigint>>();
  readonly #undo: (() => void)[] = [];
  #originals = new Map<string, bigint>();
  #transient = new Map<string, bigint>();
  warm = new Set<string>();
  created = new Set<Name>();
  destroyed = new Set<Name>();
  logs: Log[] = [];
  refund = 0;
  /** Accounts written to since this was last emptied, with the slots written, reverted writes included. */
  readonly changed = new Map<Name, Set<bigint>>();
  /** Accounts looked at and not yet taken out of this set. */
  readonly strangers = new Set<Name>();

  constructor(genesis: View) {
    this.#genesis = genesis;
  }

  /** All accounts looked at, which include all that changed. */
  known(): readonly Name[] {
    return [...this.#accounts.keys()];
  }

  account(name: Name): Account {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const address = hex(name);
    const { nonce = 0n, balance = 0n } = this.#genesis.account(address) ?? NOBODY;
    const account = { nonce, balance, code: this.#genesis.code(address) };
    this.#accounts.set(name, account);
    this.strangers.add(name);
    return account;
  }

  exists(name: Name): boolean {
    return !isNobody(this.account(name));
  }

  put(name: Name, fields: Partial<Account>): void {
    const before = this.account(name);
    this.#change(name);
    this.#undo.push(() => this.#accounts.set(name, before));
    this.#accounts.set(name, { ...before, ...fields });
  }

  #change(name: Name): Set<bigint> {
    const slots = this.changed.get(name) ?? new Set();
    this.changed.set(name, slots);
    return slots;
  }

  pay(name: Name, amount: bigint): void {
    if (amount !== 0n) this.put(name, { balance: this.account(name).balance + amount });
  }

  slots(name: Name): ReadonlyMap<bigint, bigint> {
    return this.#slotsOf(name);
  }

  #slotsOf(name: Name): Map<bigint, bigint> {
    const known = this.#storage.get(name) ?? new Map<bigint, bigint>();
    this.#storage.set(name, known);
    return known;
  }

  storage(name: Name, slot: bigint): bigint {
    const slots = this.#slotsOf(name);
    const known = slots.get(slot) ?? toBig(this.#genesis.storage(hex(name), toWord(slot)));
    slots.set(slot, known);
    return known;
  }

  /** The value before the transaction. */
  original(name: Name, slot: bigint): bigint {
    return this.#originals.get(`${name}/${slot}`) ?? this.storage(name, slot);
  }

  putStorage(name: Name, slot: bigint, value: bigint): void {
    const before = this.storage(name, slot);
    this.#change(name).add(slot);
    const key = `${name}/${slot}`;
    if (!this.#originals.has(key)) this.#originals.set(key, before);
    const slots = this.#slotsOf(name);
    this.#undo.push(() => slots.set(slot, before));
    slots.set(slot, value);
  }

  transient(name: Name, slot: bigint): bigint {
    return this.#transient.get(`${name}/${slot}`) ?? 0n;
  }

  putTransient(name: Name, slot: bigint, value: bigint): void {
    const before = this.transient(name, slot);
    this.#undo.push(() => this.#transient.set(`${name}/${slot}`, before));
    this.#transient.set(`${name}/${slot}`, value);
  }

  /** Makes it warm, and returns whether it was. */
  touch(key: string): boolean {
    return !this.#add(this.warm, key);
  }

  #add(set: Set<string>, key: string): boolean {
    if (set.has(key)) return false;
    set.add(key);
    this.#undo.push(() => set.delete(key));
    return true;
  }

  create(name: Name): void {
    this.#add(this.created, name);
  }

  destroy(name: Name): void {
    this.#add(this.destroyed, name);
  }

  refundMore(amount: number): void {
    this.refund += amount;
    this.#undo.push(() => {
      this.refund -= amount;
    });
  }

  log(log: Log): void {
    this.logs.push(log);
    this.#undo.push(() => this.logs.pop());
  }

  checkpoint(): number {
    return this.#undo.length;
  }

  revert(to: number): void {
    while (this.#undo.length > to) this.#undo.pop()?.();
  }

  beginTx(): void {
    this.#undo.length = 0;
    this.#originals = new Map();
    this.#transient = new Map();
    this.warm = new Set();
    this.created = new Set();
    this.destroyed = new Set();
    this.logs = [];
    this.refund = 0;
  }

  /** EIP-6780: accounts created and destroyed in the same transaction vanish. */
  endTx(): void {
    for (const name of this.destroyed) {
      this.put(name, NOBODY);
      const [slots, changed] = [this.#slotsOf(name), this.#change(name)];
      for (const slot of slots.keys()) {
        slots.set(slot, 0n);
        changed.add(slot);
      }
    }
  }
}

/** EIP-7702. */
export const delegateOf = (code: Bytes): Name | undefined =>
  code.length === 23 && toHex(code.slice(0, 3)) === 'ef0100' ? toHex(code.slice(3)) : undefined;
export const delegation = (to: Bytes): Bytes => concat(hex('ef0100'), to);
