import { addressOfKey } from '../../app/evm/ethTx.ts';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, concat, to0xHex } from '../../lib/bytes.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import { serverError } from '../rpcError.ts';

/** EIP-191 version E: the digest that eth_sign and personal_sign sign. */
export const personalDigest = (message: Bytes, suite: Pick<CryptoSuite, 'keccak256'>): Bytes =>
  suite.keccak256(concat(encodeUtf8(`\x19Ethereum Signed Message:\n${message.length}`), message));

/** r ‖ s ‖ v, with v 27 or 28. */
export function signDigest(digest: Bytes, secret: Bytes, suite: CryptoSuite): Bytes {
  const { rs, recovery } = suite.secp256k1Sign(secret, digest);
  return concat(rs, Uint8Array.of(27 + recovery));
}

/** The result of eth_sign. */
export const signMessage = (message: Bytes, secret: Bytes, suite: CryptoSuite): string =>
  to0xHex(signDigest(personalDigest(message, suite), secret, suite));

/** The address that signed the message; geth's personal_ecRecover. */
export function recoverSigner(message: Bytes, signature: Bytes, suite: CryptoSuite): Bytes {
  if (signature.length !== 65) throw serverError('signature must be 65 bytes long');
  const v = signature[64] as number;
  if (v !== 27 && v !== 28) throw serverError('invalid Ethereum signature (V is not 27 or 28)');
  const key = suite.secp256k1Recover(personalDigest(message, suite), signature.subarray(0, 64), v - 27);
  if (key === undefined) throw serverError('invalid signature');
  return addressOfKey(key, suite);
}
