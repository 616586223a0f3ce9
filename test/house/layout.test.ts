import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sourceFiles } from '../../scripts/boundaries.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Comments and the text inside quotes may speak of what code may not do. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");

const FORBIDDEN =
  /(?<!#)\b(Date\.|new Date\b|Math\.random|performance\.|setTimeout\(|setInterval\(|setImmediate\(|Buffer\.|fetch\(|console\.|\.localeCompare\()/;
const NODE = /\bprocess\./;

test('no file of core names a clock, randomness, a timer or I/O, not even behind a lint exception', () => {
  const found = sourceFiles(root)
    .filter((file) => file.startsWith('core/'))
    .filter(
      (file) =>
        [FORBIDDEN, NODE].some((one) => one.test(codeOf(read(file)))) ||
        /biome-ignore[^\n]*noRestrictedGlobals/.test(read(file)),
    );
  expect(found).toEqual([]);
});

// `process` is left out: the simulator has processes of its own, and Node's does not compile there.
test('sim names real globals only in its tripwire, which replaces them', () => {
  const found = sourceFiles(root)
    .filter((file) => file.startsWith('sim/') && file !== 'sim/world/tripwire.ts')
    .filter((file) => FORBIDDEN.test(codeOf(read(file))));
  expect(found).toEqual([]);
});

test('dependencies are pinned exactly and the lock file records no download address', () => {
  const manifest = JSON.parse(read('package.json'));
  for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(read('package-lock.json')).not.toContain('"resolved": "http');
});
