import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const tool = (name: string): string => path.join(root, 'node_modules', '.bin', name);

/** Lines that must not stand in core or sim, and a word of the complaint about each. */
const FORBIDDEN: readonly (readonly [code: string, complaint: string])[] = [
  ['export const bad = Date.now();', 'Date'],
  ['export const bad = new Date(0);', 'Date'],
  ['export const bad = performance.now();', 'performance'],
  ['export const bad = Math.random();', 'randomness'],
  ['export const bad = Math.sin(1);', 'whole numbers'],
  ['export const bad = Math.log2(8);', 'whole numbers'],
  [`export const bad = Math['random']();`, 'Math'],
  ['const { random } = Math;\nexport const bad = random();', 'Math'],
  [`export const bad = 'a'.localeCompare('b');`, 'locale'],
  ['export const bad = (1).toLocaleString();', 'locale'],
  ['setTimeout(() => undefined, 1);', 'setTimeout'],
  ['setInterval(() => undefined, 1);', 'setInterval'],
  ['setImmediate(() => undefined);', 'setImmediate'],
  ['queueMicrotask(() => undefined);', 'queueMicrotask'],
  ['export const bad = process.env;', 'process'],
  ['export const bad = Buffer.alloc(1);', 'Buffer'],
  [`export const bad = fetch('http://localhost');`, 'fetch'],
  ['export const bad = crypto.randomUUID();', 'crypto'],
  [`console.log('bad');`, 'console'],
  [`import * as fs from 'node:fs';\nexport const bad = fs;`, 'noNodejsModules'],
  [`import * as fs from 'fs';\nexport const bad = fs;`, 'noNodejsModules'],
  ['export default 1;', 'noDefaultExport'],
  [`export * from './other.ts';`, 'noBarrelFile'],
  ['export enum Bad {\n  A,\n}', 'noEnum'],
];

/** Of lists whose length others decide; what sim makes is its own. */
const UNBOUNDED: readonly string[] = [
  'export const bad = concat(...list);',
  'export const bad = concat(first, ...list.map((one) => one));',
  'list.push(...more);',
  'this.#list.unshift(...more);',
  'list.splice(0, 1, ...more);',
];

interface Finding {
  readonly file: string;
  readonly text: string;
}

describe('the fences around core and sim', () => {
  let folder = '';
  let findings: readonly Finding[] = [];

  beforeAll(() => {
    // A house of the same shape, holding only bad furniture; the real rules must find each piece.
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-fences-'));
    const config = JSON.parse(fs.readFileSync(path.join(root, 'biome.json'), 'utf8'));
    fs.writeFileSync(path.join(folder, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }));
    fs.cpSync(path.join(root, 'lint'), path.join(folder, 'lint'), { recursive: true });
    for (const room of ['core/lib', 'sim', 'adapters']) {
      fs.mkdirSync(path.join(folder, room), { recursive: true });
      for (const [index, [code]] of FORBIDDEN.entries())
        fs.writeFileSync(path.join(folder, room, `bad${index}.ts`), `${code}\n`);
      for (const [index, code] of UNBOUNDED.entries())
        fs.writeFileSync(path.join(folder, room, `unbounded${index}.ts`), `${code}\n`);
    }
    const run = spawnSync(tool('biome'), ['lint', '--reporter=github', '--max-diagnostics=none', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    findings = [
      ...`${run.stdout}${run.stderr}`.matchAll(/^::error title=([^,]*),file=([^,]*),[^:]*::(.*)$/gm),
    ].map(([, rule, file, message]) => ({ file: file ?? '', text: `${rule} ${message}` }));
  });

  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  const complaintsAbout = (file: string): string =>
    findings
      .filter((finding) => finding.file.endsWith(`/${file}`))
      .map((finding) => finding.text)
      .join('\n');

  test.each(FORBIDDEN.map(([code, complaint], index) => ({ code, complaint, index })))(
    'lint refuses in core and sim: $code',
    ({ complaint, index }) => {
      expect(complaintsAbout(`core/lib/bad${index}.ts`)).toContain(complaint);
      expect(complaintsAbout(`sim/bad${index}.ts`)).toContain(complaint);
    },
  );

  test.each(UNBOUNDED.map((code, index) => ({ code, index })))('lint refuses in core: $code', ({ index }) => {
    expect(complaintsAbout(`core/lib/unbounded${index}.ts`)).toContain('use joined or append');
    expect(complaintsAbout(`sim/unbounded${index}.ts`)).not.toContain('use joined or append');
  });

  test('adapters may use clock, timers and node, and are held to the other rules', () => {
    const refused = FORBIDDEN.flatMap(([code], index) =>
      complaintsAbout(`adapters/bad${index}.ts`) ? [code] : [],
    );
    expect(refused).toEqual([
      `import * as fs from 'fs';\nexport const bad = fs;`,
      'export default 1;',
      `export * from './other.ts';`,
      'export enum Bad {\n  A,\n}',
    ]);
  });

  test('core and sim do not even compile with a timer, process, Buffer, fetch or a node module', () => {
    const globals = ['setTimeout', 'process', 'Buffer', 'fetch', 'console', 'performance', 'URL'];
    for (const room of ['core', 'sim']) {
      const source = path.join(folder, room, 'tripwire.ts');
      const lines = [...globals.map((name) => `void ${name};`), `void import('node:fs');`];
      fs.writeFileSync(source, `${lines.join('\n')}\nexport {};\n`);
      const config = JSON.parse(fs.readFileSync(path.join(root, room, 'tsconfig.json'), 'utf8'));
      fs.copyFileSync(path.join(root, 'tsconfig.base.json'), path.join(folder, 'tsconfig.base.json'));
      fs.writeFileSync(
        path.join(folder, room, 'tsconfig.json'),
        JSON.stringify({ ...config, include: ['./tripwire.ts'], references: [] }),
      );
      const run = spawnSync(tool('tsc'), ['-p', path.join(folder, room), '--noEmit', '--pretty', 'false'], {
        cwd: folder,
        encoding: 'utf8',
      });
      for (const name of [...globals, 'node:fs']) expect(run.stdout).toContain(`'${name}'`);
      expect(
        run.stdout
          .trim()
          .split('\n')
          .filter((line) => line.includes('error')),
      ).toHaveLength(lines.length);
    }
  });
});
