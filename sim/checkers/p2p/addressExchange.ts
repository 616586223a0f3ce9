import type { Bytes } from '../../../core/lib/bytes.ts';
import type { LinkId } from '../../../core/p2p/links.ts';
import type { PeerAddress } from '../../../core/p2p/peerAddress.ts';
import { decodePexMessage, type NetAddress, type PexMessage } from '../../../core/p2p/pexMessages.ts';
import type { Process } from '../../machine/process.ts';
import { addressOf, idOf } from '../../peers/addresses.ts';
import type { Switchboard } from '../../peers/switchboard.ts';
import { type FactOf, hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

const NAME = 'peers';

/** Requests that may come at once, and the least time between further ones. */
const FREE_ASKS = 2;
const ASK_MICROS = 10_000_000;
/** Ban for abuse of the address exchange; the shorter one for a needed peer. */
const BAN_MICROS = { usual: 86_400_000_000, needed: 60_000_000 };
const ANSWER_MAX = 250;
/** An answer with fewer addresses than this must hold all that the node knows. */
const SAMPLE_MIN = 32;
/** An address that failed so many dials is not passed on any more. */
const CALLS_MAX = 8;
/** A node saves its book so often. */
const SAVE_MICROS = 120_000_000;
/** Limits of an address book: in all, for one network group, and for one source. */
const BOOK_MAX = { all: 2048, group: 256, source: 256 };

type Book = ReturnType<Switchboard['bookOf']>;

const TOPICS = ['started', 'called', 'connected', 'pexSaid', 'pexHeard', 'pexHandled'] as const;

/**
 * How correct nodes handle what peers say in the address exchange. A peer that abuses the exchange is banned, and no
 * other peer is. A request is answered with addresses that were dialled with success. No liar can move such an address
 * or flood the book, and no node dials an unroutable address.
 */
export function addressExchange(context: CheckerContext, board: Switchboard): Checker {
  const all = new Map(context.correct.map((node) => [node, new Listener(context, board, node)]));
  return { name: NAME, ...hearing(TOPICS, (fact) => all.get(fact.node)?.on(fact)) };
}

/** A dial that succeeded. */
interface Proof {
  /** When the first one did. */
  readonly since: number;
  /** Dials since the last one. */
  calls: number;
}

/** A message that the node has heard and not yet handled. */
interface Heard {
  readonly link: LinkId;
  readonly abuse: string | undefined;
  readonly isRequest: boolean;
  isAnswered: boolean;
}

/** Judges one node that hears of addresses and passes them on. */
class Listener {
  readonly #context: CheckerContext;
  readonly #board: Switchboard;
  readonly #node: Process;
  readonly #talks = new Map<LinkId, Talk>();
  /** Peers that the node has dialled with success. */
  readonly #proven = new Map<string, Proof>();
  /** Peers that were proven when the node last saved its book. */
  #saved: readonly string[] = [];
  /** When this life began, and when something of it was last heard. */
  readonly #life = { from: 0, to: 0 };
  /** The node has started, and its book has not been looked at yet. */
  #isFresh = false;
  #heard: Heard | undefined;
  /** What the book held before the node handled the last message. */
  #before: Book = [];

  constructor(context: CheckerContext, board: Switchboard, node: Process) {
    this.#context = context;
    this.#board = board;
    this.#node = node;
  }

  #fail(text: string): void {
    this.#context.fail(NAME, `${this.#node.name} ${text}`);
  }

  on(fact: FactOf<(typeof TOPICS)[number]>): void {
    if (fact.kind === 'started') return this.#onStarted();
    if (this.#isFresh) this.#remember();
    this.#life.to = this.#context.world.now;
    switch (fact.kind) {
      case 'called':
        return this.#onCall(fact.address);
      case 'connected':
        return this.#onConnected(fact.peer);
      case 'pexSaid':
        return this.#onSaid(fact.link, messageOf(fact.bytes));
      case 'pexHeard':
        return this.#onHeard(fact.link, messageOf(fact.bytes));
      case 'pexHandled':
        return this.#onTaken(fact.peer.name);
    }
  }

  #onStarted(): void {
    const { from, to } = this.#life;
    const savedAt = from + Math.floor((to - from) / SAVE_MICROS) * SAVE_MICROS;
    if (savedAt > from && savedAt < to)
      this.#saved = [...this.#proven].flatMap(([peer, { since }]) => (since < savedAt ? [peer] : []));
    this.#talks.clear();
    this.#proven.clear();
    this.#life.from = this.#life.to = this.#context.world.now;
    this.#isFresh = true;
  }

  /** What earlier lives have proven and saved, the node still knows. */
  #remember(): void {
    this.#isFresh = false;
    for (const { address, attempts } of this.#board.bookOf(this.#node.index)) {
      const peer = this.#nameOf(address.id);
      if (peer === undefined || !this.#saved.includes(peer)) continue;
      const truth = addressOf(this.#context.world.network.indexOf(peer), peer);
      if (truth.host !== address.host || truth.port !== address.port) continue;
      this.#proven.set(peer, { since: this.#life.from, calls: attempts });
    }
  }

  #onCall({ id, host, port }: PeerAddress): void {
    if (isInner(host)) this.#fail(`calls ${host}, which nobody can reach`);
    const peer = this.#nameOf(id);
    if (this.#isMoved(id, host, port)) this.#fail(`calls ${peer} at ${host}, where it is not`);
    const proof = peer === undefined ? undefined : this.#proven.get(peer);
    if (proof !== undefined) proof.calls++;
  }

  #onConnected({ name, index }: Process): void {
    const found = this.#board.establishedOf(this.#node.index).find((one) => one.node === index);
    if (found?.isOutbound === true) this.#onAnswered(name);
  }

  #onAnswered(peer: string): void {
    if (!this.#isPrivate(idOf(peer))) {
      const since = this.#proven.get(peer)?.since ?? this.#context.world.now;
      this.#proven.set(peer, { since, calls: 0 });
    }
    const known = this.#board.bookOf(this.#node.index).find(({ address }) => address.id === idOf(peer));
    if (known !== undefined && known.attempts > 0)
      this.#fail(`counts ${known.attempts} calls in vain of ${peer}, which has just answered`);
  }

  #onSaid(link: LinkId, message: PexMessage | undefined): void {
    if (message === undefined) return;
    if (message.kind === 'request') this.#talkOf(link).onAsk();
    else {
      if (this.#heard !== undefined) this.#heard.isAnswered = true;
      this.#onTold(message.addresses);
    }
  }

  #onTold(addresses: readonly NetAddress[]): void {
    if (addresses.length > ANSWER_MAX) this.#fail(`tells ${addresses.length} addresses at once`);
    const lost = addresses.find(({ ip }) => isInner(ip));
    if (lost !== undefined) this.#fail(`tells of ${lost.ip}, which nobody can reach`);
    const secret = addresses.find(({ id }) => this.#isPrivate(id));
    if (secret !== undefined) this.#fail(`tells of ${this.#nameOf(secret.id)}, a private peer`);
    const moved = addresses.find(({ id, ip, port }) => this.#isMoved(id, ip, port));
    if (moved !== undefined) this.#fail(`tells of ${this.#nameOf(moved.id)} at ${moved.ip}, where it is not`);
    if (addresses.length >= SAMPLE_MIN) return;
    for (const [peer, { calls }] of this.#proven)
      if (calls < CALLS_MAX && !addresses.some(({ id }) => id === idOf(peer)))
        this.#fail(`is asked for addresses and keeps that of ${peer} to itself`);
  }

  #onHeard(link: LinkId, message: PexMessage | undefined): void {
    const abuse =
      message === undefined
        ? 'says what is no message'
        : this.#talkOf(link).abuseOf(message, this.#context.world.now);
    this.#heard = { link, abuse, isRequest: message?.kind === 'request', isAnswered: false };
    this.#before = this.#board.bookOf(this.#node.index);
  }

  #onTaken(peer: string): void {
    const heard = this.#heard;
    if (heard === undefined) return;
    this.#heard = undefined;
    if (heard.abuse === undefined) {
      this.#checkSpared(peer, heard);
      this.#checkHungUp(peer, heard);
    } else this.#checkBanned(peer, heard.abuse);
    if (heard.isRequest) return;
    this.#checkBook();
    this.#checkKept(peer);
  }

  #checkSpared(peer: string, { isRequest, isAnswered }: Heard): void {
    const end = this.#board.banEnd(this.#node.index, peer);
    if (end !== undefined) this.#fail(`bans ${peer}, which has done nothing wrong`);
    if (isRequest && !isAnswered) this.#fail(`does not answer ${peer}, which asks for addresses`);
  }

  /** A seed lets those go that it has answered, and those that have answered it, and no others. */
  #checkHungUp(peer: string, { link, isRequest }: Heard): void {
    const { spec } = this.#board;
    const kept = this.#board.keptBy(this.#node.index).find(({ id }) => id === link);
    const isSeed = spec.seedMode && spec.seeds.includes(this.#node.name) && !this.#board.isNeeded(peer);
    if (kept === undefined) {
      if (!isSeed) this.#fail(`hangs up on ${peer}, which has done nothing wrong`);
    } else if (isSeed && isRequest === (kept.direction === 'inbound'))
      this.#fail(`is a seed and keeps ${peer}, which ${isRequest ? 'it has answered' : 'has answered it'}`);
  }

  #checkBanned(peer: string, abuse: string): void {
    this.#proven.delete(peer);
    const isNeeded = this.#board.isNeeded(peer);
    const wanted = isNeeded ? BAN_MICROS.needed : BAN_MICROS.usual;
    const end = this.#board.banEnd(this.#node.index, peer);
    const { now } = this.#context.world;
    if (end === undefined) this.#fail(`keeps ${peer}, which ${abuse}`);
    else if (end - now !== wanted) this.#fail(`bans ${peer}, which ${abuse}, for ${end - now} µs`);
    if (this.#board.bookOf(this.#node.index).some(({ address }) => address.id === idOf(peer)))
      this.#fail(`still has the address of ${peer}, which ${abuse}`);
  }

  #checkBook(): void {
    const book = this.#board.bookOf(this.#node.index);
    const groups = new Map<string, number>();
    const sources = new Map<string, number>();
    if (book.length > BOOK_MAX.all) this.#fail(`keeps ${book.length} addresses`);
    for (const { address, source } of book) {
      if (isInner(address.host)) this.#fail(`keeps ${address.host}, which nobody can reach`);
      if (count(groups, address.host.split('.', 2).join('.')) > BOOK_MAX.group)
        this.#fail(`keeps too many addresses of the network of ${address.host}`);
      if (source !== address.id && count(sources, source) > BOOK_MAX.source)
        this.#fail(`keeps too many addresses that ${this.#nameOf(source)} told it`);
    }
  }

  /** Others move an address only after a dial in vain. A peer may always say where it is itself. */
  #checkKept(peer: string): void {
    const now = new Map(this.#board.bookOf(this.#node.index).map((one) => [one.address.id, one.address]));
    for (const { address, attempts } of this.#before) {
      const kept = now.get(address.id) ?? address;
      const isSame = kept.host === address.host && kept.port === address.port;
      if (attempts === 0 && address.id !== idOf(peer) && !isSame)
        this.#fail(`lets ${peer} move ${address.host}, which it has not tried, to ${kept.host}`);
    }
  }

  /** A peer that has answered stays where it was, whatever others say. */
  #isMoved(id: string, host: string, port: number): boolean {
    const peer = this.#nameOf(id);
    if (peer === undefined || !this.#proven.has(peer)) return false;
    const truth = addressOf(this.#context.world.network.indexOf(peer), peer);
    return truth.host !== host || truth.port !== port;
  }

  #isPrivate(id: string): boolean {
    return this.#board.spec.privateNodes.some((name) => idOf(name) === id);
  }

  #nameOf(id: string): string | undefined {
    return this.#context.world.processes.find((one) => idOf(one.name) === id)?.name;
  }

  #talkOf(link: LinkId): Talk {
    const talk = this.#talks.get(link) ?? new Talk();
    this.#talks.set(link, talk);
    return talk;
  }
}

