import { equalBytes } from '../../core/lib/bytes.ts';
import type { Cluster } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import type { Target } from '../scenario/scenario.ts';
import type { World } from '../world/world.ts';

/** The nodes that a target means now. `dice` names the choice of random ones. */
export function targetsOf(world: World, cluster: Cluster, target: Target, dice: string): readonly Process[] {
  switch (target.kind) {
    case 'all':
      return world.processes;
    case 'names':
      return target.names.map((name) => world.process(name));
    case 'proposer': {
      const proposer = proposerOf(world, cluster);
      return proposer === undefined ? [] : [proposer];
    }
    case 'random': {
      const left = [...world.processes];
      const stream = world.choices.stream(`${dice}/target`);
      const chosen: Process[] = [];
      while (chosen.length < target.count && left.length > 0)
        chosen.push(...left.splice(stream.choose(left.length), 1));
      return chosen;
    }
  }
}

/** The proposer of the round that the furthest node is in. */
function proposerOf(world: World, cluster: Cluster): Process | undefined {
  let furthest: Process | undefined;
  for (const process of world.processes) {
    if (process.node !== undefined && process.position.height > (furthest?.position.height ?? 0))
      furthest = process;
  }
  const address = furthest?.node?.rs()?.proposer.address;
  const member = cluster.members.find((one) => address !== undefined && equalBytes(one.address, address));
  return member === undefined ? undefined : world.process(member.name);
}
