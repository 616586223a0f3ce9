import type { Authorization } from '../../core/app/chain.ts';
import { bigintToBytes, bytesToBigint } from '../../core/app/evm/numbers.ts';
import { encodeRlp } from '../../core/app/evm/rlp.ts';
import { ethAddress } from '../../core/crypto/addresses.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, concat } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import { EVM_CHAIN_ID } from '../cluster.ts';
import { upperS } from './upperS.ts';

/** A tuple before it is signed. */
type Tuple = Pick<Authorization, 'chainId' | 'address' | 'nonce'>;

/** An account that sends no transactions. Only tuples create it. */
export interface Signer {
  readonly address: Bytes;
  sign(tuple: Tuple): Authorization;
}

export function signerOf(label: string, suite: CryptoSuite): Signer {
  const secret = suite.sha256(encodeUtf8(`orrery-sim ${label}`));
  return {
    address: ethAddress(suite.secp256k1PublicKey(secret, false)),
    sign: (tuple) => signed(tuple, secret, suite),
  };
}

export function signed({ chainId, address, nonce }: Tuple, secret: Bytes, suite: CryptoSuite): Authorization {
  const tuple = encodeRlp([bigintToBytes(chainId), address, bigintToBytes(nonce)]);
  const digest = suite.keccak256(concat(Uint8Array.of(5), tuple));
  const { rs, recovery } = suite.secp256k1Sign(secret, digest);
  const [r, s] = [bytesToBigint(rs.subarray(0, 32)), bytesToBigint(rs.subarray(32))];
  return { chainId, address, nonce, yParity: recovery, r, s };
}

const withUpperS = ({ yParity, s, ...rest }: Authorization): Authorization => ({
  ...rest,
  ...upperS(yParity, s),
});

/** Tuples of a signer with nonce 0 that are skipped before the signer is accessed (EIP-7702, steps 1 to 3). */
export const unheeded = ({ sign }: Signer, address: Bytes): readonly Authorization[] => [
  sign({ chainId: EVM_CHAIN_ID + 1n, address, nonce: 0n }),
  withUpperS(sign({ chainId: 0n, address, nonce: 0n })),
  { ...sign({ chainId: EVM_CHAIN_ID, address, nonce: 0n }), yParity: 2 },
  sign({ chainId: EVM_CHAIN_ID, address, nonce: 2n ** 64n - 1n }),
];

/** A tuple that fails only after the signer was accessed, and so was made warm (step 4). */
export const premature = ({ sign }: Signer, address: Bytes): readonly Authorization[] => [
  sign({ chainId: 0n, address, nonce: 1n }),
];