/** What one life of a node has heard and asked on one connection. */
class Talk {
  #isAnswerDue = false;
  #asks = 0;
  #askedAt = 0;

  /** The node sends a request to the peer. */
  onAsk(): void {
    this.#isAnswerDue = true;
  }

  /** What is wrong with the peer's message. */
  abuseOf(message: PexMessage, now: number): string | undefined {
    return message.kind === 'request' ? this.#abuseOfRequest(now) : this.#abuseOfAnswer(message.addresses);
  }

  #abuseOfRequest(now: number): string | undefined {
    this.#asks += 1;
    const isSoon = this.#asks > FREE_ASKS && now - this.#askedAt < ASK_MICROS;
    this.#askedAt = now;
    return isSoon ? 'asks too often' : undefined;
  }

  #abuseOfAnswer(addresses: readonly NetAddress[]): string | undefined {
    if (!this.#isAnswerDue) return 'tells what nobody asked for';
    this.#isAnswerDue = false;
    if (addresses.length > ANSWER_MAX) return `tells ${addresses.length} addresses at once`;
    return addresses.every(isAddress) ? undefined : 'tells of what is no address';
  }
}

function messageOf(bytes: Bytes): PexMessage | undefined {
  const decoded = decodePexMessage(bytes);
  return decoded.ok ? decoded.value : undefined;
}

