import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ADDRESSES_MAX, AddressBook } from '../../../core/p2p/addressBook.ts';
import { groupOf, isRoutable, parseIp, plainIp } from '../../../core/p2p/ip.ts';
import { formatPeerAddress, parsePeerAddress, portOf } from '../../../core/p2p/peerAddress.ts';

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

  test('one source with many ids and IPs of other networks fills no more than its own share', () => {
    const book = bookOf();
    for (let n = 100; n < 1100; n++)
      book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(n), '44.44.1.1');
    expect(book.size).toBe(256);
  });

  test('a full book drops the new address with most failed dials, and keeps those that have answered', () => {
    const book = bookOf();
    for (let n = 10_000; n < 10_000 + ADDRESSES_MAX; n++)
      book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(n));
    const [rarely, often, proven] = [id(11_000), id(11_001), id(11_002)];
    book.onAttempt(1, rarely);
    for (let i = 0; i < 3; i++) book.onAttempt(1, often);
    book.onGood(1, proven);
    for (let i = 0; i < 5; i++) book.onAttempt(1, proven);
    book.add({ id: id(1), host: '8.8.8.8', port: 1 }, id(1));
    expect(book.size).toBe(ADDRESSES_MAX);
    expect([id(1), rarely, often, proven].map((one) => book.has(one))).toEqual([true, true, false, true]);
  });

  test('a book full of answered addresses takes no new one', () => {
    const book = bookOf();
    for (let n = 10_000; n < 10_000 + ADDRESSES_MAX; n++) {
      book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(n));
      book.onGood(1, id(n));
    }
    expect(book.add({ id: id(1), host: '8.8.8.8', port: 1 }, id(1)).ok).toBe(false);
    expect([book.size, book.has(id(1))]).toEqual([ADDRESSES_MAX, false]);
  });

  test('an address whose last dial lies in the future is dialled again', () => {
    const [now, ahead] = [1_000_000, 90_000_000_000];
    const book = bookOf();
    const address = { id: id(1), host: '8.8.8.8', port: 1 };
    book.restore({
      address,
      source: id(9),
      isOld: true,
      attempts: 0,
      lastAttempt: ahead,
      lastSuccess: ahead,
    });
    expect(book.pick(now, () => true)).toEqual(address);
    book.onAttempt(now, id(1));
    expect(book.pick(now + 1, () => true)).toBeUndefined();
  });

  test('an address that has answered is changed only by its own node', () => {
    const book = bookOf();
    book.add({ id: id(1), host: '8.8.8.8', port: 1 }, id(9));
    book.onGood(1, id(1));
    book.add({ id: id(1), host: '9.9.9.9', port: 1 }, id(8));
    expect(book.entries()[0]?.address.host).toBe('8.8.8.8');
    book.add({ id: id(1), host: '9.9.9.9', port: 1 }, id(1));
    expect(book.entries()[0]?.address.host).toBe('9.9.9.9');
  });

  test('the first address of a node stands until it was tried, and for good once it was reached', () => {
    const book = bookOf();
    const tell = (host: string, source: number): string | undefined => {
      book.add({ id: id(1), host, port: 1 }, id(source));
      return book.entries()[0]?.address.host;
    };
    expect([tell('8.8.8.8', 9), tell('9.9.9.9', 8)]).toEqual(['8.8.8.8', '8.8.8.8']);
    book.onAttempt(1, id(1));
    // Somebody moves it while the call is on its way; the call says who is right.
    expect([tell('9.9.9.9', 8), tell('8.8.8.8', 0)]).toEqual(['9.9.9.9', '8.8.8.8']);
    book.onGood(2, id(1));
    expect(tell('9.9.9.9', 8)).toBe('8.8.8.8');
  });

  test("an address that moves to another network counts against that network's limit", () => {
    const book = bookOf();
    for (let n = 100; n < 400; n++) book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(n));
    for (let n = 100; n < 400; n++) book.onAttempt(1, id(n));
    const moved = Array.from({ length: 300 }, (_, i) => id(100 + i)).filter(
      (peer, i) => book.add({ id: peer, host: `44.44.${i & 255}.${1 + (i >> 8)}`, port: 1 }, id(9)).ok,
    );
    expect([moved.length, book.size]).toEqual([256, 300]);
  });

  test('a network with many addresses is picked no more often than one with few', () => {
    const asked: number[] = [];
    const choose = (n: number): number => asked.push(n) * 0;
    const book = new AddressBook({ self: id(0), isStrict: true, privateIds: new Set(), choose });
    for (let n = 1; n <= 50; n++) book.add({ id: id(n), host: `44.44.${n}.1`, port: 1 }, id(9));
    book.add({ id: id(99), host: '55.55.1.1', port: 1 }, id(9));
    book.pick(1, () => true);
    // Old or new, then one of two networks, then one of those in it.
    expect(asked).toEqual([2, 2, 50]);
  });

  test('a call goes to an address that has answered as often as to one that has not, however few have', () => {
    const picked = [0, 1].map((side) => {
      const asked: number[] = [];
      const choose = (n: number): number => (asked.push(n) === 1 ? side : 0);
      const book = new AddressBook({ self: id(0), isStrict: true, privateIds: new Set(), choose });
      for (let n = 1; n <= 50; n++) book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(9));
      book.onGood(1, id(40));
      return book.pick(60_000_000, () => true)?.id;
    });
    expect(picked).toEqual([id(40), id(1)]);
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

  test('an address that has answered is kept despite failures, which are reset when it answers', () => {
    const book = bookOf();
    book.add({ id: id(1), host: '8.8.8.8', port: 1 }, id(9));
    book.onGood(1, id(1));
    for (let i = 0; i < 9; i++) book.onAttempt(1, id(1));
    expect(book.entries()).toMatchObject([{ isOld: true, attempts: 9 }]);
    expect(book.sample(9)).toEqual([]);
    book.onGood(2, id(1));
    expect(book.entries()).toMatchObject([{ isOld: true, attempts: 0, lastAttempt: 2, lastSuccess: 2 }]);
    expect(book.sample(9)).toHaveLength(1);
  });

  test("a peer's own address does not count against its limit as a source", () => {
    const book = bookOf();
    for (let n = 100; n < 356; n++)
      book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(n < 355 ? 9 : 99));
    expect(book.size).toBe(256);
    book.add({ id: id(9), host: '8.8.8.8', port: 1 }, id(9));
    book.add({ id: id(400), host: ipOf(400 * 256), port: 1 }, id(9));
    expect([book.has(id(9)), book.has(id(400))]).toEqual([true, true]);
    book.add({ id: id(401), host: ipOf(401 * 256), port: 1 }, id(9));
    expect(book.has(id(401))).toBe(false);
  });

  test('a sample has at least 32 addresses, or a quarter of a larger book', () => {
    const book = bookOf();
    const told: number[] = [];
    for (let n = 1000; n < 1200; n++) {
      book.add({ id: id(n), host: ipOf(n * 256), port: 1 }, id(n));
      if ([20, 100, 200].includes(book.size)) told.push(new Set(book.sample(250).map((one) => one.id)).size);
    }
    expect(told).toEqual([20, 32, 46]);
    expect(book.sample(10)).toHaveLength(10);
  });

  test('restores a saved book unchanged', () => {
    const [book, other] = [bookOf(), bookOf()];
    for (const n of [1, 2]) book.add({ id: id(n), host: `8.8.8.${n}`, port: 1 }, id(9));
    book.onGood(5, id(1));
    book.onAttempt(7, id(1));
    book.onAttempt(6, id(2));
    for (const entry of book.entries()) other.restore(entry);
    expect(other.entries()).toEqual(book.entries());
  });
});

