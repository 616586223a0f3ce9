import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import type { BlockReader } from '../types/blockReader.ts';
import type { ConsensusMessage } from '../types/messages.ts';
import type { RoundState } from '../types/roundState.ts';
import type { Author } from './author.ts';
import { missingAt, NOTHING, voteSetSize } from './lacks.ts';
import type { PeerRound } from './peerRound.ts';

/** Most parts and votes that one peer is sent at a time. */
const PARTS_MAX = 16;
const VOTES_MAX = 128;

const NO_MESSAGES: readonly ConsensusMessage[] = [];

/**
 * Messages with what the peer lacks and we have: all of it, or only what `author` signed. From now on we believe that
 * the peer has them.
 */
export function supply(
  peer: PeerRound,
  rs: RoundState,
  blocks: BlockReader,
  author: Author | undefined,
  sizes: Sizes = USUAL_SIZES,
): readonly ConsensusMessage[] {
  const { height, round } = peer;
  const partsMax = sizes.atOnce(PARTS_MAX);
  const votesMax = sizes.atOnce(VOTES_MAX);
  const missing = missingAt(peer, rs, blocks, { partsMax, votesMax, author });
  if (missing === NOTHING) return NO_MESSAGES;
  const messages: ConsensusMessage[] = [];
  if (missing.proposal !== undefined) {
    const { proposal, pol } = missing.proposal;
    messages.push({ kind: 'proposal', proposal });
    if (pol !== undefined)
      messages.push({ kind: 'proposalPol', height, polRound: proposal.polRound, bits: pol });
    peer.setProposal(proposal.height, proposal.round, proposal.blockId.parts, proposal.polRound);
  }
  for (const part of missing.parts) {
    messages.push({ kind: 'blockPart', height, round, part });
    peer.setPart(height, part.index);
  }
  for (const vote of missing.votes) {
    messages.push({ kind: 'vote', vote });
    const size = voteSetSize(vote.height, rs, blocks);
    peer.setVote(vote.height, vote.round, vote.type, vote.validatorIndex, size);
  }
  return messages;
}
