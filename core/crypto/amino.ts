/** What is left of amino: the prefix before a registered type's bytes, in key files, StdTx and Bech32 public keys. */

import type { Bytes } from '../lib/bytes.ts';
import { encodeUtf8 } from '../lib/utf8.ts';
import { sha256 } from './hash.ts';

/** Names of one key type under which our relatives registered it; the first is written. */
export const PRIV_KEY_NAMES = ['ethermint/PrivKeyEthSecp256k1', 'os/PrivKeyEthSecp256k1'] as const;
export const PUB_KEY_NAMES = ['ethermint/PubKeyEthSecp256k1', 'os/PubKeyEthSecp256k1'] as const;

/** First four bytes of the name's hash after leading zeros and the three disambiguation bytes. */
export function aminoPrefix(name: string): Bytes {
  const hash = sha256(encodeUtf8(name));
  let at = 0;
  while (hash[at] === 0) at++;
  at += 3;
  while (hash[at] === 0) at++;
  return hash.slice(at, at + 4);
}
