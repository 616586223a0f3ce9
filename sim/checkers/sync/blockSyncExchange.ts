import { decodeBlocksyncMessage } from '../../../core/codec/messages.ts';
import type { BlocksyncMessage } from '../../../core/types/messages.ts';
import { Aftermath } from '../../machine/aftermath.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { hasOddClocks } from '../timing/earlyTimeouts.ts';
import { type Answer, heightOf, OwedAnswers } from './owedAnswers.ts';
import { RequestedBlocks } from './requestedBlocks.ts';

/** CometBFT's maxPendingRequestsPerPeer. */
const ASKED_MAX = 20;
/** A node fetches at most so many heights beyond the next one. */
const AHEAD_MAX = 256;
/** After this time, a block that a peer has not sent is requested from another peer, too. */
const LAG_MICROS = 2_000_000;
/** A node looks for late peers at each tick, and a peer may have become free just now. */
const LATE_MICROS = LAG_MICROS + 3_000_000;
/** A peer that has not answered for 15 s is dropped at the tick after. */
const SILENT_MICROS = 17_000_000;
/** A caught liar is banned for this time, by the node's clock. */
const BAN_MICROS = 60_000_000;
/** From the next tick on it is listened to again. */
const FORGIVEN_MICROS = BAN_MICROS + 2_000_000;
/** With at most so many blocks to go, a node asks peers for their status more often: after 0.5 s, 1 s, 2 s, … 10 s. */
const NEAR_END = 100;
const FIRST_LOOK_MICROS = 500_000;
const LOOK_MICROS_MAX = 10_000_000;
/** It looks at the clock every half second. */
const LOOK_SLACK_MICROS = 1_000_000;
/** An answer or the drop of a peer waits at most for a write of the WAL. */
const PROMPT_MICROS = 5_000_000;

/** What a node and one peer have sent each other since they are connected. */
interface Dealings {
  claim: { readonly base: number; readonly height: number } | undefined;
  /** Open requests: when each height was requested. */
  readonly asked: Map<number, number>;
  /** The peer was late once, so its requests may be given to other peers. */
  isLagging: boolean;
  /** How many requests may be open: one for a peer dropped before, and one more with each block that it sends. */
  askedMax: number;
  /** What the node owes the peer. */
  readonly debts: OwedAnswers;
  /** The peer's status on the previous connection. A request decided on then may leave only now. */
  readonly claimBefore: Dealings['claim'];
  /** Since when the peer has had the next blocks and no open request, unless there are open ones. */
  freeSince: number;
  /** When the peer was last asked for its status. */
  lookedAt: number;
  /** Why the node must drop the peer, if it has not yet. */
  fault: { readonly text: string; readonly at: number } | undefined;
}

/**
 * A node in block sync requests from each peer blocks that the peer claims to have, at most twenty at once, and none
 * that another peer is on time with. It drops a peer that lowers its height (ASA-2025-001) or stays silent, and bans
 * the former for a minute. If two blocks contradict each other, it requests both again from a single peer. A node that
 * is asked answers each request, with the decided block. Time limits apply only to nodes that nothing holds up.
 */
export function blockSyncExchange(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world } = context;
  if (scenario.engine.blockSync !== true) return { name };
  const hasOwnTime =
    !hasOddClocks(scenario) && scenario.timeline.every(({ action }) => action.kind !== 'pause');
  const aftermath = new Aftermath(world);
  const books = new Map<Process, Book>();
  const bookOf = (node: Process): Book => {
    const book = books.get(node) ?? new Book(context.cluster.genesis.initialHeight);
    books.set(node, book);
    return book;
  };
  return {
    name,
    ...hearing(['started', 'peer', 'dropped', 'syncHeard', 'syncSaid'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      if (fact.kind === 'started') books.delete(node);
      else if (fact.kind === 'peer') bookOf(node).turn(node, fact.peer, fact.isUp, world.now);
      else if (fact.kind === 'dropped') bookOf(node).dropped(fact.peer, fact.reason, world.now);
      else {
        const decoded = decodeBlocksyncMessage(fact.bytes);
        if (!decoded.ok) return;
        const book = bookOf(node);
        if (fact.kind === 'syncHeard') book.heard(node, fact.peer, decoded.value, world.now);
        else {
          const isTimely = hasOwnTime && !isHindered(node);
          const problem = book.said(node, fact.peer, decoded.value, { now: world.now, isTimely });
          if (problem !== undefined) context.fail(name, `${node.name} ${problem} to ${fact.peer}`);
        }
      }
    }),
    look(node) {
      if (!node.isCorrect || !hasOwnTime || aftermath.lasts(node) || isHindered(node)) return;
      const problem = books.get(node)?.left(node, world.now);
      if (problem !== undefined) context.fail(name, `${node.name} ${problem}`);
    },
  };
}

