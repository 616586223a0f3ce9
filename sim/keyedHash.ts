import type { CryptoSuite } from '../core/crypto/suite.ts';
import { type Bytes, concat, equalBytes } from '../core/lib/bytes.ts';
import { encodeUtf8 } from '../core/lib/utf8.ts';
import { boundTo } from './memo.ts';

const KEY_LABEL = encodeUtf8('keyed-hash public key');

/**
 * Signatures for bulk search: a hash keyed with the seed, about a hundred times cheaper than ed25519. Only someone who
 * knows the seed can make one; verification looks the seed up in this suite's own register of keys. Unknown keys
 * verify nothing. Never used outside the simulator.
 */
export function keyedHashSuite(suite: CryptoSuite): CryptoSuite {
  const seeds = new Map<string, Bytes>();
  const publicKeyOf = (seed: Bytes): Bytes => suite.sha256(concat(KEY_LABEL, seed));
  const mac = (seed: Bytes, message: Bytes): Bytes => {
    const half = suite.sha256(concat(seed, message));
    return concat(half, half);
  };
  return {
    ...boundTo(suite),
    name: `keyed-hash(${suite.name})`,
    ed25519PublicKey(seed) {
      const publicKey = publicKeyOf(seed);
      seeds.set(publicKey.join(), seed);
      return publicKey;
    },
    ed25519Sign: mac,
    ed25519Verify(publicKey, message, signature) {
      const seed = seeds.get(publicKey.join());
      return seed !== undefined && equalBytes(mac(seed, message), signature);
    },
  };
}
