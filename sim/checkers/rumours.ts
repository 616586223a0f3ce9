import type { LinkId } from '../../core/p2p/links.ts';
import type { PeerAddress } from '../../core/p2p/peerAddress.ts';
import { decodePexMessage, type NetAddress, type PexMessage } from '../../core/p2p/pexMessages.ts';
import type { Process } from '../machine/process.ts';
import { addressOf, idOf } from '../peers/addresses.ts';
import type { Switchboard } from '../peers/switchboard.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** Requests that may come at once, and how long after the last one more may come. */
const FREE_ASKS = 2;
const ASK_MICROS = 10_000_000;
/** So long nothing is wanted of whoever abuses the exchange, or of one that is needed. */
const BAN_MICROS = { usual: 86_400_000_000, needed: 60_000_000 };
const ANSWER_MAX = 250;
/** An answer with fewer addresses than that holds all that the node knows. */
const SAMPLE_MIN = 32;
/** Who has not answered so many calls is told of no more. */
const CALLS_MAX = 8;
/** Of an address book: all in all, of one network, told by one peer. */
const BOOK_MAX = { all: 2048, group: 256, source: 256 };

/** What one life of a node has heard and asked on one connection. */
interface Talk {
  isAnswerDue: boolean;
  asks: number;
  askedAt: number;
}

/** What a node has heard and has not yet done anything about. */
interface Heard {
  readonly abuse: string | undefined;
  readonly isRequest: boolean;
  isAnswered: boolean;
}

/**
 * What correct nodes believe of what peers tell them of others: whoever abuses the exchange of addresses is banned and nobody else, a
 * request is answered with what has proven true, no liar moves that or fills the book, and nobody is called where nobody can be.
 */
