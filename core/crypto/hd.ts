/** BIP-39 mnemonics and BIP-32 derivation on secp256k1, as Ethereum wallets use them (BIP-44, coin type 60). */
import { HDKey } from '@scure/bip32';
import { entropyToMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { assert } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';

export const DEFAULT_HD_PATH = "m/44'/60'/0'/0/0";
const HD_PATH_DEPTH_MAX = 255;
const HARDENED = 0x8000_0000;

export type HdPathError =
  | { readonly code: 'path-root'; readonly message: string; readonly given: string }
  | {
      readonly code: 'path-element';
      readonly message: string;
      readonly given: string;
      readonly position: number;
    }
  | {
      readonly code: 'path-depth';
      readonly message: string;
      readonly depth: number;
      readonly depthMax: number;
    }
  /** There is no valid key at this path, which happens once in 2^127. */
  | { readonly code: 'no-key'; readonly message: string };

/** Elements of a path like `m/44'/60'/0'/0/0`; hardened ones have bit 31 set. `h` and `H` mean the same as `'`. */
export function parseHdPath(text: string): Result<readonly number[], HdPathError> {
  const [root, ...elements] = text.split('/');
  if (root !== 'm') {
    return err({ code: 'path-root', given: text, message: `derivation path "${text}" must start with "m/"` });
  }
  if (elements.length > HD_PATH_DEPTH_MAX) {
    const message = `derivation path of depth ${elements.length}, at most ${HD_PATH_DEPTH_MAX} is allowed`;
    return err({ code: 'path-depth', depth: elements.length, depthMax: HD_PATH_DEPTH_MAX, message });
  }
  const path: number[] = [];
  for (const [position, element] of elements.entries()) {
    const match = /^(\d{1,10})(['hH]?)$/.exec(element);
    const index = Number(match?.[1] ?? -1);
    if (match === null || index >= HARDENED) {
      const expected = `a number from 0 to ${HARDENED - 1}, followed by ' when hardened`;
      const message = `derivation path element ${position} is "${element}", expected ${expected}`;
      return err({ code: 'path-element', given: element, position, message });
    }
    path.push(match[2] === '' ? index : index + HARDENED);
  }
  return ok(path);
}

/** `m/44'/60'/account'/0/index`. */
export const ethHdPath = (account: number, index: number): string => `m/44'/60'/${account}'/0/${index}`;

/** Whether these are 12, 15, 18, 21 or 24 English words with a correct checksum. */
export const isMnemonic = (mnemonic: string): boolean => validateMnemonic(mnemonic, wordlist);

/** `entropy` has 16 to 32 bytes, in steps of 4; 32 bytes give 24 words. */
export function generateMnemonic(entropy: Bytes): string {
  assert(entropy.length >= 16 && entropy.length <= 32 && entropy.length % 4 === 0, 'entropy length');
  return entropyToMnemonic(entropy, wordlist);
}

/** 64-byte seed. For words from outside, callers check `isMnemonic` first. */
export const mnemonicToSeed = (mnemonic: string, passphrase = ''): Bytes =>
  mnemonicToSeedSync(mnemonic, passphrase);

/** The 32-byte secret at `path`, derived from the seed. */
export function deriveSecret(seed: Bytes, path: string): Result<Bytes, HdPathError> {
  const parsed = parseHdPath(path);
  if (!parsed.ok) return parsed;
  let node = HDKey.fromMasterSeed(seed);
  for (const index of parsed.value) {
    try {
      node = node.deriveChild(index);
    } catch {
      return err({ code: 'no-key', message: `no key at ${path}: take the next index` });
    }
  }
  assert(node.privateKey !== null, 'private node without key');
  return ok(node.privateKey);
}