test('networks that are reserved end where their RFCs say', () => {
  const reserved: readonly (readonly [first: string, last: string])[] = [
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '255.255.255.255'],
  ];
  const numberOf = (text: string): number => text.split('.').reduce((sum, n) => sum * 256 + Number(n), 0);
  const isReachable = (value: number): boolean =>
    isRoutable(Uint8Array.from([24, 16, 8, 0], (bits) => value >>> bits));
  for (const [first, last] of reserved) {
    const [from, to] = [numberOf(first), numberOf(last)];
    expect([from, from + (to - from + 1) / 2, to].map(isReachable), first).toEqual([false, false, false]);
    if (from > 0) expect(isReachable(from - 1), first).toBe(true);
    if (to < 2 ** 32 - 1) expect(isReachable(to + 1), last).toBe(true);
  }
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
    ['2001:dc8::1', '32:1:13:200', true],
    ['2606:4700::1111', '38:6:71:0', true],
    ['2606:4700:1::1111', '38:6:71:0', true],
    ['0.1.2.3', 'local', false],
    ['1.0.0.1', '1.0', true],
    ['100.64.0.1', 'local', false],
    ['100.127.255.255', 'local', false],
    ['100.128.0.1', '100.128', true],
    ['127.9.9.9', 'local', false],
    ['169.254.1.1', 'local', false],
    ['172.31.255.255', 'local', false],
    ['192.0.2.1', 'local', false],
    ['192.0.3.1', '192.0', true],
    ['198.51.100.7', 'local', false],
    ['203.0.113.7', 'local', false],
    ['223.255.255.255', '223.255', true],
    ['255.255.255.255', 'local', false],
    ['1:2:3:4:5:6:7:8', 'local', false],
    ['1::3:4:5:6:7:8', 'local', false],
    ['2001:4860::8.8.8.8', '32:1:72:96', true],
  ];
  for (const [text, group, routable] of texts) {
    const ip = parseIp(text);
    if (ip === undefined) throw new Error(text);
    expect([text, groupOf(ip), isRoutable(ip)]).toEqual([text, group, routable]);
  }
  for (const text of [
    '',
    '256.1.1.1',
    '1.2.3',
    '1:2',
    ':::',
    '1::2::3',
    'g::',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    '1.2.3.4::',
    '1.2.3.4::5',
  ])
    expect([text, parseIp(text)]).toEqual([text, undefined]);
  const plain = ['::ffff:1.2.3.4', '::FFFF:1.2.3.4', 'fe80::1%eth0', '1.2.3.4', '::ffff:0102:0304'].map(
    plainIp,
  );
  expect(plain).toEqual(['1.2.3.4', '1.2.3.4', 'fe80::1', '1.2.3.4', '::ffff:0102:0304']);
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
  expect(parsePeerAddress(` tcp://${'AB'.repeat(20)}@host:1 `)).toMatchObject({
    value: { id: 'ab'.repeat(20) },
  });
  const named = (chars: number) => parsePeerAddress(`${id(1)}@${'h'.repeat(chars)}:1`).ok;
  expect([253, 254].map(named)).toEqual([true, false]);
  const ports = ['tcp://1.2.3.4:26656', 'tcp://[::1]:65535', 'tcp://h:0', 'tcp://h:65536', 'tcp://h', ''];
  expect(ports.map(portOf)).toEqual([26656, 65535, undefined, undefined, undefined, undefined]);
});
