import type { BlockReader } from '../types/blockReader.ts';
import type { Round } from '../types/ids.ts';
import type { ConsensusMessage } from '../types/messages.ts';
import type { RoundState } from '../types/roundState.ts';
import type { VoteType } from '../types/vote.ts';
import { commitFor } from './lacks.ts';
import type { PeerRound } from './peerRound.ts';

type Claim = Extract<ConsensusMessage, { kind: 'voteSetMaj23' }>;

/**
 * The two-thirds claims to send to a peer (CometBFT's maj23 loop): for the peer's round and for the rounds of a proof
 * of lock. If an equivocator's other vote reached the peer first, the peer accepts the one that counts only after such
 * a claim. A peer at a decided height needs the claim for the commit for the same reason.
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
