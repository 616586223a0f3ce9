import { decodeBlocksyncMessage } from '../../core/codec/messages.ts';
import type { BlocksyncMessage } from '../../core/types/messages.ts';
import { Aftermath } from '../machine/aftermath.ts';
import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { type Answer, Debts, heightOf } from './debts.ts';
import { Fetches } from './fetches.ts';
import { hasOddClocks } from './patience.ts';

/** CometBFT's maxPendingRequestsPerPeer. */
const ASKED_MAX = 20;
/** Heights that are fetched ahead of the next one. */
const AHEAD_MAX = 256;
/** The same block is asked of someone else when a peer has kept its asker waiting so long (2 s). */
const LAG_MICROS = 2_000_000;
/** It looks for who is late at each tick, and whoever has nothing to do may have become free just now. */
const LATE_MICROS = LAG_MICROS + 3_000_000;
/** Who has not answered for 15 s is given up, at the tick after that. */
const SILENT_MICROS = 17_000_000;
/** How long a liar is left alone, by the clock of who caught it. */
const BAN_MICROS = 60_000_000;
/** It is listened to again at the next tick. */
const FORGIVEN_MICROS = BAN_MICROS + 2_000_000;
/** With so many blocks to go a node is near the end, and asks peers more often how high they are: after half a second, one, two, … ten. */
const NEAR_END = 100;
const FIRST_LOOK_MICROS = 500_000;
const LOOK_MICROS_MAX = 10_000_000;
/** It looks at the clock every half second. */
const LOOK_SLACK_MICROS = 1_000_000;
/** An answer, or a farewell, waits for no more than a write of the log. */
const PROMPT_MICROS = 5_000_000;

/** What one node and one peer have said to each other since they are connected. */
interface Dealings {
  claim: { readonly base: number; readonly height: number } | undefined;
  /** When each height was asked for that has not been answered. */
  readonly asked: Map<number, number>;
  /** It has kept us waiting once: what it was asked may be asked of others. */
  isLagging: boolean;
  /** How many requests may wait for it: one for who was given up before, and one more with each block that it sends. */
  askedMax: number;
  /** What the node has to tell the peer. */
  readonly debts: Debts;
  /** On the connection before: what the node has decided to ask then may leave it now. */
  readonly claimBefore: Dealings['claim'];
  /** Since when it has had the next blocks and nothing to send, if nothing is asked of it. */
  freeSince: number;
  /** When it was last asked how high it is. */
  lookedAt: number;
  /** Why the peer has to be dropped, and has not been yet. */
  fault: { readonly text: string; readonly at: number } | undefined;
}

/**
 * A node that fetches blocks asks each peer for what that claims to have, for at most twenty at once, for a block of nobody else
 * while someone is on time with it; it gives up whoever takes a height back (ASA-2025-001) or stays silent, and
 * leaves the former alone for a minute. Two blocks that contradict each other it asks anew of a single peer. Whoever is
 * asked answers each request, with the block that was decided.
 */
export function syncing(context: CheckerContext): Checker {
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
  /** Nothing makes the node wait with what it has decided. */
  readonly isTimely: boolean;
}

/** Of one node's life. */
class Book {
  /** The height before the first: a chain may begin anywhere. */
  readonly #origin: number;
  readonly #peers = new Map<string, Dealings>();
  readonly #gone = new Map<string, Dealings>();
  /** When each was caught. */
  readonly #banned = new Map<string, number>();
  /** Given up once: asked for one block at a time. */
  readonly #doubtful = new Set<string>();
  /** How often it asked anybody how high they are, if it has been near the end all along; what it asks who has just come counts as well. */
  #looks = { count: 0, at: 0, isNear: true };
  readonly #fetches = new Fetches<Dealings>((one) => [...this.#peers.values()].includes(one));

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
      debts: new Debts(node, now, before?.debts),
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
        // Nothing that it said while it was banned counts.
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

  /** Whom it should have asked again by now. */
  #unasked(now: number): string | undefined {
    const { count, isNear } = this.#looks;
    const every = isNear ? Math.min(FIRST_LOOK_MICROS * 2 ** count, LOOK_MICROS_MAX) : LOOK_MICROS_MAX;
    for (const [peer, { lookedAt, fault }] of this.#peers)
      if (fault === undefined && !this.#banned.has(peer) && now - lookedAt > every + LOOK_SLACK_MICROS)
        return `has not asked ${peer} how high it is for ${now - lookedAt} µs`;
    return undefined;
  }

  /** Which of the next two blocks it should have asked someone else for by now. */
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
    return height <= head || height > head + 1 + AHEAD_MAX
      ? `sends a request for block ${height} at height ${head}`
      : undefined;
  }

  /** What it said at the end of a ban was heard, or was not. */
  #mayClaim(peer: string, { claim, claimBefore }: Dealings, height: number): boolean {
    const told = claim ?? claimBefore;
    return told === undefined ? this.#banned.has(peer) : told.base <= height && height <= told.height;
  }

  /** What the node should have done by the end of an event. */
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

/** Who was silent or slow may come back: that may have been the network's fault. Who asks too much is no liar. */
const isLie = (reason: string): boolean =>
  reason.startsWith('blocksync:') && !/too many requests|no block for|too slow/.test(reason);

const isSilence = (reason: string): boolean => /^blocksync: (no block for|too slow)/.test(reason);

/** Its drive makes it wait. */
const isHindered = ({ disk, pace }: Process): boolean =>
  disk.isSlow || disk.isFull || disk.isDamaged || pace.sync !== undefined;

function isLate({ asked }: Dealings, now: number): boolean {
  for (const since of asked.values()) if (now - since >= LAG_MICROS) return true;
  return false;
}
