import { describe, expect, test } from 'vitest';
import { present } from '../../../core/lib/assert.ts';
import type { LinkId } from '../../../core/p2p/links.ts';
import { Peers } from '../../../core/p2p/peers.ts';
import type { PeersConfig, PeersOut } from '../../../core/p2p/peersContract.ts';
import { Pex } from '../../../core/p2p/pex.ts';
import { decodePexMessage, encodePexMessage } from '../../../core/p2p/pexMessages.ts';
import type { NodeInfo } from '../../../core/types/peer.ts';

const SECOND = 1_000_000;
const START = 1_000 * SECOND;
const id = (n: number): string => n.toString(16).padStart(40, '0');
const SELF = id(0x50);
const address = (n: number, host = `8.8.${n}.1`) => ({ id: id(n), host, port: 26656 });

const info = (n: number): NodeInfo => ({
  protocol: { p2p: 8, block: 11, app: 0 },
  id: id(n),
  listenAddress: 'tcp://0.0.0.0:26656',
  network: 'chain_9000-1',
  version: '1',
  channels: new Uint8Array([0x20]),
  moniker: `n${n}`,
  other: { txIndex: 'on', rpcAddress: '' },
});

const CONFIG: PeersConfig = {
  self: SELF,
  persistent: [],
  seeds: [],
  inboundMax: 2,
  outboundMax: 2,
  unconditional: new Set(),
  privateIds: new Set(),
  allowDuplicateIp: true,
  isStrict: false,
  pex: false,
  seedMode: false,
  persistentDialMsMax: 0,
};

/** The machine with a memory of what it asked for, one line each. */
class Desk {
  readonly peers: Peers;
  readonly said: string[] = [];
  readonly pexSent: { link: LinkId; bytes: Uint8Array }[] = [];
  readonly dials = new Map<string, LinkId>();
  now = START;
  readonly out: PeersOut = {
    dial: (link, to) => {
      this.dials.set(to.id, link);
      this.said.push(`dial ${to.id.slice(-2)}`);
    },
    close: (link, reason) => this.said.push(`close ${link}: ${reason}`),
    up: (peer) => this.said.push(`up ${peer.slice(-2)}`),
    down: (peer) => this.said.push(`down ${peer.slice(-2)}`),
    sendPex: (link, bytes) => this.pexSent.push({ link, bytes }),
    note: () => {},
  };

  constructor(config: Partial<PeersConfig> = {}) {
    this.peers = new Peers({ ...CONFIG, ...config }, (n) => Math.floor(n / 2));
  }

  time(seconds: number): this {
    this.now += seconds * SECOND;
    this.peers.onTime(this.now, this.out);
    return this;
  }

  inbound(n: number, ip = `8.8.${n}.1`): LinkId {
    const link = this.peers.onInbound(this.now, ip, this.out);
    if (!link.ok) throw new Error(link.error);
    this.peers.onReady(this.now, link.value, id(n), info(n), this.out);
    return link.value;
  }

  outbound(n: number): LinkId {
    const link = present(this.dials.get(id(n)), 'not dialled');
    this.peers.onReady(this.now, link, id(n), info(n), this.out);
    return link;
  }

  take(): string[] {
    return this.said.splice(0);
  }
}

describe('persistent peers', () => {
  test('are dialled at once, and after a failure with growing waits up to half a minute', () => {
    const desk = new Desk({ persistent: [address(1)] });
    desk.time(0);
    expect(desk.take()).toEqual(['dial 01']);
    const waits: number[] = [];
    for (let i = 0; i < 10; i++) {
      desk.peers.onEnded(desk.now, present(desk.dials.get(id(1)), 'link'), 'refused', false, desk.out);
      const before = desk.now;
      while (desk.take().length === 0) desk.time(0.25);
      waits.push((desk.now - before) / SECOND);
    }
    expect(waits.every((wait, i) => i === 0 || wait >= (waits[i - 1] as number) - 0.25)).toBe(true);
    expect(Math.max(...waits)).toBeGreaterThan(15);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30.25);
  });

  test.each([START, 0])(
    'are not dialled while they are connected, since %i, and soon after they leave',
    (now) => {
      const desk = new Desk({ persistent: [address(1)] });
      desk.now = now;
      const link = desk.inbound(1);
      desk.take();
      desk.time(20);
      expect(desk.take()).toEqual([]);
      desk.peers.onEnded(desk.now, link, 'ECONNRESET', false, desk.out);
      desk.time(0.5);
      expect(desk.take()).toEqual(['down 01', 'dial 01']);
    },
  );

  test('do not count against limits, as unconditional ones do not', () => {
    const desk = new Desk({ persistent: [address(1)], unconditional: new Set([id(2)]), inboundMax: 1 });
    for (const n of [1, 2, 3]) desk.inbound(n);
    const fourth = desk.inbound(4);
    expect(desk.take()).toEqual([
      'up 01',
      'up 02',
      'up 03',
      `close ${fourth}: there are 1 inbound peers already`,
    ]);
  });
});

