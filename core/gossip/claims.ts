import type { BlockReader } from '../types/blockReader.ts';
import type { Round } from '../types/ids.ts';
import type { ConsensusMessage } from '../types/messages.ts';
import type { RoundState } from '../types/roundState.ts';
import type { VoteType } from '../types/vote.ts';
import { commitFor } from './lacks.ts';
import type { PeerRound } from './peerRound.ts';

type Claim = Extract<ConsensusMessage, { kind: 'voteSetMaj23' }>;

/**
 * Where we saw two thirds (CometBFT's maj23 loop): in the peer's round and in the round that a proof of lock is of. A
 * peer that was shown another vote of a liar first takes the one that counts only after such a claim; one that is
 * behind would refuse the precommit in the commit for the same reason.
 */
export function claimsFor(peer: PeerRound, rs: RoundState, blocks: BlockReader): readonly Claim[] {
  if (peer.height < rs.height) return commitClaim(peer, rs, blocks);
  if (peer.height !== rs.height || peer.round < 0) return [];
  const prevoteRounds = new Set([peer.round, rs.proposal?.polRound ?? -1, rs.validRound]);
  return [
    ...majorityClaim(rs, peer.round, 'precommit'),
    ...[...prevoteRounds]
      .filter((round) => round >= 0)
      .flatMap((round) => majorityClaim(rs, round, 'prevote')),
  ];
}

function commitClaim(peer: PeerRound, rs: RoundState, blocks: BlockReader): readonly Claim[] {
  const { height } = peer;
  const commit = commitFor(height, rs, blocks);
  if (commit === undefined) return [];
  const { round, blockId } = commit;
  return [{ kind: 'voteSetMaj23', height, round, type: 'precommit', blockId }];
}

function majorityClaim(rs: RoundState, round: Round, type: VoteType): readonly Claim[] {
  const blockId = rs.votes(round, type)?.majority();
  return blockId === undefined ? [] : [{ kind: 'voteSetMaj23', height: rs.height, round, type, blockId }];
}
