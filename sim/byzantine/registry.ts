import { BAD_BODY } from './badBody.ts';
import { BAD_MANNERS } from './badManners.ts';
import type { Behaviour } from './behaviour.ts';
import { BACK_TO_THE_PAST, CENSORED_PRECOMMIT, EDITED_COMMIT } from './commits.ts';
import { EDGE_RIDER, REPLAY, SELECTIVE_DELIVERY } from './delivery.ts';
import { EVIDENCE_CENSOR, EVIDENCE_SPAM, FORGED_EVIDENCE } from './evidenceLies.ts';
import { FORK } from './fork.ts';
import { LIGHT_ATTACK } from './lightAttack.ts';
import { ECLIPSE, POOL_ATTACK, SYNC_LIAR } from './peerLies.ts';
import { PHANTOM_VOTES } from './phantom.ts';
import {
  BAD_POL_ROUND,
  CORRUPT_PARTS,
  INVALID_BLOCK,
  LOCK_BREAKER,
  LYING_POL,
  OVERSIZE_PARTS,
  TWO_PROPOSALS,
  WITHHELD_PARTS,
} from './proposals.ts';
import {
  AMNESIA,
  BAD_SIGNATURE,
  DOUBLE_PRECOMMIT,
  DOUBLE_PREVOTE,
  FUTURE_FLOOD,
  HIDDEN_PREVOTES,
  NIL_VOTES,
  SILENT_VOTER,
  UNFOUNDED_PRECOMMIT,
  VALUE_AND_NIL,
  WRONG_TIME,
} from './votes.ts';

/** The catalogue. Swarm draws a behaviour by its index, so add new ones at the end. */
export const BEHAVIOURS: readonly Behaviour[] = [
  TWO_PROPOSALS,
  DOUBLE_PREVOTE,
  DOUBLE_PRECOMMIT,
  VALUE_AND_NIL,
  AMNESIA,
  LOCK_BREAKER,
  LYING_POL,
  HIDDEN_PREVOTES,
  BAD_POL_ROUND,
  INVALID_BLOCK,
  WITHHELD_PARTS,
  CORRUPT_PARTS,
  OVERSIZE_PARTS,
  SILENT_VOTER,
  SELECTIVE_DELIVERY,
  EDGE_RIDER,
  BAD_SIGNATURE,
  FUTURE_FLOOD,
  NIL_VOTES,
  REPLAY,
  UNFOUNDED_PRECOMMIT,
  BACK_TO_THE_PAST,
  WRONG_TIME,
  EDITED_COMMIT,
  CENSORED_PRECOMMIT,
  FORGED_EVIDENCE,
  EVIDENCE_SPAM,
  EVIDENCE_CENSOR,
  SYNC_LIAR,
  POOL_ATTACK,
  BAD_BODY,
  ECLIPSE,
  FORK,
  LIGHT_ATTACK,
  BAD_MANNERS,
  PHANTOM_VOTES,
];

/** Entries of the misbehaviour catalogue that are not in this list, and where this project has them. */
export const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['B30', 'a validator with twin_of'],
  ['B31', 'validators with twin_of'],
  ['B32', 'a mutate of vote.extension or vote.extensionSignature: extensions are not enabled'],
  ['B34', 'light-attack: only light clients trust a provider'],
  ['B39', 'a client of kind rpc'],
]);

/** By id (`B02`) or alias (`double-prevote`). */
export const behaviourOf = (name: string): Behaviour | undefined =>
  BEHAVIOURS.find((one) => one.id === name || one.alias === name);
