import type { Header } from '../../core/types/block.ts';
import type { LightBlock } from '../../core/types/evidence.ts';
import { addMillis } from '../../core/types/ids.ts';
import type { Validator, ValidatorSet } from '../../core/types/validator.ts';
import {
  commitFor,
  falseState,
  type Ground,
  isVictim,
  liar,
  liars,
  liarsAndVictim,
  otherTransactions,
  relabelled,
  type Signs,
  setOf,
  signersOf,
  signersOfBoth,
  withEmptyPlace,
  withKeyOfLiar,
  withNil,
  withOtherPowers,
  withRepeated,
} from './lightBlocks.ts';

/** How far above the real height the block claims to be: no chain of a scenario gets there in time. */
const AHEAD = 10_000;
const YEAR_MILLIS = 365 * 24 * 3_600_000;

/** One word of the behaviour: the block that is shown, and the validators accused of it. */
export interface Lie {
  /**
   * The chain's commit for this height that the lie needs. `commit` is the one in the next block, `seen` the one that
   * this node saw. `shown` is for lies shown to light clients, which need either of them. Left out, the lie needs none.
   */
  readonly by?: 'commit' | 'seen' | 'shown';
  /** The client's trusted header is at the height of the lie itself. */
  readonly isAtTrusted?: true;
  /** Added to the true total power. */
  readonly extraPower?: bigint;
  shows(ground: Ground): LightBlock;
  accuses(ground: Ground, shown: LightBlock): readonly Validator[];
}

type SetOf = (ground: Ground) => ValidatorSet;
type HeaderOf = (ground: Ground, validators: ValidatorSet) => Header;

const block =
  (set: SetOf, header: HeaderOf, signs: Signs, later = 0) =>
  (ground: Ground): LightBlock => {
    const validators = set(ground);
    const shown = header(ground, validators);
    return { header: shown, validators, commit: commitFor(ground, shown, validators, signs, later) };
  };

const ofLiars: SetOf = (ground) => setOf(liars(ground));
const ofChain: SetOf = ({ validators }) => validators;

const victimForged: Signs = (ground, one) =>
  liar(ground, one) ?? (isVictim(ground, one) ? 'forged' : undefined);
const byRealPlace: Signs = (ground, one, index) => liar(ground, ground.validators.validators[index] ?? one);
const byAnyLiar: Signs = (ground, one) => liar(ground, one) ?? liar(ground, liars(ground)[0] ?? one);

const accusedOfBoth = (ground: Ground, { commit, validators }: LightBlock): readonly Validator[] =>
  signersOfBoth(validators, commit, ground.commit);

/** The trusted validators that signed the chain's block. */
const accusedOfChain = ({ trusted, commit }: Ground): readonly Validator[] => signersOf(trusted, commit);

/** A false state far above the chain, with the time of the block at the real height. */
const aheadOf: HeaderOf = (ground, validators) => {
  const header = falseState(ground, validators);
  return { ...header, height: header.height + AHEAD };
};
const inAYear: HeaderOf = (ground, validators) => {
  const header = aheadOf(ground, validators);
  return { ...header, time: addMillis(header.time, YEAR_MILLIS) };
};

/** A false state, signed by a set of the liars alone. */
const LUNATIC: Lie = { shows: block(ofLiars, falseState, liar), accuses: liars };
/** A false state under the chain's own validators, two thirds of which lie. */
const STATE: Lie = { by: 'commit', shows: block(ofChain, falseState, liar), accuses: liars };
/** Another block of the same round, under the chain's own validators. */
const EQUIVOCATION: Lie = {
  by: 'commit',
  shows: block(ofChain, otherTransactions, liar),
  accuses: accusedOfBoth,
};
/** The chain's own block. */
const GENUINE: Lie = {
  by: 'commit',
  shows: ({ header, validators, commit }) => ({ header, validators, commit }),
  accuses: accusedOfChain,
};

export const LIES: ReadonlyMap<string, Lie> = new Map<string, Lie>([
  ['true', LUNATIC],
  ['innocent', { ...LUNATIC, accuses: liarsAndVictim }],
  [
    'unsigned',
    {
      shows: block((ground) => setOf(liarsAndVictim(ground)), falseState, victimForged),
      accuses: liarsAndVictim,
    },
  ],
  ['shown', { ...LUNATIC, by: 'shown' }],
  ['shown-state', { ...STATE, by: 'shown' }],
  ['shown-equivocation', { ...EQUIVOCATION, by: 'shown' }],
  ['powers', { ...LUNATIC, shows: block(withOtherPowers, falseState, liar) }],
  [
    'abstained',
    {
      shows: (ground) => withNil(ground, LUNATIC.shows(ground)),
      accuses: (ground) => liars(ground).filter((one) => !isVictim(ground, one)),
    },
  ],
  ['ahead', { ...LUNATIC, shows: block(ofLiars, aheadOf, liar) }],
  ['future', { ...LUNATIC, shows: block(ofLiars, inAYear, liar) }],
  ['total', { ...LUNATIC, extraPower: 1n }],
  [
    'power',
    {
      ...LUNATIC,
      accuses: (ground) => liars(ground).map((one) => ({ ...one, power: one.power + 1n })),
    },
  ],
  ['fewer', { ...LUNATIC, accuses: (ground) => liars(ground).slice(0, -1) }],
  ['other', { ...LUNATIC, accuses: (ground) => liarsAndVictim(ground).slice(0, -1) }],
  ['thin', { ...LUNATIC, shows: block(ofChain, falseState, liar) }],
  [
    'repeated',
    {
      shows: block((ground) => withRepeated(ofLiars(ground)), falseState, liar),
      accuses: (ground) => [...liars(ground).slice(0, 1), ...liars(ground)],
    },
  ],
  ['places', { ...LUNATIC, shows: (ground) => withEmptyPlace(LUNATIC.shows(ground)) }],
  ['chain', GENUINE],
  ['next-block', { ...GENUINE, by: 'seen' }],
  ['same-height', { ...LUNATIC, isAtTrusted: true }],
  ['state', STATE],
  ['equivocation', EQUIVOCATION],
  ['other-round', { ...EQUIVOCATION, shows: block(ofChain, otherTransactions, liar, 1), accuses: liars }],
  ['keys', { shows: block(withKeyOfLiar, falseState, byAnyLiar), accuses: liarsAndVictim }],
  ['share', { ...EQUIVOCATION, isAtTrusted: true, shows: block(ofChain, otherTransactions, victimForged) }],
  [
    'relabelled',
    { ...EQUIVOCATION, isAtTrusted: true, shows: block(relabelled, otherTransactions, byRealPlace) },
  ],
  [
    'stolen',
    {
      ...GENUINE,
      shows: (ground) => {
        const { validators, commit } = ground;
        return { header: falseState(ground, validators), validators, commit };
      },
    },
  ],
]);
