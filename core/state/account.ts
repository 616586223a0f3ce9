import { type Bytes, hex } from '../lib/bytes.ts';
import { EMPTY_ROOT } from '../store/roots.ts';
import type { Hash } from '../types/ids.ts';
import { decodeUint, encodeList, encodeString, encodeUint, itemStarts, payloadStart } from './rlp.ts';

/** keccak256 of the empty string: the code hash of an account without code. */
export const EMPTY_CODE_HASH: Hash = hex('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');

/** An account as stored in the state trie (Yellow Paper §4.1). Immutable: a change makes a new object. */
export interface AccountState {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly storageRoot: Hash;
  readonly codeHash: Hash;
}

export const NEW_ACCOUNT: AccountState = {
  nonce: 0n,
  balance: 0n,
  storageRoot: EMPTY_ROOT,
  codeHash: EMPTY_CODE_HASH,
};

export function hasCode(account: AccountState): boolean {
  if (account.codeHash === EMPTY_CODE_HASH) return false;
  for (let i = 0; i < 32; i++) if (account.codeHash[i] !== EMPTY_CODE_HASH[i]) return true;
  return false;
}

/** EIP-161: no nonce, no balance, no code. */
export const isEmptyAccount = (account: AccountState): boolean =>
  account.nonce === 0n && account.balance === 0n && !hasCode(account);

export const encodeAccount = (account: AccountState): Bytes =>
  encodeList([
    encodeString(encodeUint(account.nonce)),
    encodeString(encodeUint(account.balance)),
    encodeString(account.storageRoot),
    encodeString(account.codeHash),
  ]);

/** undefined if `raw` does not encode an account. */
export function decodeAccount(raw: Bytes): AccountState | undefined {
  const starts = itemStarts(raw, 4);
  if (starts === undefined) return undefined;
  const [nonce, balance, storageRoot, codeHash, end] = starts as [number, number, number, number, number];
  if (codeHash - storageRoot !== 33 || end - codeHash !== 33) return undefined;
  return {
    nonce: decodeUint(raw, payloadStart(raw, nonce), balance),
    balance: decodeUint(raw, payloadStart(raw, balance), storageRoot),
    storageRoot: raw.slice(storageRoot + 1, codeHash),
    codeHash: raw.slice(codeHash + 1, end),
  };
}
