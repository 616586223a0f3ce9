/** Which lies of the catalogue a liar of a drawn world has an occasion for. They are named by their aliases. */
import type { Behaviour } from '../byzantine/behaviour.ts';
import { BEHAVIOURS } from '../byzantine/registry.ts';

/** What decides which lies can be told. */
export interface Occasion {
  /** Nodes that lag fetch blocks. */
  readonly isSynced: boolean;
  /** Rounds fail although nobody lies, so that there are locks. */
  readonly isContested: boolean;
  /** The liar is a validator, and an update takes all its power. */
  readonly leaves: boolean;
  /** The liar is a validator for some time. */
  readonly votes: boolean;
}

/** Lies of a peer that neither votes nor proposes. */
const OF_ANY_PEER: readonly string[] = [
  'bad-manners',
  'corrupt-parts',
  'eclipse',
  'edge-rider',
  'forged-evidence',
  'pool-attack',
  'replay',
  'selective-delivery',
  'sync-liar',
];

/** Lies that there is an occasion for in few heights: when the liar proposes, or somebody has fallen behind. */
const SELDOM: readonly string[] = [
  'bad-body',
  'bad-pol-round',
  'censored-precommit',
  'corrupt-parts',
  'edited-commit',
  'evidence-censor',
  'forged-evidence',
  'fork',
  'invalid-block',
  'light-attack',
  'lock-breaker',
  'lying-pol',
  'oversize-total',
  'phantom-votes',
  'sync-liar',
  'two-proposals',
  'withheld-parts',
];
export const isSeldom = (alias: string): boolean => SELDOM.includes(alias);

/** Lies about locks or about earlier rounds. */
const OF_LATER_ROUNDS: readonly string[] = [
  'amnesia',
  'bad-pol-round',
  'hidden-prevotes',
  'lock-breaker',
  'lying-pol',
  'unfounded-precommit',
];

/** What must be so for a lie to be told at all. */
const NEEDS: Readonly<Record<string, keyof Occasion>> = {
  amnesia: 'isContested',
  'lock-breaker': 'isContested',
  'phantom-votes': 'leaves',
  'sync-liar': 'isSynced',
};

/** The lies to draw from: those that can be told. Those that hardly can be told elsewhere are twice as likely. */
export function liesFor(occasion: Occasion): readonly Behaviour[] {
  const able = BEHAVIOURS.filter(({ alias }) => {
    const need = NEEDS[alias];
    if (!occasion.votes && !OF_ANY_PEER.includes(alias)) return false;
    return need === undefined || occasion[need];
  });
  return occasion.isContested
    ? [...able, ...able.filter(({ alias }) => OF_LATER_ROUNDS.includes(alias))]
    : able;
}
