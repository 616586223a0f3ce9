/** Nodes that abuse the exchange of addresses. */
import { repeated } from '../../core/codec/fields.ts';
import { oneOf } from '../../core/codec/oneOf.ts';
import { encode, table } from '../../core/codec/proto.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import {
  decodePexMessage,
  encodePexMessage,
  NET_ADDRESS,
  type NetAddress,
} from '../../core/p2p/pexMessages.ts';
import type { PeerId } from '../../core/types/ids.ts';
import type { PexLie } from '../scenario/scenario.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { P2P_PORT } from './addresses.ts';

export interface PexLies {
  /** What the liar sends first on each connection. */
  greeting(): readonly Bytes[];
  /** What the liar sends instead of this message. */
  instead(bytes: Bytes): readonly Bytes[] | undefined;
}

/** As many addresses as an answer may hold. */
const ADDRESSES = 250;
/** Requests at once. A node takes two without a pause between them. */
const ASKS = 4;
/** Addresses that cannot be reached from everywhere begin like this (RFC 1122, 1918, 3849, 3927, 4193, 6598). */
const NOT_ROUTABLE = [
  '10.0.0.',
  '127.0.0.',
  '192.168.1.',
  '172.16.0.',
  '169.254.1.',
  '100.64.0.',
  'fd00::',
  '2001:db8::',
];

/** Encodes an answer, with room for one address more than an answer may hold. */
const ROOMY = oneOf<{ readonly kind: 'addresses'; readonly addresses: readonly NetAddress[] }>('Message', [
  [
    2,
    'addresses',
    table('PexAddrs', [repeated(1, 'addresses', NET_ADDRESS, ADDRESSES + 1, { name: 'addrs' })], {
      kind: 'addresses',
    }),
  ],
]);

/** `others`: ids of all nodes but the liar. */
export function liesOf(
  lie: PexLie | undefined,
  dice: ChoiceStream,
  others: readonly PeerId[],
): PexLies | undefined {
  const say = (addresses: readonly NetAddress[]): Bytes => encode(ROOMY, { kind: 'addresses', addresses });
  const many = (count: number, one: (i: number) => NetAddress): Bytes =>
    say(Array.from({ length: count }, (_, i) => one(i)));
  const answering = (...answers: readonly (() => Bytes)[]): PexLies => ({
    greeting: () => [],
    instead: (bytes) => {
      const message = decodePexMessage(bytes);
      const isAnswer = message.ok && message.value.kind === 'addresses';
      return isAnswer ? answers.map((answer) => answer()) : undefined;
    },
  });
  const greeting = (...words: readonly (() => Bytes)[]): PexLies => ({
    greeting: () => words.map((word) => word()),
    instead: () => undefined,
  });
  /** An address without a node: every dial to it fails. */
  const nobody = (): NetAddress => ({ id: idByLot(dice), ip: emptyIp(dice), port: P2P_PORT });
  switch (lie) {
    case undefined:
      return undefined;
    case 'unasked':
      return greeting(() => many(ADDRESSES, nobody));
    case 'asks':
      return greeting(...Array.from({ length: ASKS }, () => () => encodePexMessage({ kind: 'request' })));
    case 'nonsense':
      return greeting(() => Uint8Array.of(0xff, dice.choose(256), dice.choose(256)));
    case 'nowhere':
      return answering(() => many(ADDRESSES, nobody));
    case 'twice':
      return answering(
        () => many(1, nobody),
        () => many(ADDRESSES, nobody),
      );
    case 'more':
      return answering(() => many(ADDRESSES + 1, nobody));
    case 'moved':
      return answering(() => say(others.map((id) => ({ ...nobody(), id }))));
    case 'crowd':
      return answering(() => many(ADDRESSES, (i) => ({ ...nobody(), ip: `20.20.${i}.1` })));
    case 'inner':
      return answering(() =>
        many(NOT_ROUTABLE.length, (i) => ({ ...nobody(), ip: `${NOT_ROUTABLE[i] as string}1` })),
      );
    case 'none':
      return answering(() => say([misprinted(nobody(), dice)]));
    default:
      return lie satisfies never;
  }
}

const idByLot = (dice: ChoiceStream): PeerId =>
  Array.from({ length: 40 }, () => dice.choose(16).toString(16)).join('');

const emptyIp = (dice: ChoiceStream): string =>
  `${20 + dice.choose(50)}.${dice.choose(256)}.${dice.choose(256)}.1`;

/** An address that no node can have. */
function misprinted(address: NetAddress, dice: ChoiceStream): NetAddress {
  const wrongs: readonly Partial<NetAddress>[] = [
    { id: address.id.slice(1) },
    { ip: 'example.org' },
    { ip: `${address.ip}.1` },
    { port: 0 },
    { port: 65_536 },
  ];
  return { ...address, ...wrongs[dice.choose(wrongs.length)] };
}
