/** What is still needed of amino: the prefix of a registered type, in key files, StdTx and Bech32 public keys. */

import type { Bytes } from '../lib/bytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';
import { sha256 } from './hash.ts';

/** The names under which related chains have registered one key type. We write the first. */
export const PRIV_KEY_NAMES = ['ethermint/PrivKeyEthSecp256k1', 'os/PrivKeyEthSecp256k1'] as const;
export const PUB_KEY_NAMES = ['ethermint/PubKeyEthSecp256k1', 'os/PubKeyEthSecp256k1'] as const;

/** Four bytes of the name's hash, after leading zeros, the three disambiguation bytes, and zeros that follow them. */
export function aminoPrefix(name: string): Bytes {
  const hash = sha256(encodeUtf8(name));
  let at = 0;
  while (hash[at] === 0) at++;
  at += 3;
  while (hash[at] === 0) at++;
  return hash.slice(at, at + 4);
}
