// node_modules/.bin/tsx test/sim/tools/scenarioIndex.ts: writes scenarios/README.md anew.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { MUTATE } from '../../../sim/byzantine/mutate.ts';
import { BEHAVIOURS, ELSEWHERE } from '../../../sim/byzantine/registry.ts';
import { DISK_FAULTS } from '../../../sim/disk/disk.ts';
import { POWER_LOSSES } from '../../../sim/disk/powerLoss.ts';
import { CRASH_POINTS } from '../../../sim/machine/life.ts';
import { DEFAULT_LINK, type LinkFaults } from '../../../sim/network/link.ts';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import type { Action, Scenario } from '../../../sim/scenario/scenario.ts';
import { scenarioNames, scenarioText } from '../../support/scenarios.ts';

const page = path.resolve(import.meta.dirname, '../../../scenarios/README.md');

/** No row names more scenarios than these. */
const NAMED_MAX = 6;

interface Row {
  /** What a scenario says to have it, in the words of the format. */
  readonly entry: string;
  readonly has: (scenario: Scenario) => boolean;
}

interface File {
  readonly name: string;
  /** The first sentence of the comment at its head. */
  readonly about: string;
  /** The rows that it belongs to. */
  readonly rows: ReadonlySet<Row>;
}

const acts = (scenario: Scenario, is: (action: Action) => boolean): boolean =>
  scenario.timeline.some(({ action }) => is(action));

const actionRow = (entry: string, kind: Action['kind']): Row => ({
  entry: `\`${entry}\``,
  has: (scenario) => acts(scenario, (action) => action.kind === kind),
});

const LINK_KEYS: readonly (readonly [string, keyof LinkFaults])[] = [
  ['delay', 'delay'],
  ['loss', 'lossPpm'],
  ['dup', 'dupPpm'],
  ['reorder', 'reorderPpm'],
  ['corrupt', 'corruptPpm'],
  ['reset', 'resetPpm'],
  ['rate', 'rate'],
];

/** On all links from the start, or on some of them for a time. */
const isLinkFaulty = ({ network, timeline }: Scenario, fault: keyof LinkFaults): boolean =>
  JSON.stringify(network[fault]) !== JSON.stringify(DEFAULT_LINK[fault]) ||
  timeline.some(({ action }) => action.kind === 'link' && action.faults[fault] !== undefined);

const NETWORK: readonly Row[] = [
  ...LINK_KEYS.map(([key, fault]) => ({
    entry: `\`${key}\``,
    has: (scenario: Scenario) => isLinkFaulty(scenario, fault),
  })),
  actionRow('partition', 'partition'),
  {
    entry: '`partition`, `oneway`',
    has: (scenario) => acts(scenario, (action) => action.kind === 'partition' && action.oneWay),
  },
  actionRow('clog', 'clog'),
  actionRow('swizzle', 'swizzle'),
];

const PROCESSES: readonly Row[] = [
  actionRow('crash', 'crash'),
  ...CRASH_POINTS.map((point) => ({
    entry: `\`crash\`, \`point: ${point}\``,
    has: (scenario: Scenario) =>
      acts(scenario, (action) => action.kind === 'crash' && action.point === point),
  })),
  ...POWER_LOSSES.filter((loss) => loss !== 'none').map((loss) => ({
    entry: `\`power_loss: ${loss}\``,
    has: (scenario: Scenario) =>
      acts(scenario, (action) => action.kind === 'crash' && action.powerLoss === loss),
  })),
  actionRow('restart', 'restart'),
  actionRow('pause', 'pause'),
  actionRow('wipe', 'wipe'),
  actionRow('upgrade', 'upgrade'),
  actionRow('rollback', 'rollback'),
  actionRow('flush_pool', 'flushPool'),
  actionRow('add_node', 'addNode'),
  actionRow('remove_node', 'removeNode'),
];

const DRIVES: readonly Row[] = DISK_FAULTS.map((fault) => ({
  entry: `\`disk\`, \`fault: ${fault}\``,
  has: (scenario) => acts(scenario, (action) => action.kind === 'disk' && action.fault === fault),
}));

const CLOCKS: readonly Row[] = (['skew', 'drift', 'jump', 'jitter'] as const).map((kind) =>
  actionRow(`clock: ${kind}`, kind),
);

