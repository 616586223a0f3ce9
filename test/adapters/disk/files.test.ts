import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from '../../../adapters/disk/files.ts';
import { tempDir } from '../tempDir.ts';

test('a file that cannot be replaced leaves nothing beside it', () => {
  const dir = tempDir();
  const path = join(dir, 'secret');
  // A folder takes the place of no file.
  mkdirSync(path);
  writeFileSync(join(path, 'x'), '');
  expect(() => replaceFile(path, Buffer.from('half a secret'))).toThrow();
  expect(readdirSync(dir)).toEqual(['secret']);
});

test('a file is replaced whole', () => {
  const path = join(tempDir(), 'file');
  for (const text of ['one', 'another, which is longer', '']) {
    replaceFile(path, Buffer.from(text));
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
});
