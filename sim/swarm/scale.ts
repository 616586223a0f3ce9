import type { Choices } from '../world/choices.ts';
import { pick } from './pick.ts';

/**
 * The size of a world. The costs of many validators and of many clients multiply, and few bugs need both. Most worlds
 * are small and have clients, some have many validators and hardly a client, and one in eight has all.
 */
export interface Scale {
  /** Numbers of validators to draw from. The likely ones are listed more often. */
  readonly validators: readonly number[];
  /** Most validators where powers are far apart. */
  readonly validatorsMax: number;
  /** Numbers of clients to draw from. */
  readonly clients: readonly number[];
  /** Whether companies, bulk and strays may be among the clients. */
  readonly isUsed: boolean;
  /** Heights to wait for: least and most. */
  readonly heights: readonly [least: number, most: number];
  /** Faults begin within so many virtual seconds if a block takes one; on a fast chain within less. */
  readonly troubleSeconds: number;
  /** One in so many worlds with clients checks all that nodes serve. */
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
