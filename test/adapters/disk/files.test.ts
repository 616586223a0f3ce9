import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from '../../../adapters/disk/files.ts';
import { replaceFileAsync } from '../../../adapters/signer/replaceFileAsync.ts';
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

test('a file that others may not read may not be read by them when it is replaced', () => {
  const path = join(tempDir(), 'config.toml');
  const modeOf = (): number => statSync(path).mode & 0o777;
  replaceFile(path, Buffer.from('one'), 0o644);
  expect(modeOf()).toBe(0o644);
  chmodSync(path, 0o600);
  replaceFile(path, Buffer.from('two'), 0o644);
  expect(modeOf()).toBe(0o600);
  chmodSync(path, 0o666);
  replaceFile(path, Buffer.from('three'));
  expect(modeOf()).toBe(0o600);
});

test.each([
  ['at once', async (path: string, data: Uint8Array) => replaceFile(path, data)],
  ['as a signer does', replaceFileAsync],
])('a link is followed, whether there is something at its end or not yet (%s)', async (_, replace) => {
  const [dir, volume] = [tempDir(), tempDir()];
  const link = join(dir, 'state');
  symlinkSync(join(volume, 'state'), link);
  const near = join(dir, 'near');
  symlinkSync('state', near);
  for (const [path, text] of [
    [link, 'first'],
    [link, 'second'],
    [near, 'third'],
  ] as const) {
    await replace(path, Buffer.from(text));
    expect(readFileSync(join(volume, 'state'), 'utf8')).toBe(text);
  }
  for (const path of [link, near]) expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect([readdirSync(dir).sort(), readdirSync(volume)]).toEqual([['near', 'state'], ['state']]);
});
