/** Ethereum transactions as a wallet with one key signs them. */
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { type Bytes, EMPTY } from '../../../core/lib/bytes.ts';
import { list, number, text } from '../../reference/rlp.ts';
import { toBig } from '../../reference/state.ts';

/** The wallet's key, whose account is in no genesis. */
export const SECRET = new Uint8Array(32).fill(0x5b);
export const TO = new Uint8Array(20).fill(0x5e);

/** A payment of nothing. */
export interface Payment {
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  readonly gas: bigint;
}

export const walletOf = (suite: CryptoSuite): Bytes =>
  suite.keccak256(suite.secp256k1PublicKey(SECRET, false).slice(1)).slice(12);

/** A legacy transaction: for one chain (EIP-155), or for every chain if `chainId` is undefined. */
export function legacyTx(tx: Payment, chainId: bigint | undefined, suite: CryptoSuite): Bytes {
  const fields = [number(tx.nonce), number(tx.gasPrice), number(tx.gas), text(TO), number(0n), text(EMPTY)];
  const place = chainId === undefined ? [] : [number(chainId), number(0n), number(0n)];
  const { rs, recovery } = suite.secp256k1Sign(SECRET, suite.keccak256(list([...fields, ...place])));
  const v = BigInt(recovery) + (chainId === undefined ? 27n : 35n + 2n * chainId);
  const halves = [rs.subarray(0, 32), rs.subarray(32)].map((half) => number(toBig(half)));
  return list([...fields, number(v), ...halves]);
}
