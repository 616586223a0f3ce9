import type { Authorization } from '../../core/app/chain.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, concat } from '../../core/lib/bytes.ts';
import { list, number, text } from './rlp.ts';
import { toWord } from './state.ts';

const MAGIC = Uint8Array.of(0x05);
/** SEC 2: the order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const NONCE_LAST = 2n ** 64n - 1n;

/** The signer of this EIP-7702 tuple; undefined for a tuple that is skipped whatever the state is. */
export function authorityOf(
  { chainId, address, nonce, yParity, r, s }: Authorization,
  ourChainId: bigint,
  suite: CryptoSuite,
): Bytes | undefined {
  const rules: readonly boolean[] = [
    chainId === 0n || chainId === ourChainId,
    nonce < NONCE_LAST,
    yParity === 0 || yParity === 1,
    r > 0n && r < ORDER,
    // EIP-2: of the two equivalent values of s, only the lower one.
    s > 0n && 2n * s < ORDER,
  ];
  if (rules.includes(false)) return undefined;
  const signed = concat(MAGIC, list([number(chainId), text(address), number(nonce)]));
  const key = suite.secp256k1Recover(suite.keccak256(signed), concat(toWord(r), toWord(s)), yParity);
  return key && suite.keccak256(key.slice(1)).slice(12);
}
