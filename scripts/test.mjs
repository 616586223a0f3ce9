// npm test: installs what is missing and runs the tests. The last line says how many passed.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { install, root } from './setup.mjs';
import { stopWithParent } from './stopWithParent.mjs';

stopWithParent();
install();

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-test-'));
const countsFile = path.join(folder, 'counts.json');
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [
  'run',
  '--reporter=default',
  '--reporter=./scripts/countReporter.mjs',
  ...process.argv.slice(2),
];
const child = spawn(process.execPath, [vitest, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ORRERY_TEST_COUNTS: countsFile },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));

child.on('exit', (code, signal) => {
  let counts;
  try {
    counts = JSON.parse(fs.readFileSync(countsFile, 'utf8'));
  } catch {
    counts = { passed: 0, failed: 1, skipped: 0 };
  }
  fs.rmSync(folder, { recursive: true, force: true });
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exitCode = code !== 0 ? code : counts.failed > 0 ? 1 : 0;
});
