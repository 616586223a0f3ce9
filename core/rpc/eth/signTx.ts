import type { AccessListItem } from '../../app/chain.ts';
import { bigintToBytes } from '../../app/evm/numbers.ts';
import { encodeRlp, type RlpItem } from '../../app/evm/rlp.ts';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, concat, EMPTY } from '../../lib/bytes.ts';

/** Everything an EIP-1559 transaction says. */
export interface DynamicFeeTx {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gas: bigint;
  readonly to: Bytes | undefined;
  readonly value: bigint;
  readonly data: Bytes;
  readonly accessList: readonly AccessListItem[];
}

const TYPE = Uint8Array.of(2);

/** EIP-2718 bytes of the transaction signed with a 32-byte secret (EIP-1559). */
export function signDynamicFeeTx(tx: DynamicFeeTx, secret: Bytes, suite: CryptoSuite): Bytes {
  const numbers = [tx.chainId, tx.nonce, tx.maxPriorityFeePerGas, tx.maxFeePerGas, tx.gas].map(bigintToBytes);
  const accessList = tx.accessList.map(({ address, storageKeys }): RlpItem => [address, storageKeys]);
  const payload: RlpItem[] = [...numbers, tx.to ?? EMPTY, bigintToBytes(tx.value), tx.data, accessList];
  const digest = suite.keccak256(concat(TYPE, encodeRlp(payload)));
  const { rs, recovery } = suite.secp256k1Sign(secret, digest);
  const signature = [
    recovery === 0 ? EMPTY : Uint8Array.of(1),
    trim(rs.subarray(0, 32)),
    trim(rs.subarray(32)),
  ];
  return concat(TYPE, encodeRlp([...payload, ...signature]));
}

/** RLP integers have no leading zeros. */
const trim = (bytes: Bytes): Bytes => {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? EMPTY : bytes.subarray(start);
};
