import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { packageVersion } from '../../../adapters/cli/version.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const FULL = '/dev/full';
/** Bytes; a pipe holds 64 KiB. */
const LONG = 10_000_000;

const programOf = (args: readonly string[]): string =>
  `import { main } from './adapters/cli/main.ts'; await main(${JSON.stringify(args)});`;

test.skipIf(!existsSync(FULL)).each([
  [['version'], 1],
  [['sim', 'check', 'scenarios/all-crash.yaml'], 2],
])('%j into a full disk fails, with one line that says why', (args, status) => {
  const full = openSync(FULL, 'w');
  onTestFinished(() => closeSync(full));
  const ran = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', programOf(args)], {
    cwd: root,
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  expect(ran.stderr).toMatch(/^Error: cannot write the output: ENOSPC.*\n$/);
  expect(ran.status).toBe(status);
});

test('a pipe gets all of an output that is longer than it', () => {
  const program = `process.stdout.write('-'.repeat(${LONG})); ${programOf(['--version'])}`;
  const command = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', program];
  const ran = spawnSync('sh', ['-c', '"$0" "$@" | wc -c', ...command], { cwd: root, encoding: 'utf8' });
  expect(Number(ran.stdout)).toBe(LONG + `${packageVersion()}\n`.length);
});

test.each(['', '>/dev/null'])(
  'whoever does not read what a command says (%s) does not make it fail',
  (redirected) => {
    const program = programOf(['keys', 'add', 'alice', '--dry-run', '--keyring-backend', 'memory']);
    const command = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', program];
    // The pipe's reader has gone before anything is written.
    const script = `{ "$0" "$@" ${redirected}; echo $? >&3; } 2>&1 | exec true`;
    const ran = spawnSync('sh', ['-c', `{ ${script}; } 3>&1`, ...command], { cwd: root, encoding: 'utf8' });
    expect(ran.stdout).toBe('0\n');
  },
);