interface Moment {
  readonly now: number;
  /** Nothing delays what the node has decided to send. */
  readonly isTimely: boolean;
}

/** What one life of a node has exchanged with its peers. */
class Book {
  /** The height before the first: a chain may begin at any height. */
  readonly #origin: number;
  readonly #peers = new Map<string, Dealings>();
  readonly #gone = new Map<string, Dealings>();
  /** When each liar was caught. */
  readonly #banned = new Map<string, number>();
  /** Peers dropped before, which get one request at a time at first. */
  readonly #doubtful = new Set<string>();
  /** Status requests so far, and whether the node has been near the end all along. Requests to new peers count, too. */
  #looks = { count: 0, at: 0, isNear: true };
  readonly #fetches = new RequestedBlocks<Dealings>((one) => [...this.#peers.values()].includes(one));

  constructor(initialHeight: number) {
    this.#origin = initialHeight - 1;
  }

  turn(node: Process, peer: string, isUp: boolean, now: number): void {
    this.#part(peer);
    if (!isUp) return;
    const before = this.#gone.get(peer);
    this.#peers.set(peer, {
      claim: undefined,
      askedMax: this.#doubtful.has(peer) ? 1 : ASKED_MAX,
      claimBefore: before?.claim,
      asked: new Map(),
      isLagging: false,
      debts: new OwedAnswers(node, now, before?.debts),
      freeSince: now,
      lookedAt: now,
      fault: undefined,
    });
  }

  dropped(peer: string, reason: string, now: number): void {
    if (isLie(reason)) this.#banned.set(peer, now);
    if (isLie(reason) || isSilence(reason)) this.#doubtful.add(peer);
    this.#part(peer);
  }

  #part(peer: string): void {
    const dealings = this.#peers.get(peer);
    if (dealings === undefined) return;
    this.#gone.set(peer, dealings);
    this.#peers.delete(peer);
  }

  #isBanned(peer: string, now: number): boolean {
    const since = this.#banned.get(peer);
    return since !== undefined && now < since + BAN_MICROS;
  }

  heard(node: Process, peer: string, message: BlocksyncMessage, now: number): void {
    const dealings = this.#peers.get(peer);
    if (dealings === undefined) return;
    switch (message.kind) {
      case 'blockRequest':
      case 'statusRequest':
        dealings.debts.asked(node, message, now);
        return;
      case 'statusResponse': {
        const { claim } = dealings;
        const { base, height } = message;
        if (height > Math.max(node.head, this.#origin) + NEAR_END) this.#looks.isNear = false;
        // A status that the peer sent while it was banned does not count.
        if (now < (this.#banned.get(peer) ?? -FORGIVEN_MICROS) + FORGIVEN_MICROS) dealings.claim = undefined;
        else if (claim !== undefined && (height < claim.height || base < claim.base))
          dealings.fault ??= {
            text: `keeps ${peer}, which took back that it has ${claim.base} to ${claim.height}`,
            at: now,
          };
        else {
          if ((claim?.height ?? 0) < Math.max(node.head, this.#origin) + 2) dealings.freeSince = now;
          dealings.claim = { base, height };
        }
        return;
      }
      default:
        this.#answered(dealings, message, now);
    }
  }

  #answered(dealings: Dealings, message: Answer, now: number): void {
    if (message.kind === 'statusResponse') return;
    dealings.isLagging ||= isLate(dealings, now);
    const height = heightOf(message);
    const isAsked = dealings.asked.delete(height);
    dealings.freeSince = now;
    if (message.kind === 'noBlockResponse') this.#fetches.denied(dealings);
    if (!isAsked || message.kind !== 'blockResponse') return;
    dealings.askedMax = Math.min(ASKED_MAX, dealings.askedMax + 1);
    this.#fetches.answered(height, dealings);
  }

  said(node: Process, peer: string, message: BlocksyncMessage, moment: Moment): string | undefined {
    const dealings = this.#peers.get(peer);
    if (message.kind === 'blockRequest' || message.kind === 'statusRequest') {
      if (moment.isTimely && this.#isBanned(peer, moment.now))
        return `sends a ${message.kind} again, after it dropped it,`;
      if (message.kind === 'statusRequest') {
        this.#looked(dealings, moment.now);
        return undefined;
      }
      return this.#askProblem(node, peer, message.height, moment);
    }
    return dealings?.debts.answered(node, message, moment.now, moment.isTimely);
  }

  #looked(dealings: Dealings | undefined, now: number): void {
    const looks = this.#looks;
    if (looks.at !== now) looks.count++;
    looks.at = now;
    if (dealings !== undefined) dealings.lookedAt = now;
  }

  /** A peer that should have been asked for its status again by now. */
  #unasked(now: number): string | undefined {
    const { count, isNear } = this.#looks;
    const every = isNear ? Math.min(FIRST_LOOK_MICROS * 2 ** count, LOOK_MICROS_MAX) : LOOK_MICROS_MAX;
    for (const [peer, { lookedAt, fault }] of this.#peers)
      if (fault === undefined && !this.#banned.has(peer) && now - lookedAt > every + LOOK_SLACK_MICROS)
        return `has not asked ${peer} how high it is for ${now - lookedAt} µs`;
    return undefined;
  }

  /** One of the next two blocks that should have been requested from another peer by now. */
  #unmoved(node: Process, now: number): string | undefined {
    const next = Math.max(node.head, this.#origin) + 1;
    for (const height of [next, next + 1]) {
      const waited = now - (this.#fetches.awaited(height)?.asked.get(height) ?? now);
      if (waited <= LATE_MICROS) continue;
      for (const [peer, { claim, asked, freeSince, fault }] of this.#peers) {
        const isFree = asked.size === 0 && fault === undefined && now - freeSince > LATE_MICROS;
        const hasBoth = claim !== undefined && claim.base <= next && claim.height > next;
        if (isFree && hasBoth && !this.#banned.has(peer))
          return `waits for block ${height} for ${waited} µs, which ${peer} would send`;
      }
    }
    return undefined;
  }

  #askProblem(node: Process, to: string, height: number, { now, isTimely }: Moment): string | undefined {
    const dealings = this.#peers.get(to);
    if (dealings === undefined) return undefined;
    const { asked } = dealings;
    const head = Math.max(node.head, this.#origin);
    for (const [peer, other] of this.#peers) {
      other.isLagging ||= isLate(other, now);
      if (isTimely && other !== dealings && other.asked.has(height) && !other.isLagging)
        return `sends a request for block ${height}, which ${peer} is on time with,`;
    }
    const isTwice = asked.has(height);
    asked.set(height, now);
    this.#fetches.asked(height, dealings, { next: head + 1, isTimely });
    if (!isTimely) return undefined;
    if (isTwice) return `sends a second request for block ${height}`;
    if (asked.size > dealings.askedMax)
      return `sends a request for block ${height} while ${asked.size - 1} wait,`;
    if (!this.#mayClaim(to, dealings, height))
      return `sends a request for block ${height}, which it does not claim to have,`;
    return height < lowestOf(node, head) || height > head + 1 + AHEAD_MAX
      ? `sends a request for block ${height} at height ${head}`
      : undefined;
  }

  /** The peer claims the block. After a ban the node may have heard a status that the observer ignores. */
  #mayClaim(peer: string, { claim, claimBefore }: Dealings, height: number): boolean {
    if (claim === undefined && this.#banned.has(peer)) return true;
    const told = claim ?? claimBefore;
    return told !== undefined && told.base <= height && height <= told.height;
  }

  /** What the node should have done by the end of an event, and has not. */
  left(node: Process, now: number): string | undefined {
    const problem = this.#fetches.problem();
    if (problem !== undefined) return problem;
    const isSyncing = node.node?.isSyncing() === true;
    const undone = isSyncing ? (this.#unasked(now) ?? this.#unmoved(node, now)) : undefined;
    if (undone !== undefined) return undone;
    for (const [peer, { debts, asked, fault }] of this.#peers) {
      const overdue = debts.overdue(now - PROMPT_MICROS);
      if (overdue !== undefined) return `leaves a ${overdue} of ${peer} without an answer`;
      if ((asked.size === 0 && fault === undefined) || !isSyncing) continue;
      if (fault !== undefined && now - fault.at > PROMPT_MICROS) return fault.text;
      for (const [height, since] of asked)
        if (now - since > SILENT_MICROS) return `waits for block ${height} of ${peer} for ${now - since} µs`;
    }
    return undefined;
  }
}

/**
 * Whether the reason for the drop is a lie. A silent or slow peer may come back, as that may be the network's fault,
 * and one that requests too much is no liar.
 */
const isLie = (reason: string): boolean =>
  reason.startsWith('blocksync:') && !/too many requests|no block for|too slow/.test(reason);

const isSilence = (reason: string): boolean => /^blocksync: (no block for|too slow)/.test(reason);

/**
 * The lowest block that the node may lack, as far as it knows. Where it learns late of what it has stored, it may not
 * know of its newest block yet, and if the peer that sent that block leaves, it asks another one.
 */
const lowestOf = ({ pace }: Process, head: number): number => (pace.batch === undefined ? head + 1 : head);

/** The node's drive makes it wait. */
const isHindered = ({ disk, pace }: Process): boolean =>
  disk.isSlow || disk.isFull || disk.isDamaged || pace.sync !== undefined;

function isLate({ asked }: Dealings, now: number): boolean {
  for (const since of asked.values()) if (now - since >= LAG_MICROS) return true;
  return false;
}
