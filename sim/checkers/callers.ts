import { decodePexMessage, type PexMessage } from '../../core/p2p/pexMessages.ts';
import type { Process } from '../machine/process.ts';
import { idOf } from '../peers/addresses.ts';
import type { Switchboard } from '../peers/switchboard.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** One peer is not asked for addresses more often than that. */
const ASK_MICROS = 30_000_000;
/** Who is needed is not kept out for longer than that, whatever it did. */
const NEEDED_BAN_MICROS = 60_000_000;
/** Half of the wait after a first call in vain, and of the longest: waits double and are drawn from their second half. */
const WAIT_MICROS = { first: 500_000, longest: 15_000_000 };
/** Who was connected for so long, as far as it knows, waits as after a first call. */
const STABLE_MICROS = 10_000_000;
/** Within this it is called again: all of the wait, and the shortest sleep of the timer. */
const AGAIN_WITHIN_MICROS = 520_000;
/** Of two connections to one peer the older one may stay while something was heard on it within this. */
const ALIVE_MICROS = 5_000_000;
/** Whoever is needed and not there is called within this: the longest wait, and a call that nobody answers. */
const CALLED_WITHIN_MICROS = 34_000_000;

/** What one life of a node has said on one connection. */
interface Talk {
  askedAt: number | undefined;
  isAnswered: boolean;
}

/** Calls of one life for one peer, one after another and in vain. */
interface Calls {
  readonly count: number;
  readonly at: number;
  /** When it was last called, or there for a moment: the wait begins by then, or when the call has ended. */
  readonly triedAt: number;
  /** The first one is due after the shortest wait. */
  readonly isSoon: boolean;
}

