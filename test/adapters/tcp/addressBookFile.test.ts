import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadAddressBook } from '../../../adapters/tcp/addressBookFile.ts';
import type { AddressBook } from '../../../core/p2p/addressBook.ts';
import { tempDir } from '../tempDir.ts';

test('a file that is longer than a full address book is not used', () => {
  const file = join(tempDir(), 'addrbook.json');
  // It is empty: nothing is added to the book.
  const book = {} as AddressBook;
  const text = '{"addrs":[]}';
  writeFileSync(file, text.padEnd(4 << 20));
  expect(() => loadAddressBook(file, book)).not.toThrow();
  writeFileSync(file, text.padEnd((4 << 20) + 1));
  expect(() => loadAddressBook(file, book)).toThrow('not usable: too long');
});
