import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { Cluster } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Hearing } from '../world/facts.ts';
import type { World } from '../world/world.ts';
import type { Past } from './past.ts';

/** Watches the whole cluster and says when a promise is broken. Changes nothing. */
export interface Checker extends Partial<Hearing> {
  /** As scenario files and reports call it. */
  readonly name: string;
  /** After each event in which a node was given something, unless that ended its life. */
  look?(node: Process): void;
  /** Like `look`, but only after a step of the node's consensus: for what its state alone decides. */
  follow?(node: Process): void;
  /** After the last event. */
  finish?(): Promise<void> | void;
}

/** Power of Byzantine validators, and of all, in the set that votes from some height on. */
export interface Stake {
  readonly from: number;
  readonly faulty: bigint;
  readonly total: bigint;
}

export interface CheckerContext {
  readonly scenario: Scenario;
  readonly cluster: Cluster;
  readonly suite: CryptoSuite;
  readonly world: World;
  /** Nodes that no Byzantine entry names. */
  readonly correct: readonly Process[];
  /** Of each set of validators that the chain is going to have. */
  readonly stakes: readonly Stake[];
  /** For when the run is over. */
  readonly past: Past;
  fail(checker: string, message: string): void;
}

/** Whether a drive may lose what was durable, or an operator takes it away. */
export const mayLose = ({ scenario }: CheckerContext): boolean =>
  scenario.timeline.some(
    ({ action }) =>
      (action.kind === 'disk' && action.fault !== 'slow') ||
      action.kind === 'wipe' ||
      (action.kind === 'rollback' && action.isHard),
  );

/** Whether a node may know less than it has said, for its drive lost that or is not done yet: then its guard may say no, too. */
export const mayForget = (context: CheckerContext): boolean =>
  mayLose(context) || context.scenario.timeline.some(({ action }) => action.kind === 'disk');

/** The address that each validator of the cluster signs with. */
export const addressesOf = ({ cluster, world }: CheckerContext): ReadonlyMap<Process, Bytes> =>
  new Map(cluster.members.map((one) => [world.process(one.name), one.address]));

const isBelowAThird = ({ faulty, total }: Stake): boolean => 3n * faulty < total;

/** 3F < W in every set that the chain is going to have. */
export const isAlwaysTolerable = ({ stakes }: CheckerContext): boolean => stakes.every(isBelowAThird);

/** 3F < W up to the height that is being decided, the first one whatever its number: what agreement, validity and liveness may assume. */
export const isTolerable = ({ stakes, world }: CheckerContext): boolean =>
  stakes.every((stake, i) => isBelowAThird(stake) || (i > 0 && stake.from > world.height + 1));

/** From two thirds on nobody can be held to anything. */
export const isAccountable = ({ stakes }: CheckerContext): boolean =>
  stakes.every(({ faulty, total }) => 3n * faulty <= 2n * total);
