import { ADDRESSES } from './addresses.ts';
import { ANSWERS } from './answers.ts';
import { APPLICATION } from './application.ts';
import { ARGUMENTS } from './arguments.ts';
import { ASKED } from './asked.ts';
import { ATTACKS } from './attacks.ts';
import { BLOCKS } from './blocks.ts';
import { BOUNDARIES } from './boundaries.ts';
import type { Break } from './broken.ts';
import { CHANGES } from './changes.ts';
import { DECIDING } from './deciding.ts';
import { EDGES } from './edges.ts';
import { ELSEWHERE } from './elsewhere.ts';
import { EXECUTION } from './execution.ts';
import { EXPORTS } from './exports.ts';
import { FACES } from './faces.ts';
import { FAULTY } from './faulty.ts';
import { FEES } from './fees.ts';
import { FORMS } from './forms.ts';
import { GENESIS } from './genesis.ts';
import { GOSSIP } from './gossip.ts';
import { GUARDS } from './guards.ts';
import { HANDED } from './handed.ts';
import { HANDWRITTEN } from './handwritten.ts';
import { HISTORY } from './history.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { INTAKE } from './intake.ts';
import { LIGHT_ATTACKS } from './lightAttacks.ts';
import { NARROW } from './narrow.ts';
import { NODE } from './node.ts';
import { OFFENCES } from './offences.ts';
import { PARTS } from './parts.ts';
import { PAYMENTS } from './payments.ts';
import { POOLS } from './pools.ts';
import { PRETENCES } from './pretences.ts';
import { RARITIES } from './rarities.ts';
import { RECORDS } from './records.ts';
import { REPEATS } from './repeats.ts';
import { REPORTED } from './reported.ts';
import { RESULTS } from './results.ts';
import { RETOLD } from './retold.ts';
import { REVIVED } from './revived.ts';
import { ROLLBACK } from './rollback.ts';
import { ROUNDS } from './rounds.ts';
import { RUMOURS } from './rumours.ts';
import { RUSES } from './ruses.ts';
import { SEARCHES } from './searches.ts';
import { SERVED } from './served.ts';
import { SERVICES } from './services.ts';
import { SHIPPED } from './shipped.ts';
import { SIGNING } from './signing.ts';
import { SPELLINGS } from './spellings.ts';
import { SUBSCRIPTIONS } from './subscriptions.ts';
import { SURROUNDINGS } from './surroundings.ts';
import { SYNCING } from './syncing.ts';
import { TOLD } from './told.ts';
import { TRACED } from './traced.ts';
import { VOTES } from './votes.ts';
import { WALLETS } from './wallets.ts';
import { WIRES } from './wires.ts';

/** Breaks of the core, a line each: the scenario and seed that show it, and the checkers of which one must notice first. */
export const BREAKS: readonly Break[] = [
  ...VOTES,
  ...ROUNDS,
  ...INTAKE,
  ...DECIDING,
  ...BLOCKS,
  ...APPLICATION,
  ...EXECUTION,
  ...ADDRESSES,
  ...ANSWERS,
  ...GUARDS,
  ...GOSSIP,
  ...NODE,
  ...OFFENCES,
  ...LIGHT_ATTACKS,
  ...ATTACKS,
  ...HANDWRITTEN,
  ...HISTORY,
  ...RECORDS,
  ...RESULTS,
  ...SEARCHES,
  ...SERVED,
  ...ROLLBACK,
  ...REVIVED,
  ...GENESIS,
  ...CHANGES,
  ...PARTS,
  ...PAYMENTS,
  ...FAULTY,
  ...FEES,
  ...POOLS,
  ...SUBSCRIPTIONS,
  ...SURROUNDINGS,
  ...WALLETS,
  ...SYNCING,
  ...TOLD,
  ...ASKED,
  ...PRETENCES,
  ...ELSEWHERE,
  ...SHIPPED,
  ...REPORTED,
  ...RETOLD,
  ...SERVICES,
  ...INSTRUCTIONS,
  ...SIGNING,
  ...EXPORTS,
  ...ARGUMENTS,
  ...TRACED,
  ...FACES,
  ...HANDED,
  ...RUMOURS,
  ...REPEATS,
  ...NARROW,
  ...WIRES,
  ...BOUNDARIES,
  ...RUSES,
  ...EDGES,
  ...RARITIES,
  ...SPELLINGS,
  ...FORMS,
];
