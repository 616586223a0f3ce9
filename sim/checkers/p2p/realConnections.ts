import { encodeTxsMessage } from '../../../core/codec/messages.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { type Bytes, equalBytes } from '../../../core/lib/bytes.ts';
import { DEFAULT_MEMPOOL } from '../../../core/mempool/config.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import { decodeFrame } from '../../../core/node/ingress.ts';
import { CHANNEL_SPECS, type ChannelSpec } from '../../../core/p2p/channels.ts';
import { nobleAead } from '../../../core/p2p/sealed.ts';
import type { NodeInfo } from '../../../core/types/peer.ts';
import { keyedHashSuite } from '../../keyedHash.ts';
import { type Choose, type EndChange, idOf, Wire } from '../../network/wire.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** A sealed frame on the wire: 4 bytes of length, 1024 of data, 16 of authentication tag. */
const FRAME_BYTES = 1044;
const QUIET_MINUTES = 7;
const MESSAGES = 40;
const VOTE = 0x22;
/** A channel that only Byzantine peers use. */
const STRANGE = 0x77;
/** An id that equals the vote channel if only its low byte is read. */
const WRAPPED = 0x100 + VOTE;
const QUEUE_MAX = 10;
const MESSAGE_BYTES_MAX = 5_000;
const channel = (id: number, messageBytesMax: number): ChannelSpec => ({
  id,
  priority: 5,
  queueMax: QUEUE_MAX,
  messageBytesMax,
});
const SMALL = [channel(VOTE, MESSAGE_BYTES_MAX)];
const LARGE = [channel(VOTE, 2 * MESSAGE_BYTES_MAX), channel(STRANGE, 100), channel(WRAPPED, 100)];
const BLOCKS = 0x40;
const SECOND = 1_000_000;
const WRITE = 8_192;

type Trial = (suite: CryptoSuite, choose: Choose) => string | undefined;

const open = (suite: CryptoSuite, choose: Choose, changes?: readonly [EndChange?, EndChange?]): Wire => {
  const wire = new Wire(suite, choose, changes);
  wire.carry();
  return wire;
};

const filled = (size: number, choose: Choose): Bytes => {
  const seed = choose(256);
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) bytes[i] = i * 7 + seed;
  return bytes;
};

/** Every accepted message arrives once, whole and in the order of its channel, and quiet ends stay connected. */
const carries: Trial = (suite, choose) => {
  const wire = open(suite, choose);
  for (const [end, other] of [
    [0, 2],
    [1, 1],
  ] as const) {
    const [first] = wire.heard[end];
    if (first?.kind !== 'ready' || first.peer !== idOf(suite, other))
      return 'two honest ends do not find each other';
  }
  const sent: { readonly channel: number; readonly bytes: Bytes }[] = [];
  for (let i = 0; i < MESSAGES; i++) {
    const { id, messageBytesMax } = CHANNEL_SPECS[choose(CHANNEL_SPECS.length)] as (typeof CHANNEL_SPECS)[0];
    const size = i === 0 ? 70_000 : [1, 100, 1_023, 1_024, 1_025, 4_096][choose(6)];
    const bytes = filled(Math.min(messageBytesMax, size as number), choose);
    // An equal vote or part that waits would not be queued again.
    bytes[0] = i;
    if (wire.ends[0].send(id, bytes)) sent.push({ channel: id, bytes });
    if (choose(3) === 0) wire.carry();
  }
  wire.carry();
  for (const { id } of CHANNEL_SPECS) {
    const [there, here] = [sent.filter(({ channel }) => channel === id), wire.messages(1)].map((list) =>
      list.filter(({ channel }) => channel === id),
    );
    if (there?.length !== here?.length) return `of ${there?.length} messages ${here?.length} arrive`;
    if (there?.some(({ bytes }, i) => !equalBytes(bytes, here?.[i]?.bytes ?? new Uint8Array(0))))
      return 'a message arrives as another';
  }
  let quietBytes = 0;
  wire.meddle = (bytes) => {
    quietBytes += bytes.length;
    return bytes;
  };
  wire.pass(QUIET_MINUTES * 60 * SECOND);
  if (wire.isClosed(0) || wire.isClosed(1)) return 'two quiet ends lose each other';
  // Each end pings the other once a minute and gets a pong.
  if (quietBytes > 4 * QUIET_MINUTES * FRAME_BYTES)
    return `two quiet ends tell each other ${quietBytes} bytes`;
  const busy = wire.ends[0].channelStates.find(({ recentlySent }) => recentlySent > 0);
  return busy && `${busy.recentlySent} bytes were sent just now, after minutes of silence`;
};

