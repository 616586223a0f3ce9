import { delegateOf, isDelegation } from '../../../app/evm/delegation.ts';
import { bigintToFixed } from '../../../app/evm/numbers.ts';
import { addressOfWord } from '../../../app/evm/refusedFrame.ts';
import { type Bytes, hex, to0xHex, toHex } from '../../../lib/bytes.ts';
import { EMPTY_CODE_HASH } from '../../../state/account.ts';
import type { Frame, FrameEnd, Step, TraceState, TxStart } from '../../../types/trace.ts';
import { quantity } from '../goHex.ts';
import { isBeforehand } from './beforehand.ts';
import type { Tracer } from './tracer.ts';

export interface PrestateOptions {
  readonly diffMode: boolean;
  readonly disableCode: boolean;
  readonly disableStorage: boolean;
  /** Also shows accounts that did not exist before. */
  readonly includeEmpty: boolean;
}

interface Seen {
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Bytes;
  /** Hex text. */
  readonly codeHash: string;
  readonly exists: boolean;
  readonly storage: Map<string, bigint>;
}

interface AccountJson {
  balance?: string;
  nonce?: number;
  code?: string;
  codeHash?: string;
  storage?: Record<string, string>;
}

/** Approximate bytes of an account without code, and of a slot with its value. */
const [ACCOUNT_BYTES, SLOT_BYTES] = [120, 70];
const BALANCE_LIKE = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]);
const CALL_LIKE = new Set([0xf1, 0xf2, 0xf4, 0xfa]);
const STORAGE_LIKE = new Set([0x54, 0x55]);

const wordHex = (value: bigint): string => to0xHex(bigintToFixed(value, 32));
const wordOf = (bytes: Bytes): bigint => BigInt(`0x0${toHex(bytes)}`);

/** All accounts and slots that the transaction accessed, with their values before it; in diff mode, what it changed. */
export class PrestateTracer implements Tracer {
  readonly #options: PrestateOptions;
  readonly #seen = new Map<string, Seen>();
  #state: TraceState | undefined;
  /** Forget what the last instruction accessed. */
  #undo: (() => void)[] = [];
  #bytes = 0;
  #result: unknown = {};

  constructor(options: PrestateOptions) {
    this.#options = options;
  }

  start({ from, to, coinbase, authorities }: TxStart, state: TraceState): void {
    this.#state = state;
    this.#lookCalled(to, state);
    for (const address of [from, to, coinbase, ...authorities]) this.#look(address, state);
  }

  step({ code, stack, address }: Step, state: TraceState): void {
    this.#undo = [];
    const top = stack.at(-1);
    if (top === undefined) return;
    if (STORAGE_LIKE.has(code)) this.#lookSlot(address, top, state);
    else if (BALANCE_LIKE.has(code)) this.#look(addressOfWord(top), state);
    else if (CALL_LIKE.has(code) && stack.length > 1)
      this.#lookCalled(addressOfWord(stack.at(-2) as bigint), state);
  }

  /** EIP-7702: also records the delegate, whose code runs. */
  #lookCalled(address: Bytes, state: TraceState): void {
    this.#look(address, state);
    const code = state.code(address);
    if (isDelegation(code)) this.#look(delegateOf(code), state);
  }

  /** The only event that tells the address of a contract before it is created. */
  enter(frame: Frame): void {
    this.#undo = [];
    if (this.#state !== undefined) this.#look(frame.to, this.#state);
  }

  /** An instruction that could not start has accessed nothing. */
  exit({ error }: FrameEnd): void {
    if (error !== undefined && isBeforehand(error)) for (const undo of this.#undo) undo();
    this.#undo = [];
  }

  #look(address: Bytes, state: TraceState): Seen {
    const key = to0xHex(address);
    const known = this.#seen.get(key);
    if (known !== undefined) return known;
    const account = state.account(address);
    const seen: Seen = {
      balance: account?.balance ?? 0n,
      nonce: account?.nonce ?? 0n,
      code: state.code(address).slice(),
      codeHash: to0xHex(account?.codeHash ?? EMPTY_CODE_HASH),
      exists: account !== undefined,
      storage: new Map(),
    };
    this.#seen.set(key, seen);
    this.#bytes += ACCOUNT_BYTES + seen.code.length;
    this.#undo.push(() => this.#seen.delete(key));
    return seen;
  }

  #lookSlot(address: Bytes, slot: bigint, state: TraceState): void {
    if (this.#options.disableStorage) return;
    const { storage } = this.#look(address, state);
    const key = wordHex(slot);
    if (storage.has(key)) return;
    storage.set(key, wordOf(state.storage(address, bigintToFixed(slot, 32))));
    this.#bytes += SLOT_BYTES;
    this.#undo.push(() => storage.delete(key));
  }

  get size(): number {
    return 2 * this.#bytes;
  }

  end(_end: unknown, state: TraceState): void {
    this.#result = this.#options.diffMode ? this.#diff(state) : this.#before();
  }

  #before(): Record<string, AccountJson> {
    const all: Record<string, AccountJson> = {};
    for (const [address, seen] of this.#seen)
      if (seen.exists || this.#options.includeEmpty) all[address] = this.#json(seen);
    return all;
  }

  #json({ balance, nonce, code, codeHash, storage }: Seen): AccountJson {
    return {
      balance: quantity(balance),
      ...(nonce === 0n ? {} : { nonce: Number(nonce) }),
      ...(code.length === 0 || this.#options.disableCode ? {} : { code: to0xHex(code) }),
      ...(code.length === 0 ? {} : { codeHash }),
      ...(storage.size === 0
        ? {}
        : { storage: Object.fromEntries([...storage].map(([slot, value]) => [slot, wordHex(value)])) }),
    };
  }

  /**
   * geth's processDiffState: only changed accounts, `post` only with changed members, zero slots only of deleted
   * accounts.
   */
  #diff(state: TraceState): { pre: Record<string, AccountJson>; post: Record<string, AccountJson> } {
    const pre: Record<string, AccountJson> = {};
    const post: Record<string, AccountJson> = {};
    for (const [key, seen] of this.#seen) {
      const address = hex(key.slice(2));
      const account = state.account(address);
      if (account === undefined) {
        if (seen.exists) pre[key] = this.#json(seen);
        continue;
      }
      const after: AccountJson = {};
      if (account.balance !== seen.balance) after.balance = quantity(account.balance);
      if (account.nonce !== seen.nonce) after.nonce = Number(account.nonce);
      const codeHash = to0xHex(account.codeHash);
      if (codeHash !== seen.codeHash) after.codeHash = codeHash;
      const code = to0xHex(state.code(address));
      if (!this.#options.disableCode && code !== to0xHex(seen.code)) after.code = code;
      const changed = this.#changedSlots(address, seen, state);
      if (Object.keys(changed.post).length > 0) after.storage = changed.post;
      if (Object.keys(after).length === 0 && changed.slots.size === 0) continue;
      post[key] = after;
      const before = new Map(
        [...seen.storage].filter(([slot, value]) => value !== 0n && changed.slots.has(slot)),
      );
      if (seen.exists) pre[key] = this.#json({ ...seen, storage: before });
    }
    return { pre, post };
  }

  #changedSlots(address: Bytes, { storage }: Seen, state: TraceState) {
    const post: Record<string, string> = {};
    const slots = new Set<string>();
    for (const [slot, before] of storage) {
      const after = wordOf(state.storage(address, hex(slot.slice(2))));
      if (after === before) continue;
      slots.add(slot);
      if (after !== 0n) post[slot] = wordHex(after);
    }
    return { post, slots };
  }

  result(): unknown {
    return this.#result;
  }
}
