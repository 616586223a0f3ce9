import { hasFittingLastCommitRound } from '../codec/messages.ts';
import type { ConsensusInput } from '../consensus/contract.ts';
import type { GossipOut } from '../gossip/contract.ts';
import type { Gossip } from '../gossip/gossip.ts';
import { unreachable } from '../lib/assert.ts';
import type { Height, Micros, PeerId } from '../types/ids.ts';
import type { ConsensusMessage } from '../types/messages.ts';

/** Receivers of the consensus messages of peers. */
export interface MessageSinks {
  readonly gossip: Gossip;
  readonly gossipOut: GossipOut;
  readonly initialHeight: Height;
  consensus(input: ConsensusInput): void;
  drop(peer: PeerId, reason: string): void;
}

/** While block sync runs, only what peers say about their own position is of use. */
export function routeWhileSyncing(
  to: MessageSinks,
  now: Micros,
  peer: PeerId,
  message: ConsensusMessage,
): void {
  if (message.kind === 'newRoundStep' || message.kind === 'newValidBlock' || message.kind === 'hasVote')
    routeMessage(to, now, peer, message);
}

/** Tells gossip what a message reveals about its sender, and consensus what it says. */
export function routeMessage(to: MessageSinks, now: Micros, peer: PeerId, message: ConsensusMessage): void {
  const { gossip, gossipOut } = to;
  switch (message.kind) {
    case 'newRoundStep':
      if (hasFittingLastCommitRound(message, to.initialHeight)) {
        gossip.onNewRoundStep(now, peer, message, gossipOut);
      } else to.drop(peer, 'NewRoundStep: last commit round does not fit the height');
      return;
    case 'newValidBlock':
      gossip.onNewValidBlock(peer, message, gossipOut);
      return;
    case 'hasVote':
      gossip.tracker.onHasVote(peer, message);
      return;
    case 'voteSetMaj23': {
      const { height, round, type, blockId } = message;
      to.consensus({ kind: 'maj23', peer, height, round, type, blockId });
      gossip.onVoteSetMaj23(peer, message, gossipOut);
      return;
    }
    case 'voteSetBits':
      gossip.tracker.onVoteSetBits(peer, message);
      return;
    case 'proposal':
      gossip.tracker.onProposal(peer, message.proposal);
      to.consensus({ kind: 'proposal', peer, proposal: message.proposal });
      return;
    case 'proposalPol':
      return;
    case 'blockPart': {
      const { height, round, part } = message;
      gossip.tracker.onPart(peer, height, part);
      to.consensus({ kind: 'part', peer, height, round, part });
      return;
    }
    case 'vote':
      if (gossip.tracker.onVote(peer, message.vote)) {
        to.consensus({ kind: 'vote', peer, vote: message.vote });
      } else to.drop(peer, 'flood of votes for heights far ahead');
      return;
    default:
      unreachable(message);
  }
}