/** A silent peer is dropped, but not before it had time to answer. */
const letsGo: Trial = (suite, choose) => {
  // With so few frames, the real cipher is affordable.
  const sealed: EndChange = { aead: nobleAead };
  const wire = open(suite, choose, [sealed, sealed]);
  wire.meddle = (bytes, fromFirst) => (fromFirst ? bytes : new Uint8Array(0));
  wire.pass(100 * SECOND);
  if (wire.isClosed(0)) return 'a silent peer is let go before its time';
  wire.pass(15 * SECOND);
  return wire.isClosed(0) ? undefined : 'a silent peer is never let go';
};

/** A handshake ends if nobody answers it, or an echo or a low-order key does. */
const doubts: Trial = (suite, choose) => {
  const mute = new Wire(suite, choose);
  mute.meddle = () => new Uint8Array(0);
  mute.pass(5 * SECOND);
  if (!mute.isClosed(0)) return 'a handshake lasts for ever';
  const [echo, low] = [new Wire(suite, choose).ends[0], new Wire(suite, choose).ends[0]];
  echo.onBytes(0, echo.take(0, WRITE) ?? new Uint8Array(0));
  if (!echo.events().some(({ kind }) => kind === 'closed')) return 'an echo is taken for a peer';
  low.onBytes(0, Uint8Array.of(34, 10, 32, ...new Uint8Array(32)));
  return low.events().some(({ kind }) => kind === 'closed') ? undefined : 'a key of low order is taken';
};

/** Names that almost equal our chain's, `chain_9000-1`. */
const OTHER_CHAINS = ['chain_9001-1', 'chain_9000-10', 'chain_9000-', 'xchain_9000-1', 'Chain_9000-1', ''];
/** Node infos that are invalid. */
const NOBODY: readonly Partial<NodeInfo>[] = [
  { channels: new Uint8Array(0) },
  { channels: Uint8Array.of(VOTE, BLOCKS, VOTE) },
  { channels: Uint8Array.from({ length: 17 }, (_, i) => VOTE + i) },
  { moniker: ' ' },
  { moniker: 'n\u00f6de' },
  { version: '0.38\n' },
  { other: { txIndex: 'ON', rpcAddress: '' } },
  { other: { txIndex: 'on', rpcAddress: 'tcp://\u0000' } },
];
/** Node infos that differ from ours and are valid. */
const OTHERS: readonly Partial<NodeInfo>[] = [
  { protocol: { p2p: 7, block: 11, app: 5 }, moniker: 'node1', version: '' },
  { channels: Uint8Array.of(STRANGE, VOTE), listenAddress: '', other: { txIndex: '', rpcAddress: 'x' } },
  {
    channels: Uint8Array.from({ length: 16 }, (_, i) => VOTE + i),
    other: { txIndex: 'off', rpcAddress: '' },
  },
];

/**
 * An end accepts only the peer that it dialled, and only peers of its chain and protocol with a common channel. Other
 * differences are accepted.
 */
const asksWho: Trial = (real, choose) => {
  // With real signatures, so many handshakes would take longer than a short run.
  const suite = keyedHashSuite(real);
  const second = idOf(suite, 2);
  const lies: readonly (readonly [EndChange, EndChange?])[] = [
    [{ expectedId: idOf(suite, 3) }],
    [{ expectedId: `${second.slice(0, -1)}${second.endsWith('0') ? '1' : '0'}` }],
    [{ expectedId: second.slice(0, -1) }],
    ...OTHER_CHAINS.map((network) => [{}, { self: { network } }] as const),
    ...NOBODY.map((self) => [{}, { self }] as const),
    [{}, { self: { protocol: { p2p: 8, block: 10, app: 0 } } }],
    [{}, { self: { protocol: { p2p: 8, block: 12, app: 0 } } }],
    [{}, { self: { channels: Uint8Array.of(0x77) } }],
    [{}, { self: { id: idOf(suite, 1) } }],
    [{}, { self: { id: idOf(suite, 3) } }],
    [{}, { suite: { ...suite, ed25519Sign: () => new Uint8Array(64) } }],
    [{}, { nodeSeed: new Uint8Array(32).fill(1), self: { id: idOf(suite, 1) } }],
  ];
  for (const [i, changes] of lies.entries()) {
    const wire = open(suite, choose, changes);
    if (wire.isReady(0) || !wire.isClosed(0)) return `a stranger is taken for a peer (${i})`;
  }
  for (const self of OTHERS)
    if (!open(suite, choose, [{}, { self }]).isReady(0)) return `a peer is refused: ${self.channels}`;
  const asked = open(suite, choose, [{ expectedId: second }]);
  return asked.isReady(0) && asked.isReady(1) ? undefined : 'who was asked for is refused';
};

