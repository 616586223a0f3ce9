import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadAddressBook } from '../../../adapters/tcp/addressBookFile.ts';
import { AddressBook } from '../../../core/p2p/addressBook.ts';
import { tempDir } from '../tempDir.ts';

const id = 'ab'.repeat(20);

test('an address book file larger than 4 MiB is refused', () => {
  const file = join(tempDir(), 'addrbook.json');
  const text = JSON.stringify({ addrs: [{ addr: { id, ip: '8.8.8.8', port: 26656 } }] });
  const load = (bytes: number): number => {
    const book = new AddressBook({ self: '', isStrict: true, privateIds: new Set(), choose: () => 0 });
    writeFileSync(file, text.padEnd(bytes));
    loadAddressBook(file, book);
    return book.size;
  };
  expect(load(4 << 20)).toBe(1);
  expect(() => load((4 << 20) + 1)).toThrow(`address book ${file} is not usable: too long`);
});
