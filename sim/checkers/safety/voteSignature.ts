/** Verifies votes' signatures without the core: a core that accepts any signature must not deceive its checkers. */
import { voteSignBytes } from '../../../core/codec/signBytes.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import type { PublicKey } from '../../../core/types/validator.ts';
import type { Vote } from '../../../core/types/vote.ts';
import type { CheckerContext } from '../checker.ts';

/** Whether the key signed these bytes: ed25519 signs them directly, secp256k1 their SHA-256. */
export const isSignature = (
  suite: CryptoSuite,
  { type, bytes: key }: PublicKey,
  bytes: Bytes,
  signature: Bytes,
): boolean =>
  type === 'ed25519'
    ? suite.ed25519Verify(key, bytes, signature)
    : suite.secp256k1Verify(key, suite.sha256(bytes), signature);

/** Whether the key signed this vote of the cluster's chain. */
export const isSignedBy = (
  { cluster, suite }: Pick<CheckerContext, 'cluster' | 'suite'>,
  key: PublicKey,
  vote: Vote,
): boolean => isSignature(suite, key, voteSignBytes(cluster.genesis.chainId, vote), vote.signature);

/** No vote of this chain has an extension. */
export const hasExtension = ({ extension, extensionSignature }: Vote): boolean =>
  extension.length + extensionSignature.length > 0;