/** If anybody tampers with the stream, the connection ends and nothing tampered with is heard. */
const isSealed: Trial = (suite, choose) => {
  const touches: readonly ((bytes: Bytes) => Bytes)[] = [
    (bytes) => bytes.map((byte, i) => (i === choose(bytes.length) || i === 9 ? byte ^ 1 : byte)),
    (bytes) => Uint8Array.from([...bytes.subarray(0, FRAME_BYTES), ...bytes]),
    (bytes) => bytes.slice(FRAME_BYTES),
    (bytes) => Uint8Array.from([...bytes.subarray(FRAME_BYTES), ...bytes.subarray(0, FRAME_BYTES)]),
  ];
  for (const [i, touch] of touches.entries()) {
    const wire = open(suite, choose);
    let touched = false;
    wire.meddle = (bytes, fromFirst) => {
      if (!fromFirst || touched || bytes.length < 3 * FRAME_BYTES) return bytes;
      touched = true;
      return touch(bytes);
    };
    for (let n = 0; n < 8; n++) wire.ends[0].send(VOTE, filled(900 + n, choose));
    wire.ends[0].send(BLOCKS, filled(30_000, choose));
    wire.carry();
    if (touched && !wire.isClosed(1)) return `a stream that was touched is heard (${i})`;
  }
  const again = open(suite, choose);
  again.meddle = (bytes, fromFirst) => (fromFirst ? Uint8Array.from([...bytes, ...bytes]) : bytes);
  again.ends[0].send(VOTE, filled(100, choose));
  again.carry();
  return again.isClosed(1) ? undefined : 'what was recorded is heard again';
};

/** Both ends limit messages: too many or too large ones are not sent, and an end that sends them is dropped. */
const isBounded: Trial = (suite, choose) => {
  const small: EndChange = { channels: SMALL };
  const full = open(suite, choose, [small, small]);
  let taken = 0;
  while (taken <= QUEUE_MAX && full.ends[0].send(VOTE, Uint8Array.of(1))) taken++;
  if (taken !== QUEUE_MAX) return `${taken} messages wait, at most ${QUEUE_MAX} may`;
  for (const [channel, size] of [
    [STRANGE, 1],
    [WRAPPED, 1],
    [VOTE, MESSAGE_BYTES_MAX + 1],
  ] as const) {
    const wire = open(suite, choose, [{ channels: LARGE }, small]);
    wire.ends[0].send(channel, new Uint8Array(size));
    wire.carry();
    if (!wire.isClosed(1) || wire.messages(1).length > 0)
      return `${size} bytes on channel ${channel} are taken`;
  }
  const most = open(suite, choose, [small, small]);
  most.ends[0].send(VOTE, new Uint8Array(MESSAGE_BYTES_MAX));
  most.carry();
  if (most.messages(1).length !== 1) return 'the largest message does not arrive';
  return givesBack(suite, choose) ?? fits(suite, choose);
};

/**
 * The bytes that wait for a peer are limited. What has left makes room again, and one larger message may wait alone.
 */
const givesBack: Trial = (suite, choose) => {
  const few: EndChange = { channels: SMALL, queuedBytesMax: 3 * MESSAGE_BYTES_MAX };
  const wire = open(suite, choose, [few, { channels: SMALL }]);
  for (let turn = 0; turn < 3; turn++) {
    let taken = 0;
    while (taken < QUEUE_MAX && wire.ends[0].send(VOTE, filled(MESSAGE_BYTES_MAX, choose))) taken++;
    if (taken !== 3) return `${taken} large messages wait after ${turn} turns, 3 may`;
    wire.carry();
  }
  const narrow = open(suite, choose, [{ ...few, queuedBytesMax: 10 }, { channels: SMALL }]);
  return narrow.ends[0].send(VOTE, new Uint8Array(100)) ? undefined : 'nothing may wait alone';
};