/** Increments the count and returns it. */
function count(counts: Map<string, number>, key: string): number {
  const more = (counts.get(key) ?? 0) + 1;
  counts.set(key, more);
  return more;
}

/** Networks that are not reachable from elsewhere (RFC 1122, 1918, 3849, 3927, 4193, 5771, 6598). */
const INNER =
  /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|22[4-9]|2[3-5]\d)\.|^(f[cde]|::|2001:db8:)/i;
/** An IPv4 address may be written as an IPv6 one. */
const isInner = (host: string): boolean => INNER.test(host.replace(/^::ffff:(?=\d+\.)/i, ''));

const isAddress = ({ id, ip, port }: NetAddress): boolean =>
  /^[0-9a-f]{40}$/.test(id) && isIp(ip) && port >= 1 && port <= 65_535;

const isIp = (text: string): boolean => isIp4(text) || isIp6(text);

const isIp4 = (text: string): boolean =>
  /^(\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split('.').every((one) => Number(one) <= 255);

/** Eight groups, or fewer around one `::`. The last two may be written as an IPv4 address. */
function isIp6(text: string): boolean {
  const [, head = text, tail] = /^(.*:)(\d+(?:\.\d+){3})$/.exec(text) ?? [];
  if (tail !== undefined && !isIp4(tail)) return false;
  const plain = tail === undefined ? text : `${head}0:0`;
  const halves = plain.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const isFull = halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8;
  return isFull && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group));
}