/** How correct nodes look for others: whom they call and how often, whom they let in, and what they ask and tell of addresses. */
export function callers(context: CheckerContext, board: Switchboard): Checker {
  const name = 'peers';
  const { world } = context;
  const { spec } = board;
  const persistent = new Set(spec.persistent.map(idOf));
  const talks = new Map<Process, Map<number, Talk>>();
  const calls = new Map<Process, Map<string, Calls>>();
  /** Since when the peers of this life are connected. */
  const ups = new Map<Process, Map<string, number>>();
  const offences = new Map<Process, number>();
  const isPausing = context.scenario.timeline.some(({ action }) => action.kind === 'pause');
  const fail = (node: Process, text: string): void => {
    if (node.isCorrect) context.fail(name, `${node.name} ${text}`);
  };
  const indexOf = (id: string): number => world.processes.findIndex((one) => idOf(one.name) === id);
  const needed = (node: Process): readonly string[] => spec.persistent.filter((one) => one !== node.name);

  function onCall(node: Process, id: string): void {
    const peer = indexOf(id);
    const whom = world.processes[peer]?.name ?? id;
    if (id === idOf(node.name)) fail(node, 'calls itself');
    if (board.bannedBy(node.index).includes(peer)) fail(node, `calls ${whom}, which it banned`);
    const open = board.calledBy(node.index);
    if (open.includes(id) || board.establishedOf(node.index).some((one) => one.node === peer))
      fail(node, `calls ${whom}, with which it is connected or about to be`);
    if (spec.persistent.includes(whom)) onNeededCall(node, whom);
    else if (!spec.seeds.includes(whom)) {
      const others = open.filter((one) => !persistent.has(one));
      if (others.length >= spec.outboundMax) fail(node, `calls ${whom} beside ${others.length} others`);
    }
  }

  function callsOf(node: Process): Map<string, Calls> {
    const own = calls.get(node) ?? new Map<string, Calls>();
    calls.set(node, own);
    return own;
  }

  function onNeededCall(node: Process, whom: string): void {
    const own = callsOf(node);
    const before = own.get(whom);
    const count = before?.count ?? 0;
    const least = count === 0 ? 0 : Math.min(WAIT_MICROS.first * 2 ** (count - 1), WAIT_MICROS.longest);
    if (before !== undefined && world.now - before.at < least)
      fail(node, `calls ${whom} again after ${world.now - before.at} µs, in vain ${count} times`);
    if (before?.isSoon === true && !isPausing && world.now - before.at > AGAIN_WITHIN_MICROS)
      fail(node, `calls ${whom}, which has long been there, only after ${world.now - before.at} µs`);
    if (before !== undefined) checkWait(node, whom, before);
    own.set(whom, { count: count + 1, at: world.now, triedAt: world.now, isSoon: false });
  }

  /** Waits end, however often it was called in vain, but for a ban. */
  function checkWait(node: Process, whom: string, { triedAt }: Calls): void {
    const since = offences.get(node);
    if (isPausing || (since !== undefined && world.now - since < 2 * NEEDED_BAN_MICROS)) return;
    if (world.now - triedAt > CALLED_WITHIN_MICROS)
      fail(node, `needs ${whom}, and has not called it for ${world.now - triedAt} µs`);
  }

  /** From now on it is to be called again; it had been there for so long. */
  function onGone(node: Process, peer: string, micros: number): void {
    if (!needed(node).includes(peer)) return;
    const isSoon = micros >= STABLE_MICROS && board.banEnd(node.index, peer) === undefined;
    callsOf(node).set(peer, { count: 0, at: world.now, triedAt: world.now, isSoon });
  }

  /** The node has kept it for a moment, and waits longer for that. */
  function onBarelyThere(node: Process, peer: string): void {
    const before = calls.get(node)?.get(peer);
    if (before !== undefined) callsOf(node).set(peer, { ...before, triedAt: world.now, isSoon: false });
  }

  function onPeer(node: Process, peer: string, isUp: boolean): void {
    const own = ups.get(node) ?? new Map<string, number>();
    ups.set(node, own);
    const since = own.get(peer);
    if (isUp) own.set(peer, world.now);
    else if (own.delete(peer)) onGone(node, peer, world.now - (since ?? world.now));
  }

  /** Whoever is let in by nobody's ban has a place, unless it is there already or others of its kind have all of them. */
  function onRefused(node: Process, { name: peer }: Process, isOutbound: boolean): void {
    if (peer === node.name || board.banEnd(node.index, peer) !== undefined) return;
    const kept = board.keptBy(node.index);
    const old = kept.find((one) => one.peer === idOf(peer));
    if (old !== undefined && world.now - old.heardAt < ALIVE_MICROS) return;
    if (needed(node).includes(peer)) fail(node, `refuses ${peer}, which it needs`);
    const direction = isOutbound ? 'outbound' : 'inbound';
    const isPlaced = (id: string): boolean => needed(node).some((one) => idOf(one) === id);
    const alike = kept.filter(
      (one) => one !== old && one.direction === direction && !isPlaced(one.peer),
    ).length;
    if (alike < (isOutbound ? spec.outboundMax : spec.inboundMax))
      fail(node, `refuses ${peer}, and has ${alike} ${direction} peers`);
  }

  function talkOf(node: Process, link: number): Talk {
    const own = talks.get(node) ?? new Map<number, Talk>();
    talks.set(node, own);
    const talk = own.get(link) ?? { askedAt: undefined, isAnswered: true };
    own.set(link, talk);
    return talk;
  }

  function onSaid(node: Process, link: number, message: PexMessage): void {
    if (message.kind === 'addresses') {
      if (message.addresses.some(({ id }) => id === idOf(node.name)))
        fail(node, 'tells of itself as of another');
      return;
    }
    const talk = talkOf(node, link);
    if (!talk.isAnswered) fail(node, 'asks for addresses again before it has an answer');
    if (talk.askedAt !== undefined && world.now - talk.askedAt < ASK_MICROS)
      fail(node, `asks for addresses again after ${world.now - talk.askedAt} µs`);
    talk.askedAt = world.now;
    talk.isAnswered = false;
  }

  function checkBans(node: Process): void {
    for (const peer of needed(node)) {
      const end = board.banEnd(node.index, peer);
      if (end !== undefined && end - world.now > NEEDED_BAN_MICROS)
        fail(node, `bans ${peer}, which it needs, for ${end - world.now} µs`);
    }
  }

  return {
    name,
    ...hearing(
      ['started', 'called', 'connected', 'peer', 'disowned', 'dropped', 'refused', 'pexSaid', 'pexHeard'],
      (fact) => {
        if (fact.kind === 'started') {
          talks.delete(fact.node);
          calls.delete(fact.node);
          ups.delete(fact.node);
        } else if (fact.kind === 'called') onCall(fact.node, fact.address.id);
        else if (fact.kind === 'connected') {
          calls.get(fact.node)?.delete(fact.peer.name);
        } else if (fact.kind === 'peer') {
          onPeer(fact.node, fact.peer, fact.isUp);
        } else if (fact.kind === 'disowned') {
          if (fact.micros >= STABLE_MICROS) onGone(fact.node, fact.peer.name, fact.micros);
          else onBarelyThere(fact.node, fact.peer.name);
        } else if (fact.kind === 'dropped') {
          offences.set(fact.node, world.now);
          checkBans(fact.node);
        } else if (fact.kind === 'refused') {
          onRefused(fact.node, fact.peer, fact.isOutbound);
        } else if (fact.kind === 'pexSaid' || fact.kind === 'pexHeard') {
          const message = decodePexMessage(fact.bytes);
          if (!message.ok) return;
          if (fact.kind === 'pexSaid') onSaid(fact.node, fact.link, message.value);
          else if (message.value.kind === 'addresses') talkOf(fact.node, fact.link).isAnswered = true;
        }
      },
    ),
    finish() {
      for (const node of world.processes) {
        if (node.state !== 'up') continue;
        const connected = new Set(
          board.establishedOf(node.index).map((one) => world.processes[one.node]?.name),
        );
        for (const [peer, last] of calls.get(node) ?? [])
          if (!connected.has(peer)) checkWait(node, peer, last);
      }
    },
  };
}
