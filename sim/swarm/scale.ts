import type { Choices } from '../world/choices.ts';
import { pick } from './pick.ts';

/**
 * How much there is in a world. What many validators cost and what many users cost multiply, and few bugs need both: most worlds
 * are small and used, some have many validators and hardly a user, and one in eight has all.
 */
export interface Scale {
  /** How many validators there may be, the likely ones more often. */
  readonly validators: readonly number[];
  /** As many as there may be where powers are far apart. */
  readonly validatorsMax: number;
  /** How many clients there may be. */
  readonly clients: readonly number[];
  /** Whether companies, bulk and strays may come. */
  readonly isUsed: boolean;
  /** Heights that are waited for: so many at least, so many at most. */
  readonly heights: readonly [least: number, most: number];
  /** Faults begin within so many virtual seconds where blocks take one; on a fast chain within less. */
  readonly troubleSeconds: number;
  /** Of so many worlds with clients one is asked for all that nodes serve. */
  readonly askedOneIn: number;
}

const SMALL: Scale = {
  validators: [4, 4, 4, 3, 2, 1],
  validatorsMax: 4,
  clients: [0, 0, 0, 0, 1, 1, 1, 2],
  isUsed: true,
  heights: [3, 6],
  troubleSeconds: 12,
  askedOneIn: 3,
};
const WIDE: Scale = {
  validators: [4, 5, 6, 7],
  validatorsMax: 13,
  clients: [0, 0, 0, 1],
  isUsed: false,
  heights: [4, 9],
  troubleSeconds: 25,
  askedOneIn: 8,
};
const FULL: Scale = {
  validators: [4, 4, 4, 5, 6, 7, 3, 2, 1],
  validatorsMax: WIDE.validatorsMax,
  clients: SMALL.clients,
  isUsed: true,
  heights: [4, 12],
  troubleSeconds: 40,
  askedOneIn: 2,
};

export const drawScale = (choices: Choices): Scale =>
  pick(choices.stream('scale'), [SMALL, SMALL, SMALL, SMALL, SMALL, WIDE, WIDE, FULL]);