export function rumours(context: CheckerContext, board: Switchboard): Checker {
  const name = 'peers';
  const { world } = context;
  const talks = new Map<Process, Map<LinkId, Talk>>();
  /** Whom a life has called with success, and how often it has called since. */
  const proven = new Map<Process, Map<string, number>>();
  let heard: Heard | undefined;
  const fail = (node: Process, text: string): void => context.fail(name, `${node.name} ${text}`);
  const wherever = (peer: string): PeerAddress => addressOf(world.network.indexOf(peer), peer);
  const nameOf = (id: string): string | undefined =>
    world.processes.find((one) => idOf(one.name) === id)?.name;

  function talkOf(node: Process, link: LinkId): Talk {
    const own = talks.get(node) ?? new Map<LinkId, Talk>();
    talks.set(node, own);
    const talk = own.get(link) ?? { isAnswerDue: false, asks: 0, askedAt: 0 };
    own.set(link, talk);
    return talk;
  }

  function provenOf(node: Process): Map<string, number> {
    const own = proven.get(node) ?? new Map<string, number>();
    proven.set(node, own);
    return own;
  }

  /** Somebody who has answered lives where it did, whatever others say. */
  function isMoved(node: Process, id: string, host: string, port: number): boolean {
    const peer = nameOf(id);
    if (peer === undefined || !provenOf(node).has(peer)) return false;
    const truth = wherever(peer);
    return truth.host !== host || truth.port !== port;
  }

  function onAnswered(node: Process, peer: string): void {
    provenOf(node).set(peer, 0);
    const known = board.bookOf(node.index).find(({ address }) => address.id === idOf(peer));
    if (known !== undefined && known.attempts > 0)
      fail(node, `counts ${known.attempts} calls in vain of ${peer}, which has just answered`);
  }

  function onTold(node: Process, addresses: readonly NetAddress[]): void {
    if (addresses.length > ANSWER_MAX) fail(node, `tells ${addresses.length} addresses at once`);
    const lost = addresses.find(({ ip }) => isInner(ip));
    if (lost !== undefined) fail(node, `tells of ${lost.ip}, which nobody can reach`);
    const moved = addresses.find(({ id, ip, port }) => isMoved(node, id, ip, port));
    if (moved !== undefined) fail(node, `tells of ${nameOf(moved.id)} at ${moved.ip}, where it is not`);
    if (addresses.length >= SAMPLE_MIN) return;
    for (const [peer, calls] of provenOf(node))
      if (calls < CALLS_MAX && !addresses.some(({ id }) => id === idOf(peer)))
        fail(node, `is asked for addresses and keeps that of ${peer} to itself`);
  }

  function abuseOf(node: Process, link: LinkId, message: PexMessage | undefined): string | undefined {
    if (message === undefined) return 'says what is no message';
    const talk = talkOf(node, link);
    if (message.kind === 'request') {
      talk.asks += 1;
      const isSoon = talk.asks > FREE_ASKS && world.now - talk.askedAt < ASK_MICROS;
      talk.askedAt = world.now;
      return isSoon ? 'asks too often' : undefined;
    }
    if (!talk.isAnswerDue) return 'tells what nobody asked for';
    talk.isAnswerDue = false;
    if (message.addresses.length > ANSWER_MAX) return `tells ${message.addresses.length} addresses at once`;
    return message.addresses.every(isAddress) ? undefined : 'tells of what is no address';
  }

  function onTaken(node: Process, peer: Process, { abuse, isRequest, isAnswered }: Heard): void {
    const end = board.banEnd(node.index, peer.name);
    if (abuse === undefined) {
      if (end !== undefined) fail(node, `bans ${peer.name}, which has done nothing wrong`);
      if (isRequest && !isAnswered) fail(node, `does not answer ${peer.name}, which asks for addresses`);
    } else {
      provenOf(node).delete(peer.name);
      const isNeeded = board.spec.persistent.includes(peer.name);
      const wanted = isNeeded ? BAN_MICROS.needed : BAN_MICROS.usual;
      if (end === undefined) fail(node, `keeps ${peer.name}, which ${abuse}`);
      else if (end - world.now !== wanted)
        fail(node, `bans ${peer.name}, which ${abuse}, for ${end - world.now} µs`);
    }
    if (!isRequest) checkBook(node);
  }

  function checkBook(node: Process): void {
    const book = board.bookOf(node.index);
    const groups = new Map<string, number>();
    const sources = new Map<string, number>();
    const count = (counts: Map<string, number>, key: string): number => {
      const more = (counts.get(key) ?? 0) + 1;
      counts.set(key, more);
      return more;
    };
    if (book.length > BOOK_MAX.all) fail(node, `keeps ${book.length} addresses`);
    for (const { address, source } of book) {
      if (isInner(address.host)) fail(node, `keeps ${address.host}, which nobody can reach`);
      if (count(groups, address.host.split('.', 2).join('.')) > BOOK_MAX.group)
        fail(node, `keeps too many addresses of the network of ${address.host}`);
      if (source !== address.id && count(sources, source) > BOOK_MAX.source)
        fail(node, `keeps too many addresses that ${nameOf(source)} told it`);
    }
  }

  return {
    name,
    ...hearing(['started', 'called', 'connected', 'pexSaid', 'pexHeard', 'pexTaken'], (fact) => {
      const { node } = fact;
      if (!node.isCorrect) return;
      if (fact.kind === 'started') {
        talks.delete(node);
        proven.delete(node);
      } else if (fact.kind === 'connected') {
        const found = board.establishedOf(node.index).find((one) => one.node === fact.peer.index);
        if (found?.isOutbound === true) onAnswered(node, fact.peer.name);
      } else if (fact.kind === 'called') {
        const { id, host, port } = fact.address;
        if (isInner(host)) fail(node, `calls ${host}, which nobody can reach`);
        if (isMoved(node, id, host, port)) fail(node, `calls ${nameOf(id)} at ${host}, where it is not`);
        const peer = nameOf(id);
        const calls = peer === undefined ? undefined : provenOf(node).get(peer);
        if (peer !== undefined && calls !== undefined) provenOf(node).set(peer, calls + 1);
      } else if (fact.kind === 'pexTaken') {
        if (heard !== undefined) onTaken(node, fact.peer, heard);
        heard = undefined;
      } else {
        const decoded = decodePexMessage(fact.bytes);
        const message = decoded.ok ? decoded.value : undefined;
        if (fact.kind === 'pexHeard') {
          const isRequest = message?.kind === 'request';
          heard = { abuse: abuseOf(node, fact.link, message), isRequest, isAnswered: false };
        } else if (message?.kind === 'request') talkOf(node, fact.link).isAnswerDue = true;
        else if (message !== undefined) {
          if (heard !== undefined) heard.isAnswered = true;
          onTold(node, message.addresses);
        }
      }
    }),
  };
}

/** Networks that nobody reaches from elsewhere (RFC 1122, 1918, 3927, 4193, 5771, 6598). */
const INNER =
  /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|2[2-5]\d)\.|^(f[cde]|::)/i;
const isInner = (host: string): boolean => INNER.test(host);

const isAddress = ({ id, ip, port }: NetAddress): boolean =>
  /^[0-9a-f]{40}$/.test(id) && isIp(ip) && port >= 1 && port <= 65_535;

/** Of the sixth version liars tell such as this alone. */
const isIp = (text: string): boolean =>
  text === 'fd00::1' ||
  (/^(\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split('.').every((one) => Number(one) <= 255));
