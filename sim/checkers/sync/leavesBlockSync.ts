import { decodeBlocksyncMessage } from '../../../core/codec/messages.ts';
import type { Process } from '../../machine/process.ts';
import { totalOf } from '../../schedule.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';
import { isPrompt } from '../progressCore.ts';
import { hasOddClocks } from '../timing/earlyTimeouts.ts';
import { isSluggish } from '../timing/waitingTime.ts';
import { type KnownSyncPeer, STATUS_WAIT_MICROS } from './switchToConsensus.ts';

/** How long a node waits if no peer has sent its status (BlockSync's silence). */
const SILENCE_MICROS = 15_000_000;
/** Two ticks and a write of the WAL. */
const SLACK_MICROS = 3_000_000;

interface Life {
  readonly startedAt: number;
  /** Since when nothing keeps the node from consensus. */
  idleSince: number | undefined;
  hasDropped: boolean;
}

/**
 * A node leaves block sync when there is nothing left to fetch: each peer has sent its status and none is higher; or no
 * other nodes can have decided anything without its power; or no peer sends anything at all. Not judged with faulty
 * clocks, pauses, drives in trouble or dropped peers.
 */
export function leavesBlockSync(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world, cluster } = context;
  const isOff = hasOddClocks(scenario) || scenario.timeline.some(({ action }) => action.kind === 'pause');
  if (scenario.engine.blockSync !== true || isOff) return { name };
  const lives = new Map<Process, Life>();
  const peers = new Connections((): KnownSyncPeer => ({ since: world.now, claim: undefined }));
  /** The node's power in thirds of the total, rounded down; 3 is all of it. */
  const thirds = (node: Process, height: number): bigint => {
    const voters = cluster.schedule.voters(height);
    const own = voters.find((one) => one.name === node.name)?.power ?? 0n;
    return (3n * own) / totalOf(voters);
  };
  const mayBegin = (node: Process, { startedAt }: Life): boolean => {
    const next = Math.max(node.head + 1, cluster.genesis.initialHeight);
    const all = [...peers.of(node).values()];
    const power = thirds(node, next);
    if (power === 3n) return true;
    if (all.every(({ claim }) => claim === undefined)) {
      if (power > 0n) return world.now - startedAt > STATUS_WAIT_MICROS;
      return all.length > 0 && all.every(({ since }) => world.now - since > SILENCE_MICROS);
    }
    return all.every(
      ({ claim, since }) =>
        (claim === undefined && world.now - since > STATUS_WAIT_MICROS) ||
        (claim !== undefined && (claim.base > next || claim.height <= next)),
    );
  };
  const check = (node: Process): void => {
    const life = lives.get(node);
    if (life === undefined || node.node?.isSyncing() !== true || life.hasDropped || node.state !== 'up')
      return;
    if (!isPrompt(node) || isSluggish(node, scenario) || !mayBegin(node, life)) {
      life.idleSince = undefined;
      return;
    }
    life.idleSince ??= world.now;
    if (world.now - life.idleSince <= SLACK_MICROS) return;
    life.idleSince = undefined;
    context.fail(name, `${node.name} goes on fetching blocks, though there is nothing left to fetch`);
  };
  return {
    name,
    ...hearing(['started', 'dropped', 'syncHeard', ...Connections.TOPICS], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      if (fact.kind === 'started')
        lives.set(node, { startedAt: world.now, idleSince: undefined, hasDropped: false });
      peers.on(fact);
      const life = lives.get(node);
      if (life === undefined) return;
      if (fact.kind === 'dropped') life.hasDropped = true;
      else if (fact.kind === 'syncHeard') {
        const decoded = decodeBlocksyncMessage(fact.bytes);
        const peer = peers.get(node, fact.peer);
        if (!decoded.ok || decoded.value.kind !== 'statusResponse' || peer === undefined) return;
        const { base, height } = decoded.value;
        peer.claim = { base, height: Math.max(height, peer.claim?.height ?? 0) };
      }
    }),
    look: check,
  };
}
