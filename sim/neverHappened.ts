/** The entries of a scenario that came to nothing in a run, by their place in the file: such an entry tests nothing. */
import { MUTATE } from './byzantine/mutate.ts';
import type { AllClients } from './clients/all.ts';
import type { ByzantineEntry, ByzantineTrigger, Scenario } from './scenario/scenario.ts';
import type { Timeline } from './timeline/timeline.ts';
import type { World } from './world/world.ts';

const TEXT_MAX = 60;

export interface Ran {
  readonly scenario: Scenario;
  readonly world: World;
  readonly timeline: Timeline;
  readonly clients: AllClients;
  /** Entries that have acted. */
  readonly acted: ReadonlySet<ByzantineEntry>;
}

/** Each begins with its place in the file: `timeline[1] heal`, `clients.alice at v3`. */
export function neverHappened({ scenario, world, timeline, clients, acted }: Ran): readonly string[] {
  return [
    ...timeline.untouched.map(({ line, text }) => `${line} ${shortened(text)}`),
    ...unseen(scenario, acted),
    ...(scenario.updates ?? []).flatMap(({ height }, i) =>
      height > world.height ? [`updates[${i}] of height ${height}`] : [],
    ),
    ...Object.values(clients)
      .flat()
      .flatMap(({ hasActed, spec }) => (hasActed ? [] : [`clients.${spec.name} at ${spec.at}`])),
    ...[...(scenario.peers?.liars ?? [])].flatMap(([name, lie]) =>
      world.process(name).addressLies === 0 ? [`peers.liars.${name} ${lie}`] : [],
    ),
  ];
}

const shortened = (text: string): string =>
  text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text;

/**
 * Lies that were never told. The nodes that one line names share its trigger: the line has acted if it has for one of
 * them.
 */
function unseen({ byzantine }: Scenario, acted: ReadonlySet<ByzantineEntry>): readonly string[] {
  const happened = new Set([...acted].map(({ trigger }) => trigger));
  const names = new Map<ByzantineTrigger, string>();
  const lines = { byzantine: 0, mutate: 0 };
  for (const entry of byzantine) {
    const { who, behaviour, trigger } = entry;
    const section = behaviour === MUTATE.id ? 'mutate' : 'byzantine';
    const before = names.get(trigger) ?? `${section}[${lines[section]++}] ${lieOf(entry)} of`;
    names.set(trigger, before.endsWith(' of') ? `${before} ${who}` : `${before} and ${who}`);
  }
  return [...names].flatMap(([trigger, name]) => (happened.has(trigger) ? [] : [name]));
}

/** `B02`, or `inc vote.round`. */
const lieOf = ({ behaviour, args }: ByzantineEntry): string =>
  behaviour === MUTATE.id ? `${args.get('op')} ${args.get('field') ?? args.get('message')}` : behaviour;
