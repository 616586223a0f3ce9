import type { CryptoSuite } from '../../crypto/suite.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { Recent } from '../../lib/recent.ts';
import { type Sizes, USUAL_SIZES } from '../../lib/sizes.ts';
import { packed } from '../../state/packed.ts';
import type { DecodedCosmosTx } from './decodeCosmosTx.ts';
import { typedDataDigest, typedDataOf } from './eip712.ts';
import { aminoDoc, aminoSignBytes, directSignBytes, type SignerData } from './signBytes.ts';

/** Half of this exceeds a full pool, so each signature is verified once for check, propose, validate and finalize. */
const VERIFIED_MAX = 16_384;

/**
 * Largest transaction whose signature may cover the EIP-712 form. Hashing that form takes a hundred times as long as hashing
 * the bytes, and a transaction with an invalid signature costs its sender nothing.
 */
const TYPED_BYTES_MAX = 65_536;

type Suite = Pick<CryptoSuite, 'keccak256' | 'secp256k1Verify'>;

/**
 * The digests that the signature may cover, the likeliest first: that of the transaction's sign mode, then the EIP-712
 * form of the same document.
 */
function* digests(tx: DecodedCosmosTx, data: SignerData, evmChainId: bigint, suite: Suite): Generator<Bytes> {
  if (tx.mode === 'direct') yield suite.keccak256(directSignBytes(tx, data));
  if (tx.isBeyondAmino) return;
  if (tx.mode === 'aminoJson') yield suite.keccak256(aminoSignBytes(tx, data));
  if (tx.size > TYPED_BYTES_MAX) return;
  const typed = typedDataOf(aminoDoc(tx, data), evmChainId);
  if (typed !== undefined) yield typedDataDigest(typed, (message) => suite.keccak256(message));
}

/** Whether the key signed this transaction for this account and chain. */
export function isSignedBy(
  tx: DecodedCosmosTx,
  pubKey: Bytes,
  data: SignerData,
  evmChainId: bigint,
  suite: Suite,
): boolean {
  for (const digest of digests(tx, data, evmChainId, suite)) {
    if (suite.secp256k1Verify(pubKey, digest, tx.signature)) return true;
  }
  return false;
}

/** `isSignedBy` with a cache of accepted signatures. */
export class SignatureCheck {
  readonly #chainId: string;
  readonly #evmChainId: bigint;
  readonly #suite: Suite;
  readonly #good: Recent<true>;

  constructor(chainId: string, evmChainId: bigint, suite: Suite, sizes: Sizes = USUAL_SIZES) {
    this.#good = new Recent(sizes.kept(VERIFIED_MAX));
    this.#chainId = chainId;
    this.#evmChainId = evmChainId;
    this.#suite = suite;
  }

  get chainId(): string {
    return this.#chainId;
  }

  accepts(tx: DecodedCosmosTx, pubKey: Bytes, accountNumber: bigint): boolean {
    const key = `${packed(tx.hash)}/${accountNumber}`;
    if (this.#good.get(key) === true) return true;
    const data = { chainId: this.#chainId, accountNumber, sequence: tx.sequence };
    if (!isSignedBy(tx, pubKey, data, this.#evmChainId, this.#suite)) return false;
    this.#good.set(key, true);
    return true;
  }
}
