import type { Bytes } from '../../../core/lib/bytes.ts';
import type { KnownAddress } from '../../../core/p2p/addressBook.ts';
import { formatPeerAddress, type PeerAddress } from '../../../core/p2p/peerAddress.ts';
import { decodePexMessage } from '../../../core/p2p/pexMessages.ts';
import type { Process } from '../../machine/process.ts';
import { idOf } from '../../peers/addresses.ts';
import { DIAL_MICROS, type Switchboard } from '../../peers/switchboard.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** A node looks for more peers this often, plus the sleep of its timer. */
const LOOK_MICROS = 31_000_000;
/** The checker looks at a node this often. */
const PERIOD_MICROS = 1_000_000;
/** An address is dialled again after this wait, which doubles with each failed dial up to `CALLS_MAX`. */
const RETRY_MICROS = 15_000_000;
const CALLS_MAX = 8;

/** What a node could do in its present life, and since when. */
interface Chances {
  /** Ids of the known addresses that the node may dial. */
  callable: Map<string, number>;
  /** Since when the node has a free outbound slot. */
  placeSince: number | undefined;
  calledAt: number;
  lookedAt: number;
  /** Failed dials of each address. */
  readonly calls: Map<string, { readonly id: string; readonly count: number; readonly at: number }>;
}

/**
 * A correct node with a free outbound slot and an address it may dial, dials before long. If nobody answers, it dials
 * the address again after longer and longer waits, and it forgets an address that never answered. Not judged in
 * scenarios with pauses.
 */
export function outboundSlots(context: CheckerContext, board: Switchboard): Checker {
  const name = 'peers';
  const { world } = context;
  const { persistent, unconditional, outboundMax } = board.spec;
  /** Dialled by a plan of their own. */
  const needed = new Set(persistent.map(idOf));
  /** They take up no slot. */
  const uncounted = new Set([...persistent, ...unconditional].map(idOf));
  const lives = new Map<Process, Chances>();
  const isPausing = context.scenario.timeline.some(({ action }) => action.kind === 'pause');

  const isDue = ({ attempts, lastAttempt }: Readonly<KnownAddress>): boolean =>
    lastAttempt === 0 || world.now - lastAttempt >= RETRY_MICROS * 2 ** Math.min(attempts, CALLS_MAX);

  function callableBy(node: Process): readonly string[] {
    const busy = new Set(board.keptBy(node.index).map(({ peer }) => peer));
    for (const one of board.calledBy(node.index)) busy.add(one);
    for (const one of board.bannedBy(node.index)) busy.add(idOf(world.processes[one]?.name ?? ''));
    return board
      .bookOf(node.index)
      .filter((known) => isDue(known) && !needed.has(known.address.id) && !busy.has(known.address.id))
      .map(({ address }) => address.id);
  }

  function look(node: Process, chances: Chances): void {
    chances.lookedAt = world.now;
    const book = board.bookOf(node.index);
    const known = new Set(book.map(({ address }) => formatPeerAddress(address)));
    for (const where of [...chances.calls.keys()]) if (!known.has(where)) chances.calls.delete(where);
    const vain = book.find(({ isOld, attempts }) => !isOld && attempts >= CALLS_MAX);
    if (vain !== undefined)
      context.fail(
        name,
        `${node.name} keeps the address of ${vain.address.id}, should forget it: ${vain.attempts} calls were never answered`,
      );
    const others = board.calledBy(node.index).filter((one) => !uncounted.has(one));
    chances.placeSince = others.length < outboundMax ? (chances.placeSince ?? world.now) : undefined;
    chances.callable = new Map(
      callableBy(node).map((id) => [id, chances.callable.get(id) ?? world.now] as const),
    );
    const { placeSince, calledAt } = chances;
    // A dial that nobody answers takes up a slot until the node gives it up.
    if (placeSince === undefined || world.now - Math.max(placeSince, calledAt + DIAL_MICROS) <= LOOK_MICROS)
      return;
    const missed = [...chances.callable].find(([, since]) => world.now - since > LOOK_MICROS);
    if (missed !== undefined)
      context.fail(
        name,
        `${node.name} has ${others.length} peers that it has called, should also call ${missed[0]}: it may have ${outboundMax}`,
      );
  }

  function onCall(node: Process, chances: Chances, address: PeerAddress): void {
    const { calls, callable } = chances;
    const { id } = address;
    callable.delete(id);
    // The dial may fill the last slot. If the node stands still, the next look comes when the slot is free again.
    if (!uncounted.has(id)) chances.placeSince = undefined;
    const isPlanned = needed.has(id) || board.spec.seeds.some((seed) => idOf(seed) === id);
    if (isPlanned) return;
    const where = formatPeerAddress(address);
    const { count, at } = calls.get(where) ?? { count: CALLS_MAX, at: 0 };
    // After so many dials the node forgets the address, and may hear of it again.
    if (count < CALLS_MAX && world.now - at < RETRY_MICROS * 2 ** count)
      context.fail(
        name,
        `${node.name} calls ${where} again after ${world.now - at} µs, in vain ${count} times before, should wait ${RETRY_MICROS * 2 ** count} µs`,
      );
    calls.set(where, { id, count: count < CALLS_MAX ? count + 1 : 1, at: world.now });
  }

  /** Once a peer has been reached, its failed dials count as none. */
  function onReached({ calls, callable }: Chances, peer: string): void {
    callable.delete(idOf(peer));
    for (const [where, call] of calls) if (call.id === idOf(peer)) calls.set(where, { ...call, count: 0 });
  }

  /** A peer that did not answer is taken to be wherever others say. It has not been dialled there yet. */
  function onTold({ calls }: Chances, bytes: Bytes): void {
    const message = decodePexMessage(bytes);
    if (!message.ok || message.value.kind !== 'addresses') return;
    for (const { id, ip: host, port } of message.value.addresses)
      for (const [where, call] of [...calls])
        if (call.id === id && where !== formatPeerAddress({ id, host, port })) calls.delete(where);
  }

  return {
    name,
    ...hearing(['started', 'called', 'connected', 'closedByPeer', 'moved', 'pexHeard'], (fact) => {
      const { node } = fact;
      if (!node.isCorrect || isPausing) return;
      const { now } = world;
      if (fact.kind === 'started')
        lives.set(node, {
          callable: new Map(),
          placeSince: undefined,
          calledAt: now,
          lookedAt: now,
          calls: new Map(),
        });
      const chances = lives.get(node);
      if (chances === undefined) return;
      if (fact.kind === 'called') {
        onCall(node, chances, fact.address);
        if (!needed.has(fact.address.id)) chances.calledAt = now;
      } else if (fact.kind === 'connected' || fact.kind === 'closedByPeer')
        onReached(chances, fact.peer.name);
      else if (fact.kind === 'pexHeard') onTold(chances, fact.bytes);
      else if (fact.kind === 'moved' && now - chances.lookedAt >= PERIOD_MICROS) look(node, chances);
    }),
  };
}
