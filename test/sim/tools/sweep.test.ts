import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const bin = path.resolve(import.meta.dirname, '../../../bin/orrery.js');
let folder = '';
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-sweep-'));
  const fileOf = (name: string): string => path.join(folder, `${name}.yaml`);
  const head = 'engine: {crypto: keyed-hash}\nvalidators: {count: 1}\n';
  fs.writeFileSync(fileOf('calm'), `name: calm\n${head}until: {height: 2}\n`);
  fs.writeFileSync(
    fileOf('broken'),
    `name: broken\n${head}expect: [{never: "node(v0).height >= 2"}]\nuntil: {height: 2}\n`,
  );
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Swept {
  readonly code: number;
  readonly out: string;
}

const sweep = (...args: string[]): Promise<Swept> =>
  new Promise((resolve) => {
    execFile(process.execPath, [bin, 'sim', 'sweep', ...args, '--jobs', '1'], { cwd: folder }, (error, out) =>
      resolve({ code: error === null ? 0 : Number(error.code), out }),
    );
  });

test('a sweep counts, goes on where it stopped, and keeps what fails with the line that runs it again', async () => {
  const first = await sweep('calm.yaml', '--seeds', '1..2', '--keep', 'kept');
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('2 runs, 0 failed\n') });
  const second = await sweep('calm.yaml', 'broken.yaml', '--seeds', '1..3', '--keep', 'kept');
  expect(second.code).toBe(1);
  expect(second.out).toContain('6 runs, 3 failed, 2 of them done earlier\n');
  expect(second.out).toContain('3 × never: it happened: node(NODE).height >= N\n');
  expect(second.out).toContain('npx orrery sim run broken.yaml --seed 1\n');
  expect(fs.readFileSync(path.join(folder, 'kept/broken-3.yaml'), 'utf8')).toContain('seed: 3');
});

test('runs that are checked for determinism are runs of their own, and shards share them out', async () => {
  const args = ['calm.yaml', '--seeds', '1..4', '--keep', 'kept', '--json'];
  const part = await sweep(...args, '--check-determinism', '--shard', '1/2');
  expect({ code: part.code, ...JSON.parse(part.out) }).toMatchObject({
    code: 0,
    runs: 2,
    failed: 0,
    resumed: 0,
  });
  const rest = await sweep(...args, '--check-determinism');
  expect(JSON.parse(rest.out)).toMatchObject({ runs: 4, failed: 0, resumed: 2 });
});

test('what is wrong with the arguments is said before anything runs', async () => {
  expect((await sweep('calm.yaml', '--seeds', '3..1')).code).toBe(2);
});
