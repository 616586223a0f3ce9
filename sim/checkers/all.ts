import { Switchboard } from '../peers/switchboard.ts';
import type { Expectation, StandingChecker } from '../scenario/scenario.ts';
import { type Checker, type CheckerContext, isAccountable, isAlwaysTolerable } from './checker.ts';
import { websocketReplay } from './clients/websocketReplay.ts';
import { abciBlockRequests } from './consensus/abciBlockRequests.ts';
import { lastCommits } from './consensus/lastCommits.ts';
import { lockAndPartsKept } from './consensus/lockAndPartsKept.ts';
import { nilPrevotes } from './consensus/nilPrevotes.ts';
import { peerMaj23Votes } from './consensus/peerMaj23Votes.ts';
import { prevotesAndRoundChanges } from './consensus/prevotesAndRoundChanges.ts';
import { proposerSelection } from './consensus/proposerSelection.ts';
import { requiredMessages } from './consensus/requiredMessages.ts';
import { roundEvents } from './consensus/roundEvents.ts';
import { uponRules } from './consensus/uponRules.ts';
import { voteTallies } from './consensus/voteTallies.ts';
import { evidenceCommitted } from './evidence/evidenceCommitted.ts';
import { evidenceCreation } from './evidence/evidenceCreation.ts';
import { evidenceGossip } from './evidence/evidenceGossip.ts';
import { evidenceKept } from './evidence/evidenceKept.ts';
import { evidenceValidity } from './evidence/evidenceValidity.ts';
import { expression } from './expectations/expressions.ts';
import { liveness } from './expectations/liveness.ts';
import { resources } from './expectations/resources.ts';
import { consensusGossip } from './gossip/consensusGossip.ts';
import { duplicateMessages } from './gossip/duplicateMessages.ts';
import { gossipOverhead } from './gossip/gossipOverhead.ts';
import { maj23Answers } from './gossip/maj23Answers.ts';
import { newRoundStepRate } from './gossip/newRoundStepRate.ts';
import { newValidBlockUpdates } from './gossip/newValidBlockUpdates.ts';
import { ownStateAnnouncements } from './gossip/ownStateAnnouncements.ts';
import { partSetLimit } from './gossip/partSetLimit.ts';
import { peerStateUpdates } from './gossip/peerStateUpdates.ts';
import { proposalPolSent } from './gossip/proposalPolSent.ts';
import { unfoundedPeerVotes } from './gossip/unfoundedPeerVotes.ts';
import { blockFilling } from './mempool/blockFilling.ts';
import { committedTxCache } from './mempool/committedTxCache.ts';
import { eviction } from './mempool/eviction.ts';
import { pendingNonces } from './mempool/pendingNonces.ts';
import { poolContents } from './mempool/poolContents.ts';
import { poolKept } from './mempool/poolKept.ts';
import { queuedLifetime } from './mempool/queuedLifetime.ts';
import { timeoutHeights } from './mempool/timeoutHeights.ts';
import { txGossip } from './mempool/txGossip.ts';
import { addressExchange } from './p2p/addressExchange.ts';
import { bans } from './p2p/bans.ts';
import { connectedPeers } from './p2p/connectedPeers.ts';
import { connectionLimits } from './p2p/connectionLimits.ts';
import { dialing } from './p2p/dialing.ts';
import { invalidMessages } from './p2p/invalidMessages.ts';
import { outboundSlots } from './p2p/outboundSlots.ts';
import { realConnections } from './p2p/realConnections.ts';
import { strayVotes } from './p2p/strayVotes.ts';
import { accountability } from './safety/accountability.ts';
import { agreement, appHash } from './safety/agreement.ts';
import { lockRule, noSelfEquivocation } from './safety/equivocationAndLock.ts';
import { noCrash, noFraming } from './safety/framingAndCrashes.ts';
import { signBytes } from './safety/signBytes.ts';
import { validity } from './safety/validity.ts';
import { served } from './served/served.ts';
import { deletions } from './storage/deletions.ts';
import { ethRecords } from './storage/ethRecords.ts';
import { eventIndex } from './storage/eventIndex.ts';
import { rollbackLeftovers } from './storage/rollbackLeftovers.ts';
import { walPruning } from './storage/walPruning.ts';
import { blockSyncExchange } from './sync/blockSyncExchange.ts';
import { leavesBlockSync } from './sync/leavesBlockSync.ts';
import { silentWhileSyncing } from './sync/silentWhileSyncing.ts';
import { switchToConsensus } from './sync/switchToConsensus.ts';
import { earlyTimeouts } from './timing/earlyTimeouts.ts';
import { emptyBlocks } from './timing/emptyBlocks.ts';
import { lateTimeouts } from './timing/lateTimeouts.ts';
import { precommitWait } from './timing/precommitWait.ts';
import { voteTimes } from './timing/voteTimes.ts';
import { whileTolerable } from './whileTolerable.ts';

