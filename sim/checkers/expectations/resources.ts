import { EVIDENCE_RANGE } from '../../../core/evidence/pool.ts';
import type { Process } from '../../machine/process.ts';
import type { Expectation, ResourceName } from '../../scenario/scenario.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

type Wanted = Extract<Expectation, { kind: 'resources' }>;

/** Pieces of evidence counted at most: far above what a pool takes. */
const EVIDENCE_MAX = 100_000;

/** What a node holds by its own count; undefined while there is nothing to count. */
const COUNTS: Readonly<Record<ResourceName, (node: Process) => number | undefined>> = {
  pool_txs: (node) => {
    const stats = node.node?.rpc?.pool.stats();
    return stats === undefined ? undefined : stats.pending + stats.queued;
  },
  pool_bytes: (node) => node.node?.rpc?.pool.stats().bytes,
  evidence: (node) => node.disk.kv.range({ ...EVIDENCE_RANGE, limitMax: EVIDENCE_MAX }).length,
  log_bytes: (node) => node.disk.log.size,
  store_entries: (node) => node.disk.kv.size,
  ws_queue: (node) => [...node.wires].reduce((most, { unread }) => Math.max(most, unread.length), 0),
  consensus_stall: (node) => node.stallMicros,
};

/**
 * RES: no correct node among the given ones ever holds more than the scenario says. Checked whenever its consensus
 * moves on, its pool takes a transaction, and at the end: where the chain stands still, most is held. Counts come from the node itself and not from the host, so every run gives the same numbers.
 */
export function resources(context: CheckerContext, wanted: Wanted): Checker {
  const name = 'resources';
  const told = new Set<string>();
  const look = (node: Process): void => {
    for (const [resource, most] of wanted.limits) {
      const held = COUNTS[resource](node);
      const key = `${node.name}/${resource}`;
      if (held === undefined || held <= most || told.has(key)) continue;
      told.add(key);
      context.fail(name, `${node.name} has ${resource} ${held}, should have at most ${most}`);
    }
  };
  const isMeant = ({ isCorrect, name }: Process): boolean =>
    isCorrect && (wanted.nodes === undefined || wanted.nodes.includes(name));
  return {
    name,
    ...hearing(['moved', 'admitted'], ({ node }) => {
      if (isMeant(node)) look(node);
    }),
    finish() {
      for (const node of context.world.processes) if (isMeant(node)) look(node);
    },
  };
}
