import type { CryptoSuite } from '../core/crypto/suite.ts';
import { type Cluster, EPOCH_MICROS } from './cluster.ts';
import { Disk } from './disk/disk.ts';
import { NodeClock } from './machine/clock.ts';
import { coreNodes } from './machine/coreNode.ts';
import type { ProcessOptions } from './machine/process.ts';
import type { SignerState } from './machine/signer.ts';
import { nameFrame } from './network/frameNames.ts';
import { steerByPriority } from './pct/priorities.ts';
import { Switchboard } from './peers/switchboard.ts';
import type { RunOptions } from './run.ts';
import type { Scenario } from './scenario/scenario.ts';
import { Choices } from './world/choices.ts';
import { jsonLines } from './world/trace.ts';
import { World } from './world/world.ts';

/** The scenario's machines: validators and twins in the order of the file, then nodes without a vote. */
export function makeWorld(
  scenario: Scenario,
  cluster: Cluster,
  suite: CryptoSuite,
  options: RunOptions,
  seed: string,
): World {
  const real = coreNodes(cluster, suite, scenario.engine);
  const factory = options.nodes?.(real) ?? real;
  const faulty = faultyNames(scenario);
  const { trace, replay, pct, onChoices } = options;
  const steer = pct === undefined ? options.steer : steerByPriority(seed, pct);
  const zeroed = options.zeroed ?? zeroedBy(scenario.zeroed);
  const machines = [
    ...cluster.members.map(({ name, signer }) => ({ name, signer })),
    ...scenario.nodes.map(({ name }) => ({ name, signer: undefined })),
  ];
  const world = new World({
    choices: new Choices({ seed, replay, zeroed, steer, record: onChoices !== undefined }),
    link: scenario.network,
    trace: trace === undefined ? undefined : jsonLines(trace, nameFrame),
    onThrow: options.onThrow,
    nodes: machines.map(
      ({ name, signer }, index): ProcessOptions => ({
        name,
        index,
        isCorrect: !faulty.has(name),
        clock: new NodeClock(EPOCH_MICROS),
        disk: new Disk<SignerState>(),
        signer,
        factory,
      }),
    ),
  });
  for (const { name, pace } of scenario.validators) if (pace !== undefined) world.process(name).pace = pace;
  separate(world, scenario);
  if (scenario.peers !== undefined) world.network.steering = new Switchboard(world, scenario.peers);
  return world;
}

/**
 * Byzantine nodes, liars in the exchange of addresses, both of each pair of twins, whose key signs two things, and
 * validators whose key an accuser has.
 */
export function faultyNames({ byzantine, validators, peers, accusers = [] }: Scenario): ReadonlySet<string> {
  const twins = validators.flatMap(({ name, twinOf }) => (twinOf === undefined ? [] : [name, twinOf]));
  return new Set([
    ...byzantine.map((entry) => entry.who),
    ...(peers?.liars.keys() ?? []),
    ...twins,
    ...accusers.map(({ against }) => against),
  ]);
}

/** A node that names its peers is connected with no others. */
function separate({ network, processes }: World, { nodes }: Scenario): void {
  for (const { name, peers } of nodes) {
    if (peers === undefined) continue;
    for (const { name: other } of processes) {
      const wants = nodes.find((one) => one.name === other)?.peers;
      const isPeer = peers.includes(other) && (wants === undefined || wants.includes(name));
      if (other !== name && !isPeer) network.separate(network.indexOf(name), network.indexOf(other));
    }
  }
}

/** `link` covers `link/v0>v1/delay` and everything else below it. */
const zeroedBy = (labels: readonly string[]): ((label: string) => boolean) | undefined =>
  labels.length === 0
    ? undefined
    : (label) =>
        labels.some((one) => label === one || label.startsWith(`${one}/`) || label.startsWith(`${one}[`));
