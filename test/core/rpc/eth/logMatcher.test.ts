import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { equalBytes } from '../../../../core/lib/bytes.ts';
import { CriteriaRoom } from '../../../../core/rpc/eth/criteriaRoom.ts';
import type { LogCriteria } from '../../../../core/rpc/eth/logFilter.ts';
import { LogMatcher } from '../../../../core/rpc/eth/logMatcher.ts';

const { keccak256 } = nobleSuite;
const addressOf = (n: number): Uint8Array => new Uint8Array(20).fill(n);
const topicOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const numbers = (max: number) => fc.array(fc.nat(30), { maxLength: max });

/** Few or many alternatives by position. Many are looked up in another way than few. */
const criteria = fc.record({ addresses: numbers(20), topics: fc.array(numbers(20), { maxLength: 4 }) });
const log = fc.record({ address: fc.nat(30), topics: numbers(4) });

test('a log matches if each position has one of its alternatives, however many there are', () => {
  fc.assert(
    fc.property(criteria, log, (asked, given) => {
      const wanted: LogCriteria = {
        addresses: asked.addresses.map(addressOf),
        topics: asked.topics.map((list) => list.map(topicOf)),
      };
      const made = { address: addressOf(given.address), topics: given.topics.map(topicOf) };
      const has = (list: readonly Uint8Array[], item: Uint8Array | undefined): boolean =>
        item !== undefined && (list.length === 0 || list.some((one) => equalBytes(one, item)));
      const expected =
        has(wanted.addresses, made.address) && wanted.topics.every((list, i) => has(list, made.topics[i]));
      expect(new LogMatcher(wanted, keccak256).matches(made)).toBe(expected);
    }),
  );
});

/** The bloom of the Ethereum yellow paper (section 4.3.1), bit by bit. */
function bloomOf(items: readonly Uint8Array[]): Uint8Array {
  const bloom = new Uint8Array(256);
  for (const item of items) {
    const hash = keccak256(item);
    for (const i of [0, 2, 4]) {
      const bit = (((hash[i] as number) << 8) | (hash[i + 1] as number)) % 2048;
      const at = 255 - Math.floor(bit / 8);
      bloom[at] = (bloom[at] as number) | (1 << (bit % 8));
    }
  }
  return bloom;
}

test('a bloom rules out what no log can match, and nothing else', () => {
  const matcher = new LogMatcher({ addresses: [1, 2].map(addressOf), topics: [[], [topicOf(3)]] }, keccak256);
  expect(matcher.mayMatch(bloomOf([addressOf(2), topicOf(3)]))).toBe(true);
  expect(matcher.mayMatch(bloomOf([addressOf(2), topicOf(4)]))).toBe(false);
  expect(matcher.mayMatch(bloomOf([addressOf(4), topicOf(3)]))).toBe(false);
  expect(new LogMatcher({ addresses: [], topics: [] }, keccak256).mayMatch(bloomOf([]))).toBe(true);
});

test('all filters together hold a limited number of addresses and topics, and a removed filter frees its share', () => {
  const room = new CriteriaRoom(5);
  const three: LogCriteria = { addresses: [addressOf(1)], topics: [[topicOf(1), topicOf(2)]] };
  room.take(three);
  expect(() => room.take(three)).toThrow('max limit of 5 addresses and topics in all filters reached');
  room.take({ addresses: [addressOf(1)], topics: [[], [topicOf(1)]] });
  room.give(three);
  room.take(three);
});