describe('peers that an operator names while the node runs', () => {
  const MANNER = { persistent: false, unconditional: false, isPrivate: false };

  test('are dialled at once, but not those that are connected, or this node itself', () => {
    const desk = new Desk();
    desk.inbound(1);
    desk.take();
    const peers = [address(1), address(2), { ...address(3), id: SELF }];
    expect(desk.peers.dialNow(desk.now, { peers, ...MANNER }, desk.out).ok).toBe(true);
    expect(desk.take()).toEqual(['dial 02']);
  });

  test('are dialled again only if they are persistent', () => {
    for (const persistent of [true, false]) {
      const desk = new Desk();
      desk.peers.dialNow(desk.now, { peers: [address(1)], ...MANNER, persistent }, desk.out);
      desk.peers.onEnded(desk.now, desk.outbound(1), 'ECONNRESET', false, desk.out);
      desk.take();
      desk.time(60);
      expect(desk.take()).toEqual(persistent ? ['dial 01'] : []);
    }
  });

  test('are not kept out by limits if they are unconditional', () => {
    const desk = new Desk({ inboundMax: 0 });
    desk.peers.dialNow(desk.now, { peers: [address(1)], ...MANNER, unconditional: true }, desk.out);
    desk.peers.onEnded(desk.now, present(desk.dials.get(id(1)), 'link'), 'refused', false, desk.out);
    desk.take();
    desk.inbound(1);
    expect(desk.take()).toEqual(['up 01']);
  });

  test('are not told to others if they are private', () => {
    const desk = new Desk({ pex: true });
    desk.peers.dialNow(desk.now, { peers: [address(1)], ...MANNER, isPrivate: true }, desk.out);
    expect(desk.peers.book.add(address(1), SELF)).toEqual({ ok: false, error: 'is private' });
  });

  test('are bounded in number', () => {
    const desk = new Desk();
    const peers = Array.from({ length: 1001 }, (_, n) => ({ ...address(1), id: id(n + 1000) }));
    expect(desk.peers.dialNow(desk.now, { peers, ...MANNER }, desk.out).ok).toBe(false);
    expect(desk.take()).toEqual([]);
  });
});

describe('two connections to one peer', () => {
  test.each([
    [0x01, 'the one the peer dialled when its id is lower', 'inbound'],
    [0x99, 'the one we dialled when ours is lower', 'outbound'],
  ])('that cross: %i keeps %s', (n, _, kept) => {
    for (const order of [
      ['in', 'out'],
      ['out', 'in'],
    ]) {
      const desk = new Desk({ persistent: [address(n)] });
      desk.time(0);
      for (const which of order) {
        if (which === 'in') desk.inbound(n);
        else desk.outbound(n);
      }
      expect(desk.peers.connected().map((link) => link.direction)).toEqual([kept]);
    }
  });

  test('a second one that the same end has dialled is refused however young the first is', () => {
    const desk = new Desk();
    desk.inbound(1);
    desk.now += SECOND;
    const second = desk.inbound(1);
    expect(desk.take()).toEqual(['up 01', `close ${second}: is connected already`]);
  });

  test('a second one is refused while the first is alive, and replaces it when nothing is heard there', () => {
    const desk = new Desk();
    const first = desk.inbound(1);
    desk.now += 4 * SECOND;
    desk.peers.onHeard(desk.now, first);
    desk.now += 4 * SECOND;
    const second = desk.inbound(1);
    expect(desk.take()).toEqual(['up 01', `close ${second}: is connected already`]);
    desk.now += 5 * SECOND;
    desk.inbound(1);
    expect(desk.take()).toEqual([`close ${first}: replaced by a newer connection`, 'down 01', 'up 01']);
  });

  test('one that crosses our own dial is refused if the inbound limit is reached', () => {
    for (const inboundMax of [2, 3]) {
      const desk = new Desk({ inboundMax });
      const manner = { persistent: false, unconditional: false, isPrivate: false };
      desk.peers.dialNow(desk.now, { peers: [address(1)], ...manner }, desk.out);
      desk.outbound(1);
      for (const caller of [2, 3, 1]) desk.inbound(caller);
      const up = desk.peers.connected();
      expect(up.map(({ peer }) => peer)).toEqual([id(1), id(2), id(3)]);
      expect(up.filter(({ direction }) => direction === 'inbound')).toHaveLength(inboundMax);
    }
  });

  test('from one IP are refused unless allowed', () => {
    const desk = new Desk({ allowDuplicateIp: false });
    desk.inbound(1, '::ffff:9.9.9.9');
    const other = desk.inbound(2, '9.9.9.9');
    expect(desk.take()).toEqual(['up 01', `close ${other}: another peer has 9.9.9.9`]);
  });

  test('this node does not connect to itself', () => {
    const desk = new Desk({ persistent: [{ ...address(1), id: SELF }] });
    desk.time(0);
    const link = desk.inbound(0x50);
    expect(desk.take()).toEqual([`close ${link}: is this node itself`]);
  });
});

