import { commitHash } from '../../core/codec/hashes.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { Block, Commit, CommitSig } from '../../core/types/block.ts';
import { commitVote } from '../../core/types/vote.ts';
import type { Accomplice } from './behaviour.ts';
import { ABSENT, variantOf } from './blocks.ts';
import { spoiled } from './wrongFields.ts';

/** Height of the wrong block when `count` is left out. */
const LIED_HEIGHT = 3;

/**
 * A block as the liars serve it to a peer that is catching up. Block `count` has a wrong `field`. The block after it
 * has a last commit for the wrong block, with the liars' signatures.
 */
export function signedLie(me: Accomplice, block: Block): Block {
  const lied = Number(me.args.get('count') ?? LIED_HEIGHT);
  const { height } = block.header;
  if (height === lied) return spoiled(me, block);
  const below = height === lied + 1 ? me.chain()?.block(lied) : undefined;
  return below === undefined ? block : signedOver(me, block, spoiled(me, below));
}

/** The block with a last commit for `below`, signed by the liars. */
function signedOver(me: Accomplice, block: Block, below: Block): Block {
  const { blockId } = variantOf(below);
  const commit: Commit = { ...block.lastCommit, blockId };
  const signatures = commit.signatures.map((sig, i): CommitSig => {
    const signer = me.coalition.members.find(({ address }) => equalBytes(address, sig.validatorAddress));
    const vote = commitVote(commit, i);
    if (signer === undefined || vote === undefined || sig.flag !== 'commit') return ABSENT;
    return { ...sig, signature: signer.signVote(vote).signature };
  });
  const lastCommit: Commit = { ...commit, signatures };
  return {
    ...block,
    lastCommit,
    header: { ...block.header, lastBlockId: blockId, lastCommitHash: commitHash(lastCommit) },
  };
}
