import { decodeBlocksyncMessage } from '../../../core/codec/messages.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';
import { isStream } from '../gossip/consensusGossip.ts';
import { slowest } from '../linkFaults.ts';
import { hasOddClocks } from '../timing/earlyTimeouts.ts';

/** Time within which a connected peer may announce its height (BlockSync's greeting). */
export const STATUS_WAIT_MICROS = 2_000_000;
/** Time within which a newly connected node says where it stands, beside the network's delay. */
const STANDING_MICROS = 1_000_000;
/** The node may drop a peer so much later than it decides to: the message waits for the WAL of the new height. */
const FAREWELL_MICROS = 1_000_000;

/** What a node that fetches blocks knows of a peer. */
export interface KnownSyncPeer {
  readonly since: number;
  /** Undefined until the peer has sent its status. */
  claim: { readonly base: number; readonly height: number } | undefined;
}

/**
 * A node changes from block sync to consensus only when it has what its peers claim to have and each peer has sent its
 * status or has had two seconds to do so. By then it also knows where those peers stand in consensus. Not judged with
 * faulty clocks or pauses.
 */
export function switchToConsensus(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world } = context;
  if (
    scenario.engine.blockSync !== true ||
    hasOddClocks(scenario) ||
    scenario.timeline.some(({ action }) => action.kind === 'pause')
  )
    return { name };
  const acquaintances = new Connections((): KnownSyncPeer => ({ since: world.now, claim: undefined }));
  /** Peers dropped once. A liar is not heard again, and a slow peer counts only if no other peer has anything. */
  const dropped = new Map<Process, Set<string>>();
  const syncing = new Set<Process>();
  const started = new Map<Process, number>();
  /** Whether no frame waits for another. */
  const isPrompt = isStream(scenario) && scenario.network.rate === 0;
  const knownMicros = isPrompt ? 2 * slowest(scenario) + STANDING_MICROS : Number.POSITIVE_INFINITY;
  /** Since when each correct node announces where it stands. During block sync it does not. */
  const speaking = new Map<string, number>();
  /** Problems that are reported unless the node drops the peer shortly after. */
  const pending = new Map<Process, { readonly at: number; readonly peer: string; readonly text: string }>();
  const failOn = (node: Process, isOver: boolean): void => {
    const found = pending.get(node);
    if (found === undefined || (!isOver && world.now - found.at <= FAREWELL_MICROS)) return;
    pending.delete(node);
    context.fail(name, `${node.name} begins consensus ${found.text}`);
  };
  const problemOf = (node: Process): { readonly peer: string; readonly text: string } | undefined => {
    const all = [...acquaintances.of(node)];
    const peers = all.filter(([peer]) => dropped.get(node)?.has(peer) !== true);
    const next = Math.max(node.head + 1, scenario.genesis.initialHeight);
    const higher = peers.find(
      ([, { claim }]) => claim !== undefined && claim.base <= next && claim.height > next,
    );
    if (higher !== undefined)
      return { peer: higher[0], text: `with block ${next} still to fetch, which ${higher[0]} has, and more` };
    const silent = peers.find(([, { claim }]) => claim === undefined);
    // If no peer has sent a status that the node listens to, the time counts from the start of the node.
    const isAlone = peers.every(([, { claim }]) => claim === undefined);
    const oldest = isAlone ? (started.get(node) ?? 0) : Math.min(...all.map(([, { since }]) => since));
    if (silent !== undefined && world.now - oldest < STATUS_WAIT_MICROS)
      return {
        peer: silent[0],
        text: `before ${silent[0]} has said how high it is, should wait ${STATUS_WAIT_MICROS} µs for that`,
      };
    const standing = node.node?.rpc?.consensus?.peers() ?? [];
    const unknown = peers.find(([peer, { since }]) => {
      // A peer that is gone may not have spoken before, and a slow one is late with everything.
      const { state, pace } = world.process(peer);
      const spoken = state === 'up' && pace.sync === undefined ? speaking.get(peer) : undefined;
      const isHeard = spoken !== undefined && world.now - Math.max(since, spoken) > knownMicros;
      return isHeard && standing.find(({ id }) => id === peer)?.round.height === 0;
    });
    return (
      unknown && {
        peer: unknown[0],
        text: `without knowing where ${unknown[0]} stands, though ${unknown[0]} has told it`,
      }
    );
  };
  const noteDropped = (node: Process, peer: string): void => {
    dropped.set(node, new Set([...(dropped.get(node) ?? []), peer]));
    if (pending.get(node)?.peer === peer) pending.delete(node);
  };
  return {
    name,
    ...hearing(['started', 'dropped', 'syncHeard', ...Connections.TOPICS], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      acquaintances.on(fact);
      if (fact.kind === 'started') {
        pending.delete(node);
        started.set(node, world.now);
        dropped.delete(node);
        syncing.delete(node);
        speaking.delete(node.name);
      } else if (fact.kind === 'dropped') noteDropped(node, fact.peer);
      else if (fact.kind === 'syncHeard' && syncing.has(node)) {
        const decoded = decodeBlocksyncMessage(fact.bytes);
        const peer = acquaintances.get(node, fact.peer);
        if (decoded.ok && decoded.value.kind === 'statusResponse' && peer !== undefined)
          peer.claim = { base: decoded.value.base, height: decoded.value.height };
      }
    }),
    look(node) {
      if (!node.isCorrect) return;
      failOn(node, false);
      if (node.node?.isSyncing() === true) syncing.add(node);
      else if (syncing.delete(node)) {
        speaking.set(node.name, world.now);
        const problem = problemOf(node);
        if (problem !== undefined) pending.set(node, { at: world.now, ...problem });
      }
    },
    finish() {
      for (const node of context.correct) failOn(node, true);
    },
  };
}