describe('faults', () => {
  test('drop the peer, and the third within the hour bans it for ten minutes', () => {
    const desk = new Desk();
    for (let i = 0; i < 3; i++) {
      desk.inbound(1);
      desk.peers.onDrop(desk.now, id(1), 'bad block part', desk.out);
      desk.now += SECOND;
    }
    expect(desk.peers.bans(desk.now)).toMatchObject([{ peer: id(1), reason: 'bad block part' }]);
    desk.take();
    const refused = desk.inbound(1);
    expect(desk.take()).toEqual([`close ${refused}: is banned: bad block part`]);
    desk.now += 600 * SECOND;
    expect(desk.peers.bans(desk.now)).toEqual([]);
    desk.inbound(1);
    expect(desk.take()).toEqual(['up 01']);
  });

  test('of one peer do not affect another at the same IP', () => {
    const desk = new Desk();
    desk.inbound(1, '7.7.7.7');
    for (let i = 0; i < 3; i++) {
      desk.inbound(2, '7.7.7.7');
      desk.peers.onDrop(desk.now, id(2), 'garbage', desk.out);
    }
    expect(desk.peers.connected().map((link) => link.peer)).toEqual([id(1)]);
  });

  test('are forgiven with time, and ban a persistent peer for a minute at most', () => {
    const desk = new Desk({ persistent: [address(1)] });
    for (let i = 0; i < 3; i++) {
      desk.inbound(1);
      desk.peers.onDrop(desk.now, id(1), 'odd', desk.out);
    }
    const [ban] = desk.peers.bans(desk.now);
    expect(present(ban, 'ban').until - desk.now).toBe(60 * SECOND);
    const patient = new Desk();
    for (let i = 0; i < 10; i++) {
      patient.inbound(1);
      patient.peers.onDrop(patient.now, id(1), 'odd', patient.out);
      expect(patient.peers.bans(patient.now)).toEqual([]);
      patient.now += 3600 * SECOND;
    }
  });

  test('of a peer that the operator names later ban it for at most a minute', () => {
    const desk = new Desk({ pex: true });
    const unasked = encodePexMessage({ kind: 'addresses', addresses: [] });
    desk.peers.onPex(desk.now, desk.inbound(1), unasked, desk.out);
    expect(present(desk.peers.bans(desk.now)[0], 'ban').until - desk.now).toBe(24 * 3600 * SECOND);
    desk.time(0).take();
    const order = { persistent: true, unconditional: false, isPrivate: false };
    expect(desk.peers.dialNow(desk.now, { peers: [address(1)], ...order }, desk.out).ok).toBe(true);
    expect(desk.take()).toEqual([]);
    expect(desk.peers.wakeAt()).toBeGreaterThan(desk.now);
    desk.time(59);
    expect(desk.take()).toEqual([]);
    desk.time(1);
    expect(desk.take()).toEqual(['dial 01']);
  });

  test('a connection that ends without a fault does not lower the score', () => {
    const desk = new Desk();
    for (let i = 0; i < 50; i++) desk.peers.onEnded(desk.now, desk.inbound(1), 'ECONNRESET', false, desk.out);
    expect(desk.peers.standings.score(desk.now, id(1))).toBe(100);
  });
});

test('with too many handshakes, the IP that has most of them loses one', () => {
  const desk = new Desk();
  for (let i = 0; i < 64; i++) expect(desk.peers.onInbound(desk.now, '6.6.6.6', desk.out).ok).toBe(true);
  expect(desk.peers.onInbound(desk.now, '5.5.5.5', desk.out).ok).toBe(true);
  expect(desk.take()).toEqual(['close 1: gives way to a newer connection']);
});

