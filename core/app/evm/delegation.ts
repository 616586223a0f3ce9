import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, concat, hex } from '../../lib/bytes.ts';
import type { Address } from '../../types/ids.ts';
import type { Authorization } from '../chain.ts';
import { addressOfKey, signatureBytes } from './ethTx.ts';
import { bigintToBytes, MAX_UINT64 } from './numbers.ts';
import { encodeRlp } from './rlp.ts';

/** EIP-7702: an account whose code is this prefix and an address runs the code of that address. */
const DELEGATION_PREFIX = hex('ef0100');
const AUTHORIZATION_MAGIC = Uint8Array.of(5);

export const isDelegation = (code: Bytes): boolean =>
  code.length === 23 && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00;

export const delegationTo = (address: Address): Bytes => concat(DELEGATION_PREFIX, address);

export const delegateOf = (code: Bytes): Address => code.slice(3);

/**
 * The account that signed the tuple; undefined when stateless checks (EIP-7702 steps 1 to 3) say to skip it: another
 * chain, nonce at its maximum, no valid low-s signature.
 */
export function authorityOf(
  authorization: Authorization,
  evmChainId: bigint,
  suite: CryptoSuite,
): Address | undefined {
  const { chainId, address, nonce, yParity, r, s } = authorization;
  if (chainId !== 0n && chainId !== evmChainId) return undefined;
  if (nonce === MAX_UINT64 || yParity > 1) return undefined;
  const rs = signatureBytes(r, s);
  if (rs === undefined) return undefined;
  const tuple = encodeRlp([bigintToBytes(chainId), address, bigintToBytes(nonce)]);
  const key = suite.secp256k1Recover(suite.keccak256(concat(AUTHORIZATION_MAGIC, tuple)), rs, yParity);
  return key === undefined ? undefined : addressOfKey(key, suite);
}