const behaves = ({ byzantine }: Scenario, id: string): boolean =>
  byzantine.some(({ behaviour }) => behaviour === id);

/** Entries of the catalogue that are no behaviours (ELSEWHERE). */
const OTHERWISE: Readonly<Record<string, (scenario: Scenario) => boolean>> = {
  B30: ({ validators }) => validators.filter(({ twinOf }) => twinOf !== undefined).length === 1,
  B31: ({ validators }) => validators.some(({ twinOf }) => twinOf !== undefined),
  B32: ({ byzantine }) =>
    byzantine.some(({ args }) => String(args.get('field')).startsWith('vote.extension')),
  B34: (scenario) => behaves(scenario, 'B11'),
  B39: ({ attackers = [] }) => attackers.length > 0,
};

const CATALOGUE: readonly Row[] = [
  ...BEHAVIOURS.map(({ id, alias }) => ({
    id,
    entry: `${id} \`${alias}\``,
    has: (scenario: Scenario) => behaves(scenario, id),
  })),
  ...[...ELSEWHERE].map(([id, where]) => ({
    id,
    entry: `${id}: ${where}`,
    has: OTHERWISE[id] ?? (() => false),
  })),
]
  .sort((a, b) => (a.id < b.id ? -1 : 1))
  .concat([{ id: MUTATE.id, entry: '`mutate`', has: (scenario: Scenario) => behaves(scenario, MUTATE.id) }]);

const TABLES: readonly (readonly [string, readonly Row[]])[] = [
  ['Byzantine behaviours', CATALOGUE],
  ['Faults of the network', NETWORK],
  ['Faults of processes, and what operators do', PROCESSES],
  ['Faults of drives', DRIVES],
  ['Faults of clocks', CLOCKS],
];

function aboutOf(text: string): string {
  const comment = text.slice(0, text.search(/^[^#]/m)).replace(/^# ?/gm, '').replaceAll('\n', ' ');
  const [sentence = ''] = comment.replace(/^(B\d\d(, |\. ))+/, '').split(/(?<=\.) (?=[A-Z])/);
  return sentence.trim().replaceAll('|', '\\|');
}

function read(name: string): File {
  const text = scenarioText(name);
  const scenario = parseScenario(text);
  if (!scenario.ok) throw new Error(`${name}: ${scenario.error.message}`);
  const rows = TABLES.flatMap(([, all]) => all.filter(({ has }) => has(scenario.value)));
  return { name, about: aboutOf(text), rows: new Set(rows) };
}

const link = (name: string): string => `[${name}](${name}.yaml)`;

/** Those in which least happens besides come first. */
function named(files: readonly File[]): string {
  const first = [...files].sort((a, b) => a.rows.size - b.rows.size).slice(0, NAMED_MAX);
  const more = files.length - first.length;
  return first.map(({ name }) => link(name)).join(', ') + (more > 0 ? `, and ${more} more` : '');
}

/** The page as it should be, and the entries of its tables that no scenario has. */
export function scenarioIndex(): { readonly text: string; readonly missing: readonly string[] } {
  const files = scenarioNames.map(read);
  const filesOf = (row: Row): readonly File[] => files.filter(({ rows }) => rows.has(row));
  const tables = TABLES.map(
    ([title, rows]) => `## ${title}

| entry | scenarios |
|---|---|
${rows.map((row) => `| ${row.entry} | ${named(filesOf(row))} |`).join('\n')}
`,
  );
  const text = `# Scenarios

<!-- Written by test/sim/tools/scenarioIndex.ts; do not edit. -->

\`npx orrery sim run scenarios/NAME.yaml --seed 7\` runs one of these ${files.length} files. The comment at the head of each
says what happens and what a correct node must do. [docs/scenarios.md](../docs/scenarios.md) explains the format. The tables
name first those files in which little else happens.

${tables.join('\n')}
## All

| scenario | what happens |
|---|---|
${files.map(({ name, about }) => `| ${link(name)} | ${about} |`).join('\n')}
`;
  const missing = TABLES.flatMap(([, rows]) => rows.filter((row) => filesOf(row).length === 0));
  return { text, missing: missing.map(({ entry }) => entry) };
}

/** The page as it is. */
export const writtenIndex = (): string => readFileSync(page, 'utf8');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(page, scenarioIndex().text);
