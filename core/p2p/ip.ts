/** IP addresses as text: enough to group them and to tell which can be reached from everywhere. */
import type { Bytes } from '../lib/bytes.ts';

function parseV4(text: string): Bytes | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const numbers = match.slice(1).map(Number);
  return numbers.every((n) => n <= 255) ? Uint8Array.from(numbers) : undefined;
}

const V6_WORDS = 8;

/** @param isEnd These are the last words of the address, of which two may be written as a v4 address. */
function wordsOf(text: string, isEnd: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const words: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    const v4 = isEnd && i === parts.length - 1 && part.includes('.') ? parseV4(part) : undefined;
    if (v4 !== undefined) {
      words.push(((v4[0] as number) << 8) | (v4[1] as number), ((v4[2] as number) << 8) | (v4[3] as number));
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) words.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return words.length > V6_WORDS ? undefined : words;
}

function parseV6(text: string): Bytes | undefined {
  if (text.length > 45) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = wordsOf(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 2 ? wordsOf(halves[1] ?? '', true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const gap = V6_WORDS - head.length - tail.length;
  if (halves.length === 2 ? gap < 1 : gap !== 0) return undefined;
  const bytes = new Uint8Array(16);
  const words = [...head, ...Array.from({ length: gap }, () => 0), ...tail];
  for (const [i, word] of words.entries()) {
    bytes[2 * i] = word >> 8;
    bytes[2 * i + 1] = word & 0xff;
  }
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
  return isMapped ? bytes.slice(12) : bytes;
}

/** 4 or 16 bytes; undefined if the text is no IP. A v4 address mapped into v6 (`::ffff:1.2.3.4`) counts as v4. */
export const parseIp = (text: string): Bytes | undefined => parseV4(text) ?? parseV6(text);

/** Gives an address one spelling: sockets show a v4 peer also as mapped v6, and v6 addresses with a zone. */
export const plainIp = (text: string): string => text.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');

/** v4 networks that are private, local or reserved (RFC 1918, 3927, 5737, 6598, 1122, 5771). */
const RESERVED_V4: readonly (readonly [network: number, bits: number])[] = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000200, 24],
  [0xc0a80000, 16],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 3],
];

function isRoutableV4(ip: Bytes): boolean {
  const value = new DataView(ip.buffer, ip.byteOffset).getUint32(0);
  return RESERVED_V4.every(([network, bits]) => value >>> (32 - bits) !== network >>> (32 - bits));
}

/** Global unicast (2000::/3) without the documentation prefix (RFC 3849). */
const isRoutableV6 = (ip: Bytes): boolean =>
  (ip[0] as number) >> 5 === 1 && !(ip[0] === 0x20 && ip[1] === 0x01 && ip[2] === 0x0d && ip[3] === 0xb8);

/** Whether the address can be dialled from everywhere. A strict address book keeps no others. */
export const isRoutable = (ip: Bytes): boolean => (ip.length === 4 ? isRoutableV4(ip) : isRoutableV6(ip));

/** Nodes of one group likely have one operator: /16 of v4, /32 of v6, and one group for all that is not routable. */
export function groupOf(ip: Bytes): string {
  if (!isRoutable(ip)) return 'local';
  return ip.length === 4 ? `${ip[0]}.${ip[1]}` : [...ip.subarray(0, 4)].join(':');
}