/**
 * The largest transaction that a pool takes, and a full message of several, arrive and can be read. A larger message
 * cannot.
 */
const fits: Trial = (suite, choose) => {
  const { messageBytesMax } = CHANNEL_SPECS.find(({ id }) => id === CHANNELS.mempool) as ChannelSpec;
  const { txBytesMax } = DEFAULT_MEMPOOL;
  const largest = filled(txBytesMax, choose);
  // The length prefixes take the same number of bytes wherever the total is split.
  const [first, rest] = [largest.subarray(200_000), largest.subarray(0, 100_000)];
  const room = messageBytesMax - encodeTxsMessage({ txs: [first, rest] }).length;
  const full = [first, largest.subarray(0, rest.length + room)];
  const wire = open(suite, choose);
  wire.ends[0].send(CHANNELS.mempool, encodeTxsMessage({ txs: [largest] }));
  wire.carry();
  const frames = [wire.messages(1)[0]?.bytes, encodeTxsMessage({ txs: full })];
  for (const bytes of frames) {
    const read = bytes && decodeFrame(CHANNELS.mempool, bytes);
    if (read?.ok !== true) return `a full message is not read: ${read?.error ?? 'it did not come'}`;
  }
  const more = encodeTxsMessage({ txs: [first, largest.subarray(0, rest.length + room + 1)] });
  return decodeFrame(CHANNELS.mempool, more).ok ? `${more.length} bytes of transactions are read` : undefined;
};

const RATE = 20_000;
/** A vote does not wait for blocks ahead of it, and rates hold in both directions, however long the silence before. */
const isFair: Trial = (suite, choose) => {
  const wire = open(suite, choose, [{ sendRate: RATE }]);
  const [first] = wire.ends;
  wire.now += 30 * SECOND;
  first.send(BLOCKS, new Uint8Array(400_000));
  let bytes = 0;
  let voteAt = -1;
  for (let ms = 0; ms < 3_000; ms += 50) {
    wire.now += 50_000;
    if (ms === 1_000) first.send(VOTE, new Uint8Array(500));
    for (let out = first.take(wire.now, 4_096); out !== undefined; out = first.take(wire.now, 4_096)) {
      bytes += out.length;
      wire.ends[1].onBytes(wire.now, out);
    }
    if (voteAt < 0 && wire.ends[1].events().some((one) => one.kind === 'message' && one.channel === VOTE))
      voteAt = ms;
  }
  // A second's worth may leave at once. A packet that leaves alone takes two frames.
  if (bytes > 9 * RATE || bytes < 2 * RATE) return `${bytes} bytes leave in 3 s at ${RATE} a second`;
  if (voteAt < 0 || voteAt > 1_200) return 'a vote waits for the blocks before it';
  const fast = open(suite, choose, [{}, { receiveRate: RATE }]);
  fast.now += 30 * SECOND;
  fast.ends[0].send(BLOCKS, new Uint8Array(3 * RATE));
  fast.carry();
  const pause = fast.ends[1].readPauseMicros(fast.now);
  // A second's worth is free. Here, too, packets that leave alone take two frames.
  return pause >= 2 * SECOND && pause < 6 * SECOND
    ? undefined
    : `reads on after ${pause} µs at ${RATE} a second`;
};

const TRIALS: readonly Trial[] = [carries, letsGo, doubts, asksWho, isSealed, isBounded, isFair];

/**
 * Tests the connections of a real node, which the simulated network replaces: at the end of a run one property is
 * tried, over streams cut at random.
 */
export function realConnections(context: CheckerContext): Checker {
  const name = 'conduct';
  return {
    name,
    finish() {
      const dice = context.world.choices.stream(`wires/${context.scenario.name}`);
      const choose: Choose = (n) => dice.choose(n);
      const trial = TRIALS[choose(TRIALS.length)] as Trial;
      const problem = trial(context.suite, choose);
      if (problem !== undefined) context.fail(name, `on the wire ${problem}`);
    },
  };
}
