import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CORE_ROOMS, importsOf, sourceFiles, violationsOf } from '../../scripts/boundaries.mjs';

const root = path.resolve(import.meta.dirname, '../..');

describe('who may import whom', () => {
  test('every file of the project keeps to the table', () => {
    const files = sourceFiles(root);
    expect(files).toContain('core/node/contract.ts');
    expect(files).toContain('playground/main.ts');
    expect(files.flatMap((file) => violationsOf(file, readFileSync(path.join(root, file), 'utf8')))).toEqual(
      [],
    );
  });

  test('the table of rooms has no cycle', () => {
    const done = new Set<string>();
    const visit = (room: string, trail: readonly string[]): void => {
      expect(trail).not.toContain(room);
      if (done.has(room)) return;
      for (const below of CORE_ROOMS[room] ?? []) visit(below, [...trail, room]);
      done.add(room);
    };
    for (const room of Object.keys(CORE_ROOMS)) visit(room, []);
  });

  test.each([
    [
      'core/lib/bytes.ts',
      `import type { Hash } from '../types/ids.ts';`,
      'core/lib may not import core/types',
    ],
    [
      'core/consensus/machine.ts',
      `import { x } from '../mempool/mempool.ts';`,
      'may not import core/mempool',
    ],
    ['core/consensus/machine.ts', `import { x } from '../node/driver.ts';`, 'may not import core/node'],
    ['core/app/chain.ts', `import { x } from './evm/x.ts';`, 'core/app/chain may not import core/app'],
    ['core/app/evm/x.ts', `import { x } from '../../rpc/eth/y.ts';`, 'may not import core/rpc'],
    [
      'core/node/node.ts',
      `const a = await import('../../adapters/host.ts');`,
      'core may not import adapters',
    ],
    ['core/node/node.ts', `export { x } from '../../sim/world/world.ts';`, 'core may not import sim'],
    ['core/lib/x.ts', `import * as fs from 'node:fs';`, 'may not import node:fs'],
    ['sim/world/world.ts', `import path from 'path';`, 'may not import path'],
    ['core/lib/x.ts', `import { WebSocket } from 'ws';`, 'may not use the package ws'],
    ['sim/world/world.ts', `import { host } from '../../adapters/host.ts';`, 'sim may not import adapters'],
    ['adapters/host.ts', `import { world } from '../sim/world.ts';`, 'adapters may not import sim'],
    ['adapters/host.ts', `import '../test/helper.ts';`, 'only tests may import tests'],
    ['playground/main.ts', `import { createNode } from '../core/node/assembly.ts';`, 'may import only sim'],
    ['playground/worker.ts', `import * as fs from 'node:fs';`, 'may not import node:fs'],
    ['sim/run.ts', `import { x } from '../playground/main.ts';`, 'sim may not import playground'],
    ['core/attic/x.ts', `import { ok } from '../lib/result.ts';`, 'core/attic is not a room'],
    ['core/app/x.ts', `import { ok } from '../lib/result.js';`, 'must end in .ts'],
  ])('%s with %s is caught', (file, text, message) => {
    expect(violationsOf(file, text).join('\n')).toContain(message);
  });

  test.each([
    ['core/consensus/machine.ts', `import type { Input } from '../node/contract.ts';`],
    ['core/rpc/eth/x.ts', `import type { RpcContext } from '../context.ts';`],
    ['adapters/cli/sim.ts', `const { runScenario } = await import('../../sim/run.ts');`],
    ['adapters/host.ts', `import { readFile } from 'node:fs/promises';`],
    ['core/crypto/x.ts', `import { ed25519 } from '@noble/curves/ed25519.js';`],
    ['core/lib/x.ts', `// import { x } from '../node/node.ts'`],
  ])('%s with %s is allowed', (file, text) => {
    expect(violationsOf(file, text)).toEqual([]);
  });

  test('imports over several lines, re-exports and bare imports are all seen', () => {
    const text = `import {\n  type A,\n  b,\n} from './a.ts';\nexport * from './b.ts';\nimport './c.ts';\nimport d, { e } from "./d.ts";`;
    expect(importsOf(text)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts']);
  });
});