test('with too many handshakes, each from another IP, a newer one is refused, and those of a pair are not', () => {
  for (const [ips, answer] of [
    [64, { ok: false, error: 'too many handshakes are under way' }],
    [63, { ok: true }],
    [32, { ok: true }],
  ] as const) {
    const desk = new Desk();
    const open = (n: number, ip: string) => desk.peers.onInbound(desk.now + n, ip, desk.out);
    for (let i = 0; i < 64; i++) expect(open(i, `6.6.${i % ips}.1`).ok, `${ips} ${i}`).toBe(true);
    expect(open(64, '5.5.5.5')).toMatchObject(answer);
    expect(desk.take()).toEqual(answer.ok ? ['close 1: gives way to a newer connection'] : []);
  }
});

test('an inbound peer is added to the book under its public listen address, or else under its remote IP', () => {
  const desk = new Desk({ pex: true, inboundMax: 9 });
  const known = (n: number, listenAddress: string) => {
    const link = desk.peers.onInbound(desk.now, `7.7.${n}.1`, desk.out);
    if (!link.ok) throw new Error(link.error);
    desk.peers.onReady(desk.now, link.value, id(n), { ...info(n), listenAddress }, desk.out);
    const { host, port } = desk.peers.book.entries().find((one) => one.address.id === id(n))?.address ?? {};
    return `${host} ${port}`;
  };
  expect(known(1, 'tcp://9.9.9.9:26700')).toBe('9.9.9.9 26700');
  expect(known(2, 'tcp://[2a00::9]:26700')).toBe('2a00::9 26700');
  expect(known(3, 'tcp://0.0.0.0:26700')).toBe('7.7.3.1 26700');
  expect(known(4, 'tcp://10.0.0.1:26700')).toBe('7.7.4.1 26700');
  expect(known(5, 'tcp://node.example:26700')).toBe('7.7.5.1 26700');
});

