import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeEntries, TxJournal } from '../../../adapters/disk/txJournal.ts';
import { NODE_IO, type WalIo } from '../../../adapters/disk/walIo.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import type { SubmitResult } from '../../../core/types/submit.ts';
import { tempDir } from '../tempDir.ts';

const text = (bytes: Bytes): string => new TextDecoder().decode(bytes).slice(0, 20);
const tx = (name: string): Bytes => new TextEncoder().encode(name);

/** A pool that takes what is not named as refused. */
function journalOf(file: string, refused: readonly string[] = [], io?: Pick<WalIo, 'write'>) {
  const pool: Bytes[] = [];
  const warnings: string[] = [];
  const submit = async (bytes: Bytes): Promise<SubmitResult> => {
    if (refused.includes(text(bytes))) return { kind: 'refused', hash: bytes, refusal: { code: 'in-cache' } };
    pool.push(bytes);
    const lane = {} as never;
    return { kind: 'checked', hash: bytes, result: { kind: 'accepted', lane, gasWanted: 0n, events: [] } };
  };
  const journal = new TxJournal({
    file,
    submit,
    pooled: () => pool,
    warn: (warning) => void warnings.push(warning),
    ...(io === undefined ? {} : { io }),
  });
  return { journal, pool, warnings };
}

const entriesOf = (file: string): string[] => decodeEntries(new Uint8Array(readFileSync(file))).map(text);

test('after a restart, journaled transactions are submitted again, and refused ones leave the journal', async () => {
  const file = join(tempDir(), 'transactions.rlp');
  const first = journalOf(file, ['bad']);
  expect(await first.journal.load()).toEqual({ read: 0, taken: 0 });
  for (const name of ['a', 'bad', 'b', 'c'.repeat(300)]) await first.journal.submit(tx(name));
  expect(entriesOf(file)).toEqual(['a', 'b', 'c'.repeat(20)]);
  const second = journalOf(file, ['a']);
  expect(await second.journal.load()).toEqual({ read: 3, taken: 2 });
  expect(second.pool.map(text)).toEqual(['b', 'c'.repeat(20)]);
  expect(entriesOf(file)).toEqual(['b', 'c'.repeat(20)]);
  second.journal.close();
  first.journal.close();
});

test('a transaction submitted while the journal loads is kept as well', async () => {
  const file = join(tempDir(), 'transactions.rlp');
  const first = journalOf(file);
  await first.journal.load();
  await first.journal.submit(tx('old'));
  first.journal.close();
  const second = journalOf(file);
  await Promise.all([second.journal.load(), second.journal.submit(tx('new'))]);
  second.journal.close();
  expect(entriesOf(file)).toEqual(['old', 'new']);
});

test('a cut entry or garbage loses what follows it and nothing before', async () => {
  const file = join(tempDir(), 'transactions.rlp');
  const first = journalOf(file);
  await first.journal.load();
  for (const name of ['one entry', 'another entry']) await first.journal.submit(tx(name));
  first.journal.close();
  truncateSync(file, statSync(file).size - 3);
  const second = journalOf(file);
  expect(await second.journal.load()).toEqual({ read: 1, taken: 1 });
  second.journal.close();
  appendFileSync(file, Uint8Array.of(0xc1, 0x80, 0xff, 0x00));
  const third = journalOf(file);
  expect(await third.journal.load()).toEqual({ read: 1, taken: 1 });
  third.journal.close();
});

test('a transaction submitted after a start from half an entry is kept', async () => {
  const file = join(tempDir(), 'transactions.rlp');
  appendFileSync(file, Uint8Array.of(0xb8, 200, 1, 2, 3));
  const first = journalOf(file);
  expect(await first.journal.load()).toEqual({ read: 0, taken: 0 });
  await first.journal.submit(tx('after the half'));
  first.journal.close();
  expect(entriesOf(file)).toEqual(['after the half']);
});

test('a write that fails halfway leaves only whole entries in the file', async () => {
  const file = join(tempDir(), 'transactions.rlp');
  let room = Number.POSITIVE_INFINITY;
  const { journal, warnings } = journalOf(file, [], {
    write(fd, bytes, offset, position) {
      if (room === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      const taken = Math.min(room, 7, bytes.length - offset);
      room -= taken;
      return NODE_IO.write(fd, bytes.subarray(0, offset + taken), offset, position);
    },
  });
  await journal.load();
  await journal.submit(tx('taken in pieces'));
  room = 5;
  await journal.submit(tx('cut in the middle'));
  expect(warnings).toEqual([expect.stringContaining('no space left on device')]);
  room = Number.POSITIVE_INFINITY;
  await journal.submit(tx('after that'));
  journal.close();
  expect(entriesOf(file)).toEqual(['taken in pieces', 'after that']);
});

test('a long file is rewritten without the transactions that left the pool', async () => {
  const file = join(tempDir(), 'transactions.rlp');
  const { journal, pool } = journalOf(file);
  await journal.load();
  const name = (i: number) => `${i}`.padEnd(100_000, '.');
  for (let i = 0; i < 42; i++) {
    await journal.submit(tx(name(i)));
    if (i < 39) pool.shift();
  }
  expect(statSync(file).size).toBeLessThan(1_000_000);
  await journal.submit(tx('last'));
  expect(entriesOf(file).at(-1)).toBe('last');
  journal.close();
});

test('a failing disk disables only the journal', async () => {
  const dir = tempDir();
  const file = join(dir, 'a folder');
  mkdirSync(file);
  const { journal, pool, warnings } = journalOf(file);
  await journal.load();
  await journal.submit(tx('a'));
  expect(pool).toHaveLength(1);
  expect(warnings[0]).toContain('transactions may be forgotten at a restart');
  expect(existsSync(file)).toBe(true);
  journal.close();
});

test('a file that is longer than the journal ever writes is not read', async () => {
  const file = join(tempDir(), 'transactions.rlp');
  appendFileSync(file, Uint8Array.of(0x61));
  truncateSync(file, 2 ** 30 + 1);
  const { journal, pool, warnings } = journalOf(file);
  expect(await journal.load()).toEqual({ read: 0, taken: 0 });
  expect([pool, warnings.length]).toEqual([[], 1]);
  expect(warnings[0]).toContain('too long');
  journal.close();
});
