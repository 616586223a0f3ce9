import type { AccessListItem, Authorization } from '../../app/chain.ts';
import { bigintToBytes, bytesToBigint } from '../../app/evm/numbers.ts';
import { encodeRlp, type RlpItem } from '../../app/evm/rlp.ts';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, concat, EMPTY } from '../../lib/bytes.ts';

/** All fields of an unsigned transaction. The fee fields determine its type, as in geth's ToTransaction. */
export interface FilledTx {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly fees: LegacyFees | DynamicFees;
  readonly gas: bigint;
  readonly to: Bytes | undefined;
  readonly value: bigint;
  readonly data: Bytes;
  /** With a gas price, undefined makes a legacy transaction. */
  readonly accessList: readonly AccessListItem[] | undefined;
  readonly authorizationList: readonly Authorization[];
}

export interface LegacyFees {
  readonly gasPrice: bigint;
}

export interface DynamicFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

const isLegacyFees = (fees: FilledTx['fees']): fees is LegacyFees => 'gasPrice' in fees;

const listItems = (list: readonly AccessListItem[]): RlpItem =>
  list.map(({ address, storageKeys }): RlpItem => [address, storageKeys]);

const authorizationItems = (list: readonly Authorization[]): RlpItem =>
  list.map(
    ({ chainId, address, nonce, yParity, r, s }): RlpItem => [
      bigintToBytes(chainId),
      address,
      bigintToBytes(nonce),
      bigintToBytes(BigInt(yParity)),
      bigintToBytes(r),
      bigintToBytes(s),
    ],
  );

/** Type 0 legacy, 1 EIP-2930, 2 EIP-1559, 4 EIP-7702. */
export function typeOf({ fees, accessList, authorizationList }: FilledTx): 0 | 1 | 2 | 4 {
  if (!isLegacyFees(fees)) return authorizationList.length > 0 ? 4 : 2;
  return accessList === undefined ? 0 : 1;
}

/** The fields before the signature. */
function fieldsOf(tx: FilledTx): RlpItem[] {
  const { fees } = tx;
  const prices = isLegacyFees(fees)
    ? [bigintToBytes(fees.gasPrice)]
    : [bigintToBytes(fees.maxPriorityFeePerGas), bigintToBytes(fees.maxFeePerGas)];
  const call = [bigintToBytes(tx.gas), tx.to ?? EMPTY, bigintToBytes(tx.value), tx.data];
  const type = typeOf(tx);
  const fields: RlpItem[] = [bigintToBytes(tx.nonce), ...prices, ...call];
  if (type === 0) return fields;
  const typed = [bigintToBytes(tx.chainId), ...fields, listItems(tx.accessList ?? [])];
  return type === 4 ? [...typed, authorizationItems(tx.authorizationList)] : typed;
}

const envelope = (type: number, items: readonly RlpItem[]): Bytes =>
  type === 0 ? encodeRlp(items) : concat(Uint8Array.of(type), encodeRlp(items));

/** EIP-2718 bytes with an empty signature, the form in which geth returns an unsigned transaction. */
export const encodeUnsigned = (tx: FilledTx): Bytes =>
  envelope(typeOf(tx), [...fieldsOf(tx), EMPTY, EMPTY, EMPTY]);

/** EIP-2718 bytes signed with a 32-byte secret; a legacy transaction is replay-protected (EIP-155). */
export function signTx(tx: FilledTx, secret: Bytes, suite: CryptoSuite): Bytes {
  const type = typeOf(tx);
  const fields = fieldsOf(tx);
  const signed = type === 0 ? [...fields, bigintToBytes(tx.chainId), EMPTY, EMPTY] : fields;
  const { rs, recovery } = suite.secp256k1Sign(secret, suite.keccak256(envelope(type, signed)));
  const v = type === 0 ? 35n + 2n * tx.chainId + BigInt(recovery) : BigInt(recovery);
  const [r, s] = [rs.subarray(0, 32), rs.subarray(32)].map((half) => bigintToBytes(bytesToBigint(half)));
  // Copied: the bytes live as long as the decoded transaction, and a view would keep the whole shared buffer alive.
  return envelope(type, [...fields, bigintToBytes(v), r as Bytes, s as Bytes]).slice();
}

/** All fields of an unsigned EIP-1559 transaction. */
export interface DynamicFeeTx
  extends DynamicFees,
    Omit<FilledTx, 'fees' | 'accessList' | 'authorizationList'> {
  readonly accessList: readonly AccessListItem[];
}

/** EIP-2718 bytes of an EIP-1559 transaction signed with a 32-byte secret. */
export const signDynamicFeeTx = (tx: DynamicFeeTx, secret: Bytes, suite: CryptoSuite): Bytes =>
  signTx({ ...tx, fees: tx, authorizationList: [] }, secret, suite);
