import { Switchboard } from '../peers/switchboard.ts';
import type { Expectation, StandingChecker } from '../scenario/scenario.ts';
import { accountability } from './accountability.ts';
import { accusations } from './accusations.ts';
import { agreement, appHash } from './agreement.ts';
import { audiences } from './audiences.ts';
import { bans } from './bans.ts';
import { beliefs } from './beliefs.ts';
import { briefings } from './briefings.ts';
import { callers } from './callers.ts';
import { type Checker, type CheckerContext, isAccountable, isAlwaysTolerable } from './checker.ts';
import { clauses } from './clauses.ts';
import { conduct } from './conduct.ts';
import { countedClaims } from './countedClaims.ts';
import { deletions } from './deletions.ts';
import { duties } from './duties.ts';
import { echoes } from './echoes.ts';
import { ethRecords } from './ethRecords.ts';
import { evidenceCommitted } from './evidence.ts';
import { evidenceKept } from './evidenceKept.ts';
import { evidenceSpread } from './evidenceSpread.ts';
import { expression } from './expressions.ts';
import { fetching } from './fetching.ts';
import { fillings } from './fillings.ts';
import { noCrash, noFraming } from './framing.ts';
import { handover } from './handover.ts';
import { hearsay } from './hearsay.ts';
import { holdings } from './holdings.ts';
import { idleness } from './idleness.ts';
import { insistence } from './insistence.ts';
import { lastCommits } from './lastCommits.ts';
import { lateness } from './lateness.ts';
import { links } from './links.ts';
import { liveness } from './liveness.ts';
import { logCuts } from './logCuts.ts';
import { manners } from './manners.ts';
import { nextNonces } from './nextNonces.ts';
import { nilVotes } from './nilVotes.ts';
import { patience } from './patience.ts';
import { peerRoom } from './peerRoom.ts';
import { peerRules } from './peers.ts';
import { places } from './places.ts';
import { poolKept } from './poolKept.ts';
import { poolSpread } from './poolSpread.ts';
import { pools } from './pools.ts';
import { poolTimeouts } from './poolTimeouts.ts';
import { poolWaits } from './poolWaits.ts';
import { proofs } from './proofs.ts';
import { proofsTold } from './proofsTold.ts';
import { repetition } from './repetition.ts';
import { resources } from './resources.ts';
import { roundNews } from './roundNews.ts';
import { roundWaits } from './roundWaits.ts';
import { rumours } from './rumours.ts';
import { searches } from './searches.ts';
import { served } from './served/served.ts';
import { setsOut } from './setsOut.ts';
import { lockRule, noSelfEquivocation } from './signatures.ts';
import { signBytes } from './signBytes.ts';
import { spread } from './spread.ts';
import { standing } from './standing.ts';
import { strayVotes } from './strayVotes.ts';
import { syncing } from './syncing.ts';
import { takenBack } from './takenBack.ts';
import { tallies } from './tallies.ts';
import { turns } from './turns.ts';
import { usedTxs } from './usedTxs.ts';
import { validity } from './validity.ts';
import { victims } from './victims.ts';
import { voteTimes } from './voteTimes.ts';
import { wanted } from './wanted.ts';
import { whileTolerable } from './whileTolerable.ts';
import { wires } from './wires.ts';
import { words } from './words.ts';

const STANDING: readonly (readonly [StandingChecker, (context: CheckerContext) => Checker])[] = [
  ['agreement', whileTolerable(agreement)],
  ['validity', whileTolerable(validity)],
  ['validity', proofs],
  ['conduct', briefings],
  ['conduct', accusations],
  ['no_self_equivocation', noSelfEquivocation],
  ['conduct', signBytes],
  ['no_framing', noFraming],
  ['no_framing', strayVotes],
  ['app_hash', whileTolerable(appHash)],
  ['lock', lockRule],
  ['conduct', conduct],
  ['conduct', patience],
  ['conduct', idleness],
  ['conduct', whileTolerable(clauses)],
  ['conduct', whileTolerable(holdings)],
  ['conduct', whileTolerable(duties)],
  ['conduct', whileTolerable(nilVotes)],
  ['conduct', turns],
  ['conduct', fillings],
  ['conduct', lateness],
  ['conduct', links],
  ['conduct', voteTimes],
  ['conduct', lastCommits],
  ['conduct', spread],
  ['conduct', whileTolerable(repetition)],
  ['conduct', beliefs],
  ['conduct', hearsay],
  ['conduct', proofsTold],
  ['conduct', echoes],
  ['conduct', wanted],
  ['conduct', poolSpread],
  ['conduct', evidenceSpread],
  ['conduct', words],
  ['conduct', standing],
  ['conduct', insistence],
  ['conduct', manners],
  ['conduct', tallies],
  ['conduct', countedClaims],
  ['conduct', peerRoom],
  ['conduct', roundWaits],
  ['conduct', roundNews],
  ['conduct', wires],
  ['conduct', deletions],
  ['app_hash', takenBack],
  ['no_crash', logCuts],
  ['conduct', syncing],
  ['conduct', handover],
  ['conduct', fetching],
  ['conduct', setsOut],
  ['no_crash', noCrash],
];

/** The checkers of a run: the standing ones, except those the scenario switches off, and one for each expectation. */
export function checkersOf(context: CheckerContext): readonly Checker[] {
  const { off, expect } = context.scenario;
  const standing = STANDING.filter(([name]) => !off.has(name)).map(([, make]) => make(context));
  // Where a third of the power may be faulty, agreement itself may break, so accountability is checked instead.
  const isNamed = expect.some((one) => one.kind === 'guilty');
  if (!isAlwaysTolerable(context) && isAccountable(context) && !isNamed && !off.has('accountability'))
    standing.push(accountability(context));
  if (!off.has('durability'))
    standing.push(
      ethRecords(context),
      evidenceKept(context),
      pools(context),
      poolKept(context),
      poolTimeouts(context),
      poolWaits(context),
      usedTxs(context),
      nextNonces(context),
      victims(context),
    );
  if (!off.has('answers')) standing.push(searches(context), served(context), audiences(context));
  return [...standing, ...peersOf(context), ...expect.flatMap((one) => expected(context, one))];
}

/** Rules of peer exchange apply only where nodes find each other by themselves. */
function peersOf(context: CheckerContext): readonly Checker[] {
  const { steering } = context.world.network;
  return steering instanceof Switchboard
    ? [peerRules, bans, callers, rumours, places].map((judge) => judge(context, steering))
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
