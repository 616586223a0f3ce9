import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const FULL = '/dev/full';

test.skipIf(!existsSync(FULL)).each([
  [['version'], 1],
  [['sim', 'check', 'scenarios/all-crash.yaml'], 2],
])('%j into a full disk fails, with one line that says why', (args, status) => {
  const full = openSync(FULL, 'w');
  onTestFinished(() => closeSync(full));
  const program = `import { main } from './adapters/cli/main.ts'; await main(${JSON.stringify(args)});`;
  const ran = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: root,
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  expect(ran.stderr).toMatch(/^Error: cannot write the output: ENOSPC.*\n$/);
  expect(ran.status).toBe(status);
});
