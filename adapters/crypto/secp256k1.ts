import { createRequire } from 'node:module';
import { nobleSuite } from '../../core/crypto/noble.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Bytes } from '../../core/lib/bytes.ts';

/** The part of the `secp256k1` package (libsecp256k1) that this suite uses. */
export interface NativeSecp256k1 {
  publicKeyCreate(secret: Bytes, compressed: boolean): Bytes;
  publicKeyConvert(publicKey: Bytes, compressed: boolean): Bytes;
  ecdsaSign(digest: Bytes, secret: Bytes): { readonly signature: Bytes; readonly recid: number };
  ecdsaRecover(signature: Bytes, recovery: number, digest: Bytes, compressed: boolean): Bytes;
  ecdsaVerify(signature: Bytes, digest: Bytes, publicKey: Bytes): boolean;
}

export type Secp256k1Suite = Pick<
  CryptoSuite,
  'secp256k1PublicKey' | 'secp256k1Sign' | 'secp256k1Recover' | 'secp256k1Uncompress' | 'secp256k1Verify'
>;

/** Loads only the native bindings, not the package's pure-JavaScript fallback: the fallback here is noble. */
export function loadNative(): NativeSecp256k1 | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as NativeSecp256k1;
  } catch {
    return undefined;
  }
}

/** RFC 6979 first reduces a digest that is at least n; libsecp256k1 does not. n begins with fifteen bytes of ff. */
const mayExceedOrder = (digest: Bytes): boolean => {
  for (let i = 0; i < 15; i++) if (digest[i] !== 0xff) return false;
  return true;
};

const isPublicKey = (key: Bytes): boolean =>
  key.length === 33 ? key[0] === 2 || key[0] === 3 : key.length === 65 && key[0] === 4;

function recover(native: NativeSecp256k1, digest: Bytes, rs: Bytes, recovery: number): Bytes | undefined {
  if (digest.length !== 32 || rs.length !== 64 || (recovery !== 0 && recovery !== 1)) return undefined;
  try {
    return native.ecdsaRecover(rs, recovery, digest, false);
  } catch {
    return undefined;
  }
}

function uncompress(native: NativeSecp256k1, publicKey: Bytes): Bytes | undefined {
  if (publicKey.length !== 33) return undefined;
  try {
    return native.publicKeyConvert(publicKey, false);
  } catch {
    return undefined;
  }
}

function verify(native: NativeSecp256k1, publicKey: Bytes, digest: Bytes, rs: Bytes): boolean {
  if (digest.length !== 32 || rs.length !== 64 || !isPublicKey(publicKey)) return false;
  try {
    return native.ecdsaVerify(rs, digest, publicKey);
  } catch {
    return false;
  }
}

/** libsecp256k1 if a prebuilt binding loads, else noble. */
export function secp256k1Suite(native: NativeSecp256k1 | undefined): Secp256k1Suite {
  if (native === undefined) return nobleSuite;
  return {
    secp256k1PublicKey: (secret, compressed) => native.publicKeyCreate(secret, compressed),
    secp256k1Sign(secret, digest) {
      if (mayExceedOrder(digest)) return nobleSuite.secp256k1Sign(secret, digest);
      const { signature, recid } = native.ecdsaSign(digest, secret);
      return { rs: signature, recovery: recid };
    },
    secp256k1Recover: (digest, rs, recovery) => recover(native, digest, rs, recovery),
    secp256k1Uncompress: (publicKey) => uncompress(native, publicKey),
    secp256k1Verify: (publicKey, digest, rs) => verify(native, publicKey, digest, rs),
  };
}
