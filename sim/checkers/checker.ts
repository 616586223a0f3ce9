import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { Cluster } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Hearing } from '../world/facts.ts';
import type { World } from '../world/world.ts';
import type { Past } from './past.ts';
import type { Stake } from './stake.ts';

/** Watches the whole cluster and reports broken promises. It changes nothing. */
export interface Checker extends Partial<Hearing> {
  /** The name in scenario files and reports. */
  readonly name: string;
  /** Called after each event that gave a node an input, unless the event ended the node's life. */
  look?(node: Process): void;
  /** Like `look`, but called only after a step of the node's consensus: for problems that its state alone shows. */
  follow?(node: Process): void;
  /** Called after the last event, unless the run was broken off. */
  finish?(): Promise<void> | void;
  /** Why it has not judged what the scenario expects; undefined: it has. Called last. */
  unjudged?(isBrokenOff: boolean): string | undefined;
}

export interface CheckerContext {
  readonly scenario: Scenario;
  readonly cluster: Cluster;
  readonly suite: CryptoSuite;
  readonly world: World;
  /** Nodes that the scenario does not declare Byzantine. */
  readonly correct: readonly Process[];
  /** One entry for each validator set that the chain is going to have. */
  readonly stakes: readonly Stake[];
  /** Chain readers for checks after the run. */
  readonly past: Past;
  fail(checker: string, message: string): void;
}

/** Whether, in this scenario, a drive may lose durable data or an operator may delete it. */
export const mayLose = ({ scenario }: CheckerContext): boolean =>
  scenario.timeline.some(
    ({ action }) =>
      (action.kind === 'disk' && action.fault !== 'slow') ||
      action.kind === 'wipe' ||
      (action.kind === 'rollback' && action.isHard),
  );

/**
 * Whether a node may remember less than it has said, because its drive lost that or has not written it yet. Its guard
 * may then also refuse to sign.
 */
export const mayForget = (context: CheckerContext): boolean =>
  mayLose(context) || context.scenario.timeline.some(({ action }) => action.kind === 'disk');

/** The address that each validator signs with. */
export const addressesOf = ({ cluster, world }: CheckerContext): ReadonlyMap<Process, Bytes> =>
  new Map(cluster.members.map((one) => [world.process(one.name), one.address]));

const isBelowAThird = ({ faulty, total }: Stake): boolean => 3n * faulty < total;

/** 3F < W (faulty and total power) in every validator set that the chain is going to have. */
export const isAlwaysTolerable = ({ stakes }: CheckerContext): boolean => stakes.every(isBelowAThird);

/**
 * 3F < W in every set up to the height being decided, and always in the first set. Agreement, validity and liveness may
 * assume this.
 */
export const isTolerable = ({ stakes, world }: CheckerContext): boolean =>
  stakes.every((stake, i) => isBelowAThird(stake) || (i > 0 && stake.from > world.height + 1));

/** Whether no set has more than two thirds of faulty power. Beyond that, nobody can be held accountable. */
export const isAccountable = ({ stakes }: CheckerContext): boolean =>
  stakes.every(({ faulty, total }) => 3n * faulty <= 2n * total);
