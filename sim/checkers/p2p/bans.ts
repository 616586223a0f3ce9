import { MUTATE } from '../../byzantine/mutate.ts';
import type { Process } from '../../machine/process.ts';
import type { Switchboard } from '../../peers/switchboard.ts';
import type { ByzantineEntry } from '../../scenario/scenario.ts';
import { secondsText } from '../../words.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

const MINUTE = 60_000_000;
/** Each peer starts with so many points. A fault costs 40, and one point comes back each minute. */
const [POINTS, COST] = [100, 40];
const BAN_MINUTES = { first: 10, most: 24 * 60, needed: 1 } as const;

/** What one node holds against one peer. */
class Record {
  #points = POINTS;
  #at = 0;
  #bans = 0;
  endsAt = 0;

  onFault(now: number, isNeeded: boolean): void {
    this.#points = Math.min(POINTS, this.#points + Math.floor((now - this.#at) / MINUTE)) - COST;
    this.#at = now;
    if (this.#points > 0) return;
    const minutes = Math.min(BAN_MINUTES.first * 2 ** this.#bans, BAN_MINUTES.most);
    this.#bans += 1;
    this.#points = POINTS;
    this.endsAt = now + (isNeeded ? Math.min(minutes, BAN_MINUTES.needed) : minutes) * MINUTE;
  }
}

/**
 * A correct node bans a peer exactly when the peer's faults have used up its points, neither sooner nor later, and for
 * exactly the time that `BAN_MINUTES` gives. Written apart from core/p2p/standing.ts, to check it. Only the first life
 * of a node is judged: later lives may remember bans of earlier ones.
 */
export function bans(context: CheckerContext, board: Switchboard): Checker {
  const name = 'peers';
  const { world, scenario, fail } = context;
  const spoilers = new Set(scenario.byzantine.filter(spoilsAddresses).map(({ who }) => who));
  const records = new Map<Process, Map<string, Record>>();
  const isConnected = (node: Process, peer: string): boolean =>
    board.establishedOf(node.index).some((one) => world.processes[one.node]?.name === peer);

  function onFault(node: Process, peer: string): void {
    // A peer that has left meanwhile is not charged, even if the node above the sockets does not know yet that it left.
    if (!isConnected(node, peer)) return;
    // Peers that abuse the exchange of addresses are judged elsewhere.
    if (board.spec.liars.has(peer) || spoilers.has(peer) || node.lives > 1) return;
    const own = records.get(node) ?? new Map<string, Record>();
    records.set(node, own);
    const record = own.get(peer) ?? new Record();
    own.set(peer, record);
    record.onFault(world.now, board.isNeeded(peer));
  }

  function check(node: Process): void {
    for (const [peer, { endsAt }] of records.get(node) ?? []) {
      const end = board.banEnd(node.index, peer);
      const wanted = endsAt > world.now ? endsAt : undefined;
      if (end !== wanted)
        fail(name, `${node.name} bans ${peer} ${untilText(end)}, expected ${untilText(wanted)}`);
    }
  }

  return {
    name,
    ...hearing(['started', 'crashed', 'dropped', 'moved'], (fact) => {
      const { node } = fact;
      if (!node.isCorrect) return;
      if (fact.kind === 'started' || fact.kind === 'crashed') records.delete(node);
      else if (fact.kind === 'dropped') onFault(node, fact.peer);
      else check(node);
    }),
    finish() {
      for (const node of world.processes) if (node.state === 'up') check(node);
    },
  };
}

/** Such a node sends malformed addresses, for which a peer is banned at once for the longest time. */
const spoilsAddresses = ({ behaviour, args }: ByzantineEntry): boolean =>
  behaviour === MUTATE.id && ['any', 'addresses'].includes(String(args.get('message')));

const untilText = (end: number | undefined): string =>
  end === undefined ? 'no longer' : `until ${secondsText(end)} of the run`;
