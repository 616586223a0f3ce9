/** What is left of amino in key files: a registered type's prefix before its bytes. */
import { createHash } from 'node:crypto';

/** Names of one key type under which our relatives registered it; the first is written. */
export const PRIV_KEY_NAMES = ['ethermint/PrivKeyEthSecp256k1', 'os/PrivKeyEthSecp256k1'] as const;
export const PUB_KEY_NAMES = ['ethermint/PubKeyEthSecp256k1', 'os/PubKeyEthSecp256k1'] as const;

/** First four bytes of the name's hash after leading zeros and the three disambiguation bytes. */
export function aminoPrefix(name: string): Buffer {
  let hash = createHash('sha256').update(name).digest();
  while (hash[0] === 0) hash = hash.subarray(1);
  hash = hash.subarray(3);
  while (hash[0] === 0) hash = hash.subarray(1);
  return hash.subarray(0, 4);
}
