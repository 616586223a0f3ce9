import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ADDRESSES_MAX, AddressBook } from '../../../core/p2p/addressBook.ts';
import { groupOf, isRoutable, parseIp } from '../../../core/p2p/ip.ts';
import { formatPeerAddress, parsePeerAddress } from '../../../core/p2p/peerAddress.ts';

const id = (n: number): string => n.toString(16).padStart(40, '0');
const bookOf = (isStrict = true): AddressBook =>
  new AddressBook({ self: id(0), isStrict, privateIds: new Set([id(13)]), choose: () => 0 });
const ipOf = (n: number): string => `${11 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.1`;

describe('the address book', () => {
  test('refuses itself, private ids, names, and what cannot be reached', () => {
    const book = bookOf();
    const refused = (n: number, host: string) => book.add({ id: id(n), host, port: 1 }, id(9));
    expect(refused(0, '8.8.8.8')).toMatchObject({ error: 'is this node' });
    expect(refused(13, '8.8.8.8')).toMatchObject({ error: 'is private' });
    expect(refused(1, 'example.org')).toMatchObject({ error: 'is no IP address' });
    expect(refused(1, '127.0.0.1')).toMatchObject({ error: 'cannot be reached from everywhere' });
    expect(bookOf(false).add({ id: id(1), host: '127.0.0.1', port: 1 }, id(9)).ok).toBe(true);
  });

  test('no source and no network fills it, and it never grows beyond its bound', () => {
    const book = bookOf();
    for (let n = 100; n < 1100; n++) book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(9));
    expect(book.size).toBe(256);
    for (let n = 5000; n < 6000; n++)
      book.add({ id: id(n), host: `44.44.${n & 255}.${n >> 8}`, port: 1 }, id(n));
    expect(book.size).toBe(512);
    for (let n = 10_000; n < 14_000; n++) book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(n));
    expect(book.size).toBe(ADDRESSES_MAX);
  });

  test('a full book forgets the new address that was called in vain most often', () => {
    const book = bookOf();
    for (let n = 10_000; n < 10_000 + ADDRESSES_MAX; n++)
      book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(n));
    const [rarely, often] = [id(11_000), id(11_001)];
    book.onAttempt(1, rarely);
    for (let i = 0; i < 3; i++) book.onAttempt(1, often);
    book.add({ id: id(1), host: '8.8.8.8', port: 1 }, id(1));
    expect([book.size, book.has(id(1)), book.has(rarely), book.has(often)]).toEqual([
      ADDRESSES_MAX,
      true,
      true,
      false,
    ]);
  });

  test('an address that has worked is moved by nobody but its owner', () => {
    const book = bookOf();
    book.add({ id: id(1), host: '8.8.8.8', port: 1 }, id(9));
    book.onGood(1, id(1));
    book.add({ id: id(1), host: '9.9.9.9', port: 1 }, id(8));
    expect(book.entries()[0]?.address.host).toBe('8.8.8.8');
    book.add({ id: id(1), host: '9.9.9.9', port: 1 }, id(1));
    expect(book.entries()[0]?.address.host).toBe('9.9.9.9');
  });

  test('a dialled address rests before it is picked again, and one that never answers is forgotten', () => {
    const book = bookOf();
    book.add({ id: id(1), host: '8.8.8.8', port: 1 }, id(9));
    const pick = (now: number) => book.pick(now, () => true)?.id;
    expect(pick(1_000_000)).toBe(id(1));
    book.onAttempt(1_000_000, id(1));
    expect(pick(2_000_000)).toBeUndefined();
    expect(pick(60_000_000)).toBe(id(1));
    for (let i = 0; i < 8; i++) book.onAttempt(1, id(1));
    expect(book.size).toBe(0);
  });
});

test('IP texts: v4, v6, v4 within v6, and which of them can be reached', () => {
  const texts: readonly [string, string | undefined, boolean][] = [
    ['8.8.8.8', '8.8', true],
    ['10.1.2.3', 'local', false],
    ['172.16.0.1', 'local', false],
    ['172.32.0.1', '172.32', true],
    ['192.168.1.1', 'local', false],
    ['224.0.0.1', 'local', false],
    ['::ffff:8.8.4.4', '8.8', true],
    ['::1', 'local', false],
    ['fe80::1', 'local', false],
    ['2001:db8::1', 'local', false],
    ['2606:4700::1111', '38:6:71:0', true],
  ];
  for (const [text, group, routable] of texts) {
    const ip = parseIp(text);
    if (ip === undefined) throw new Error(text);
    expect([text, groupOf(ip), isRoutable(ip)]).toEqual([text, group, routable]);
  }
  for (const text of ['', '256.1.1.1', '1.2.3', '1:2', ':::', '1::2::3', 'g::', '1:2:3:4:5:6:7:8:9'])
    expect([text, parseIp(text)]).toEqual([text, undefined]);
});

test('addresses of peers read back as they were written, and other texts are refused', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }),
      fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()),
      fc.integer({ min: 1, max: 65535 }),
      (n, host, port) => {
        const address = { id: n.toString(16).padStart(40, '0'), host, port };
        expect(parsePeerAddress(formatPeerAddress(address))).toEqual({ ok: true, value: address });
      },
    ),
  );
  for (const text of ['', 'a@b:1', `${id(1)}@host`, `${id(1)}@host:0`, `${id(1)}@host:65536`, `${id(1)}@:1`])
    expect(parsePeerAddress(text).ok).toBe(false);
});
