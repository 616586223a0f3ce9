/** npm run test:state -- DIR [FILTER]: every General State Test under a folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { acceleratedSuite } from '../../adapters/crypto/accelerated.ts';
import { fixturesOf } from './fixture.ts';
import { StateTestRunner } from './runFixture.ts';

function filesUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return entries
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(path, name))
    .sort();
}

/** Exit code 0 when nothing failed, 1 when something did, 2 without a folder. */
export async function main(args: readonly string[]): Promise<void> {
  const [folder, filter = ''] = args;
  if (folder === undefined) {
    process.stderr.write('usage: npm run test:state -- DIR [PART-OF-FILE-NAME]\n');
    process.exitCode = 2;
    return;
  }
  const runner = new StateTestRunner(await acceleratedSuite());
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const skips = new Map<string, number>();
  let room = '';
  const tell = (): void => {
    if (room !== '')
      process.stdout.write(`${room}: ${counts.passed} passed, ${counts.failed} failed so far\n`);
  };
  for (const file of filesUnder(folder)) {
    const shown = relative(folder, file);
    if (!shown.includes(filter)) continue;
    // A selection takes a long while: a line a folder shows how far it is.
    if (dirname(shown) !== room) tell();
    room = dirname(shown);
    for (const [test, fixture] of fixturesOf(readFileSync(file, 'utf8'))) {
      for (const { name, verdict } of await runner.run(fixture)) {
        counts[verdict.kind]++;
        if (verdict.kind === 'failed')
          process.stdout.write(`FAILED ${shown} ${test} ${name}: ${verdict.reason}\n`);
        if (verdict.kind === 'skipped') skips.set(verdict.reason, (skips.get(verdict.reason) ?? 0) + 1);
      }
    }
  }
  for (const [reason, count] of skips) process.stdout.write(`skipped ${count}: ${reason}\n`);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}
