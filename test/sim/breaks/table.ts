// node_modules/.bin/tsx test/sim/breaks/table.ts: writes the table of docs/breaks.md anew.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { scenarioText } from '../../support/scenarios.ts';
import { BREAKS } from './breaks.ts';
import type { Break } from './broken.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const file = path.join(root, 'docs/breaks.md');

/** Timeline and Byzantine lines of a shipped scenario. */
function linesOf(scenario: string): number {
  const doc = parse(scenarioText(scenario)) as Record<string, readonly unknown[] | undefined>;
  return ['timeline', 'byzantine', 'mutate'].reduce((sum, key) => sum + (doc[key]?.length ?? 0), 0);
}

const rowOf = ({ id, file: where, scenario, seed = 1, found }: Break): string =>
  `| ${id} | \`${where.replace(/^core\//, '')}\` | ${scenario} | ${seed} | ${found.join(', ')} | ${linesOf(scenario)} |`;

/** The document as it should be, and as it is. */
export function breaksDocument(): { readonly is: string; readonly should: string } {
  const is = readFileSync(file, 'utf8');
  const lines = is.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|---')) + 1;
  const end = lines.findIndex((line, i) => i >= start && !line.startsWith('|'));
  const sizes = BREAKS.map(({ scenario }) => linesOf(scenario)).sort((a, b) => a - b);
  const first = BREAKS.filter(({ seed = 1 }) => seed === 1).length;
  const head = lines
    .slice(0, start)
    .join('\n')
    .replace(/holds \d+ lines/, `holds ${BREAKS.length} lines`)
    .replace(/\d+ of \d+ are seen with the first/, `${first} of ${BREAKS.length} are seen with the first`)
    .replace(
      /median of \d+ lines \(most: \d+\)/,
      `median of ${sizes[sizes.length >> 1]} lines (most: ${sizes.at(-1)})`,
    );
  return { is, should: [head, ...BREAKS.map(rowOf), ...lines.slice(end)].join('\n') };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(file, breaksDocument().should);