const STANDING: readonly (readonly [StandingChecker, (context: CheckerContext) => Checker])[] = [
  ['agreement', whileTolerable(agreement)],
  ['validity', whileTolerable(validity)],
  ['validity', evidenceValidity],
  ['conduct', abciBlockRequests],
  ['conduct', evidenceCreation],
  ['no_self_equivocation', noSelfEquivocation],
  ['conduct', signBytes],
  ['no_framing', noFraming],
  ['no_framing', strayVotes],
  ['app_hash', whileTolerable(appHash)],
  ['lock', lockRule],
  ['conduct', prevotesAndRoundChanges],
  ['conduct', earlyTimeouts],
  ['conduct', emptyBlocks],
  ['conduct', whileTolerable(uponRules)],
  ['conduct', whileTolerable(lockAndPartsKept)],
  ['conduct', whileTolerable(requiredMessages)],
  ['conduct', whileTolerable(nilPrevotes)],
  ['conduct', proposerSelection],
  ['conduct', blockFilling],
  ['conduct', lateTimeouts],
  ['conduct', connectedPeers],
  ['conduct', voteTimes],
  ['conduct', lastCommits],
  ['conduct', consensusGossip],
  ['conduct', whileTolerable(gossipOverhead)],
  ['conduct', unfoundedPeerVotes],
  ['conduct', peerStateUpdates],
  ['conduct', proposalPolSent],
  ['conduct', duplicateMessages],
  ['conduct', newValidBlockUpdates],
  ['conduct', txGossip],
  ['conduct', evidenceGossip],
  ['conduct', maj23Answers],
  ['conduct', ownStateAnnouncements],
  ['conduct', newRoundStepRate],
  ['conduct', invalidMessages],
  ['conduct', voteTallies],
  ['conduct', peerMaj23Votes],
  ['conduct', partSetLimit],
  ['conduct', precommitWait],
  ['conduct', roundEvents],
  ['conduct', realConnections],
  ['conduct', deletions],
  ['app_hash', rollbackLeftovers],
  ['no_crash', walPruning],
  ['conduct', blockSyncExchange],
  ['conduct', switchToConsensus],
  ['conduct', silentWhileSyncing],
  ['conduct', leavesBlockSync],
  ['no_crash', noCrash],
];

/** The checkers of a run: the standing ones, except those the scenario switches off, and one for each expectation. */
export function checkersOf(context: CheckerContext): readonly Checker[] {
  const { off, expect } = context.scenario;
  const active = STANDING.filter(([name]) => !off.has(name)).map(([, make]) => make(context));
  // Where a third of the power may be faulty, agreement itself may break, so accountability is checked instead.
  const isNamed = expect.some((one) => one.kind === 'guilty');
  if (!isAlwaysTolerable(context) && isAccountable(context) && !isNamed && !off.has('accountability'))
    active.push(accountability(context));
  if (!off.has('durability'))
    active.push(
      ethRecords(context),
      evidenceKept(context),
      poolContents(context),
      poolKept(context),
      timeoutHeights(context),
      queuedLifetime(context),
      committedTxCache(context),
      pendingNonces(context),
      eviction(context),
    );
  if (!off.has('answers')) active.push(eventIndex(context), served(context), websocketReplay(context));
  return [...active, ...peersOf(context), ...expect.flatMap((one) => expected(context, one))];
}

/** Rules of peer exchange apply only where nodes find each other by themselves. */
function peersOf(context: CheckerContext): readonly Checker[] {
  const { steering } = context.world.network;
  return steering instanceof Switchboard
    ? [connectionLimits, bans, dialing, addressExchange, outboundSlots].map((judge) =>
        judge(context, steering),
      )
    : [];
}

function expected(context: CheckerContext, one: Expectation): readonly Checker[] {
  switch (one.kind) {
    case 'liveness':
      return [liveness(context, one)];
    case 'evidence':
      return [evidenceCommitted(context, one)];
    case 'never':
    case 'eventually':
    case 'app':
      return [expression(context, one)];
    case 'guilty':
      return [accountability(context, one)];
    case 'resources':
      return [resources(context, one)];
    case 'receipts':
    case 'ws':
    case 'light':
      // The client itself judges these; see clientCheckers.ts.
      return [];
  }
}