describe('the exchange of addresses', () => {
  const NOBODY = { persistent: false, unconditional: false, isPrivate: false };
  const request = encodePexMessage({ kind: 'request' });
  const tell = (...ns: number[]): Uint8Array =>
    encodePexMessage({
      kind: 'addresses',
      addresses: ns.map((n) => ({ id: id(n), ip: `8.${n}.1.1`, port: 26656 })),
    });

  test('does not dial a persistent peer before its backoff ends', () => {
    const desk = new Desk({ pex: true, persistent: [address(1)] });
    desk.time(0);
    desk.peers.onEnded(desk.now, present(desk.dials.get(id(1)), 'link'), 'refused', false, desk.out);
    desk.peers.dialNow(desk.now, { ...NOBODY, peers: [address(2)] }, desk.out);
    const link = desk.outbound(2);
    desk.take();
    desk.peers.onPex(desk.now, link, tell(1), desk.out);
    desk.time(0.1);
    expect(desk.take()).toEqual([]);
  });

  test('asks a dialled peer for addresses, dials those, and passes them on', () => {
    const desk = new Desk({ pex: true, seeds: [address(1)] });
    desk.time(0);
    const link = desk.outbound(1);
    expect(desk.pexSent.map(({ bytes }) => decodePexMessage(bytes))).toMatchObject([
      { ok: true, value: { kind: 'request' } },
    ]);
    desk.peers.onPex(desk.now, link, tell(7, 8, 9), desk.out);
    desk.time(1);
    expect(desk.take().filter((line) => line.startsWith('dial'))).toHaveLength(2);
    const asker = desk.inbound(2);
    desk.pexSent.length = 0;
    desk.peers.onPex(desk.now, asker, request, desk.out);
    const answer = decodePexMessage(present(desk.pexSent[0], 'answer').bytes);
    expect(answer).toMatchObject({ ok: true, value: { kind: 'addresses' } });
    if (answer.ok && answer.value.kind === 'addresses')
      expect(answer.value.addresses.map((one) => one.id).sort()).toEqual([1, 2, 7, 8, 9].map(id));
  });

  test('asks a seed again when no peer is connected and no address is due', () => {
    const desk = new Desk({ pex: true, seeds: [address(1)] });
    desk.time(0);
    const seed = desk.outbound(1);
    desk.peers.onPex(desk.now, seed, tell(7), desk.out);
    desk.time(31);
    const known = desk.outbound(7);
    desk.time(31);
    for (const link of [seed, known]) desk.peers.onEnded(desk.now, link, 'ECONNRESET', false, desk.out);
    desk.take();
    const dialled: string[] = [];
    for (let second = 0; second < 600; second++) {
      for (const line of desk.time(1).take()) {
        dialled.push(line);
        const link = present(desk.dials.get(id(Number(line.slice(-2)))), 'link');
        desk.peers.onEnded(desk.now, link, 'ECONNREFUSED', false, desk.out);
      }
    }
    expect(dialled.filter((line) => line === 'dial 07').length).toBeLessThan(8);
    expect(dialled.filter((line) => line === 'dial 01').length).toBeGreaterThan(8);
  });

  test.each([
    [2, 'asks', ['dial 01']],
    [1, 'asks no seed', []],
  ])('with room for %i dials and one of them taken %s', (outboundMax, _, asked) => {
    const desk = new Desk({ pex: true, seeds: [address(1)], outboundMax });
    desk.peers.dialNow(desk.now, { ...NOBODY, peers: [address(2)] }, desk.out);
    desk.take();
    expect(desk.peers.book.size).toBe(0);
    expect(desk.time(0).take()).toEqual(asked);
  });

  test('bans a peer that asks too often or sends addresses unasked', () => {
    const desk = new Desk({ pex: true });
    const greedy = desk.inbound(1);
    for (let i = 0; i < 2; i++) desk.peers.onPex(desk.now, greedy, request, desk.out);
    expect(desk.peers.bans(desk.now)).toEqual([]);
    desk.peers.onPex(desk.now, greedy, request, desk.out);
    const pushy = desk.inbound(2);
    desk.peers.onPex(desk.now, pushy, tell(3), desk.out);
    expect(desk.peers.bans(desk.now).map((ban) => ban.reason)).toEqual([
      'asks for addresses more often than every 10 s',
      'sends addresses unasked',
    ]);
    expect(desk.peers.book.has(id(3))).toBe(false);
    expect([1, 2].map((n) => desk.peers.book.has(id(n)))).toEqual([false, false]);
  });

  test('bans a peer that sends an invalid address', () => {
    const good = { id: id(7), ip: '8.7.1.1', port: 26656 };
    for (const change of [{ port: 0 }, { port: 65_536 }, { ip: 'example.org' }, { ip: '' }, { id: 'AB' }]) {
      const desk = new Desk({ pex: true });
      const link = desk.inbound(1);
      desk.time(31);
      desk.peers.onPex(
        desk.now,
        link,
        encodePexMessage({ kind: 'addresses', addresses: [good, { ...good, id: id(8), ...change }] }),
        desk.out,
      );
      expect(desk.peers.bans(desk.now).map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/^sends the address ".*", which is none$/),
      ]);
    }
  });

  test('a node that asks every 30 seconds is always answered', () => {
    const desk = new Desk({ pex: true });
    const link = desk.inbound(1);
    for (let i = 0; i < 50; i++) {
      desk.peers.onPex(desk.now, link, request, desk.out);
      desk.now += 30 * SECOND;
    }
    expect(desk.peers.bans(desk.now)).toEqual([]);
  });

  test('we never ask one peer more often than it may be asked', () => {
    const desk = new Desk({ pex: true });
    desk.inbound(1);
    const asked: number[] = [];
    for (let i = 0; i < 400; i++) {
      desk.time(1);
      for (const { link, bytes } of desk.pexSent.splice(0)) {
        const message = decodePexMessage(bytes);
        if (!message.ok || message.value.kind !== 'request') continue;
        asked.push(desk.now);
        desk.peers.onPex(desk.now, link, tell(), desk.out);
      }
    }
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.every((at, i) => i === 0 || at - (asked[i - 1] as number) >= 30 * SECOND)).toBe(true);
  });

  test('a reconnected peer starts without a request history', () => {
    const pex = new Pex(new Desk().peers.book);
    pex.onUp(id(1));
    pex.onDown(id(1));
    expect(pex.ask(START, id(1))).toBe(undefined);
  });

  test('a peer with an unanswered request is not asked again', () => {
    const desk = new Desk({ pex: true });
    desk.inbound(1);
    for (let i = 0; i < 400; i++) desk.time(1);
    const asked = desk.pexSent.map(({ bytes }) => decodePexMessage(bytes));
    expect(asked.filter((message) => message.ok && message.value.kind === 'request')).toHaveLength(1);
  });

  test('a seed answers and hangs up, and does not tell private peers', () => {
    const desk = new Desk({ pex: true, seedMode: true, privateIds: new Set([id(2)]) });
    desk.inbound(2);
    const link = desk.inbound(1);
    desk.take();
    desk.peers.onPex(desk.now, link, request, desk.out);
    expect(desk.take()).toEqual([`close ${link}: a seed hangs up after answering`, 'down 01']);
    const answer = decodePexMessage(present(desk.pexSent.at(-1), 'answer').bytes);
    if (!answer.ok || answer.value.kind !== 'addresses') throw new Error('no answer');
    expect(answer.value.addresses.map((one) => one.id)).toEqual([id(1)]);
  });
});
