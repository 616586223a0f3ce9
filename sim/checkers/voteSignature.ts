/** Judges of signatures on votes. Not the core's own: a core that takes any signature must not persuade its judges. */
import { voteSignBytes } from '../../core/codec/signBytes.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { Vote } from '../../core/types/vote.ts';
import type { CheckerContext } from './checker.ts';

/** Whether the ed25519 key signed this vote of the cluster's chain. */
export const isSignedBy = (
  { cluster, suite }: Pick<CheckerContext, 'cluster' | 'suite'>,
  key: Bytes,
  vote: Vote,
): boolean => suite.ed25519Verify(key, voteSignBytes(cluster.genesis.chainId, vote), vote.signature);

/** No vote of this chain has an extension. */
export const hasExtension = ({ extension, extensionSignature }: Vote): boolean =>
  extension.length + extensionSignature.length > 0;
