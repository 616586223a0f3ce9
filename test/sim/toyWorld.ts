import type { Input, LogRecord } from '../../core/node/contract.ts';
import { Disk } from '../../sim/disk/disk.ts';
import { NodeClock } from '../../sim/machine/clock.ts';
import type { LifeEnv, SimNode } from '../../sim/machine/simNode.ts';
import { DEFAULT_LINK, type LinkFaults } from '../../sim/network/link.ts';
import { Choices } from '../../sim/world/choices.ts';
import { World } from '../../sim/world/world.ts';

/** What one toy node saw, with the virtual time in ms. */
export interface Seen {
  readonly at: number;
  readonly node: string;
  readonly what: string;
}

export interface Toy {
  readonly world: World;
  readonly seen: Seen[];
  /** Environment of the present life, by name. */
  readonly env: Map<string, LifeEnv>;
  /** Records found at each start, by name. */
  readonly found: Map<string, readonly LogRecord[][]>;
  send(from: string, to: string, ...bytes: number[]): void;
  until(ms: number): Promise<void>;
  of(node: string, what: string): readonly Seen[];
}

const textOf = (input: Input): string => {
  switch (input.kind) {
    case 'peerUp':
    case 'peerDown':
      return `${input.kind} ${input.peer}`;
    case 'frame':
      return `frame ${input.peer} ${input.bytes.join(' ')}`;
    default:
      return input.kind;
  }
};

/** A world of nodes that only write down what they hear, unless they are told what else to do with it. */
export async function toyWorld(
  names: readonly string[],
  link: Partial<LinkFaults> = {},
  seed = '1',
  hear: (life: LifeEnv) => void = () => {},
): Promise<Toy> {
  const seen: Seen[] = [];
  const env = new Map<string, LifeEnv>();
  const found = new Map<string, readonly LogRecord[][]>();
  const factory = async (life: LifeEnv): Promise<SimNode> => {
    env.set(life.name, life);
    found.set(life.name, [...(found.get(life.name) ?? []), [...life.log]]);
    return {
      input: (input) => {
        seen.push({ at: world.now / 1000, node: life.name, what: textOf(input) });
        hear(life);
      },
      handle: () => Promise.reject(new Error('toys have no application')),
      position: () => ({ height: 0, round: 0, step: 0 }),
      rs: () => undefined,
      lastStep: () => 0,
      stateHash: () => 0,
      backlog: () => 0,
      isSyncing: () => false,
      rpc: undefined,
    };
  };
  const world: World = new World({
    choices: new Choices({ seed }),
    link: { ...DEFAULT_LINK, ...link },
    nodes: names.map((name, index) => ({
      name,
      index,
      isCorrect: true,
      clock: new NodeClock(0),
      disk: new Disk(),
      signer: undefined,
      factory,
    })),
  });
  for (const process of world.processes) world.schedule(0, () => process.start());
  return {
    world,
    seen,
    env,
    found,
    send: (from, to, ...bytes) =>
      env.get(from)?.perform({ kind: 'send', to: [to], channel: 0x22, bytes: Uint8Array.from(bytes) }),
    async until(ms) {
      // Something to stop at, so that time reaches the end.
      world.schedule(ms * 1000, () => undefined);
      await world.run(() => world.now >= ms * 1000, ms * 1000);
    },
    of: (node, what) => seen.filter((one) => one.node === node && one.what.startsWith(what)),
  };
}
