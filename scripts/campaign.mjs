// npm run campaign [DURATION]: runs the whole crash matrix, then every shipped scenario and a swarm over many seeds, then
// mixes of scenarios, each for at most DURATION on all processors. It continues where the last campaign stopped. Then it
// runs the worlds of test/sim/worlds and every break of the core. Results are in .cache/campaign.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { build, install, root } from './setup.mjs';

install();
build('adapters');
const { crashMatrix, DEFAULT_MATRIX } = await import('../dist/sim/crash/matrix.js');
process.chdir(root);
const keep = path.join('.cache', 'campaign');
const files = fs
  .readdirSync('scenarios')
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => path.join('scenarios', file));
const budget = process.argv[2] ?? '30m';

/** The crash matrix as scenario files, which the sweep spreads over all processors. */
async function matrixFiles() {
  const folder = path.join(keep, 'crash-matrix');
  fs.mkdirSync(folder, { recursive: true });
  const matrix = await crashMatrix(DEFAULT_MATRIX, '1');
  if (!matrix.ok) throw new Error(matrix.error.message);
  return matrix.value.map(({ name, text }) => {
    const file = path.join(folder, `${name}.yaml`);
    fs.writeFileSync(file, text);
    return file;
  });
}

/** The folder of scenarios that mix two: shipped ones, kept worlds and drawn ones. */
function mixFolder() {
  const folder = path.join(keep, 'mixes');
  fs.rmSync(folder, { recursive: true, force: true });
  const args = [
    'bin/orrery.js',
    'sim',
    'mix',
    'scenarios',
    'test/sim/worlds',
    '-o',
    folder,
    '--count',
    '5000',
  ];
  if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) throw new Error('no mixes');
  return folder;
}

/** The exit code of one sweep. */
function sweep(what, seeds, folder) {
  const options = ['--seeds', seeds, '--crypto', 'keyed-hash', '--budget', budget, '--keep', folder];
  const args = ['bin/orrery.js', 'sim', 'sweep', ...what, ...options];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}

process.stdout.write('Crash matrix: every effect boundary of three heights, with every power loss:\n');
const ofMatrix = sweep(await matrixFiles(), '1..1', path.join(keep, 'crash-matrix-results'));
// DURATION is none, or the folder cannot be written: the sweep has said so, and the next one would say the same.
if (ofMatrix === 2) process.exit(2);
process.stdout.write('All scenarios, and a swarm:\n');
const ofScenarios = sweep(['--swarm', ...files], '1..2000', keep);
process.stdout.write('Mixes of two scenarios:\n');
const ofMixes = sweep([mixFolder()], '1..1', path.join(keep, 'mixes-results'));
process.stdout.write('The worlds of test/sim/worlds, and every break of the core:\n');
const vitest = path.join('node_modules', 'vitest', 'vitest.mjs');
const ofTests =
  spawnSync(process.execPath, [vitest, 'run', 'test/sim/worlds', 'test/sim/tools/breaks.test.ts'], {
    stdio: 'inherit',
    env: { ...process.env, ORRERY_CAMPAIGN: '1' },
  }).status ?? 1;
process.exitCode = Math.max(ofMatrix, ofScenarios, ofMixes, ofTests);
