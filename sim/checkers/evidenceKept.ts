import { evidenceHeight } from '../../core/evidence/verify.ts';
import type { Block } from '../../core/types/block.ts';
import type { Evidence } from '../../core/types/evidence.ts';
import type { ConsensusParams } from '../../core/types/params.ts';
import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import { type Checker, type CheckerContext, mayLose } from './checker.ts';
import { isTooOld, type When } from './proven.ts';
import { evidenceName, storedEvidence } from './storedEvidence.ts';

/** Blocks after which a node that has lived through them keeps nothing that was too old at the first. */
const CLEARED_BLOCKS = 3;
/** Where it always lives longer, no evidence gets so old in a run. */
const SHORT_LIVED_BLOCKS = 1_000;

/** A piece that no block has yet, and how many came since. */
interface Waiting {
  readonly evidence: Evidence;
  readonly blocks: number;
}

/**
 * What a node knows of offences outlives its power: with a block its evidence is marked as committed and waits no more, and
 * a piece that entered the pool is on the disk with the second block after it, at the latest; what a block has is never new again. What
 * is too old for any block is not kept.
 */
export function evidenceKept(context: CheckerContext): Checker {
  const name = 'durability';
  if (mayLose(context)) return { name };
  /** What each node took in this life and no block has yet, and how many blocks ago. */
  const fresh = new Map<Process, Map<string, Waiting>>();
  /** What blocks have that each node has told of: it may know of an offence before it tells, and take its block meanwhile. */
  const told = new Map<Process, Set<string>>();
  /** Those of the last heights: they may have changed since. */
  const paramsBy = (height: number): readonly ConsensusParams[] =>
    Array.from({ length: CLEARED_BLOCKS + 2 }, (_, i) => context.cluster.schedule.params(height - i));
  /** What the last block of the present life has: a piece may come while its block is being stored. */
  const last = new Map<Process, readonly string[]>();
  const check = (node: Process, { header, evidence: carried }: Block): void => {
    const { height } = header;
    const waiting = fresh.get(node) ?? new Map<string, Waiting>();
    const before = last.get(node) ?? [];
    last.set(node, carried.map(evidenceName));
    if (carried.length === 0 && waiting.size === 0 && before.length === 0) return;
    const { pending, committed } = storedEvidence(node);
    if (before.some((piece) => pending.has(piece)))
      context.fail(name, `${node.name} stores block ${height}, and evidence of the block before waits again`);
    const params = paramsBy(height + 1);
    for (const piece of carried.map(evidenceName)) {
      waiting.delete(piece);
      if (!committed.has(piece))
        context.fail(name, `${node.name} stores block ${height} and not that its evidence is committed`);
      else if (pending.has(piece))
        context.fail(name, `${node.name} stores block ${height}, and its evidence still waits for one`);
    }
    for (const [piece, { evidence, blocks }] of waiting) {
      if (blocks === 0) waiting.set(piece, { evidence, blocks: 1 });
      else waiting.delete(piece);
      const isOld = params.some((one) => isTooOld(one, whenOf(evidence), header));
      if (blocks > 0 && !isOld && !pending.has(piece) && !committed.has(piece))
        context.fail(
          name,
          `${node.name} stores block ${height}, and no evidence that it had before the last one`,
        );
    }
  };
  /** Blocks of the present life. */
  const lived = new Map<Process, number>();
  const isShortLived = context.cluster.schedule.allParams.some(
    ({ evidence }) => evidence.maxAgeNumBlocks <= SHORT_LIVED_BLOCKS,
  );
  const checkOld = (node: Process, height: number): void => {
    const blocks = (lived.get(node) ?? 0) + 1;
    lived.set(node, blocks);
    const before = node.node?.rpc?.chain.blockMeta(height - CLEARED_BLOCKS)?.header;
    if (blocks <= CLEARED_BLOCKS || before === undefined) return;
    const params = paramsBy(height + 1);
    for (const then of ofAll(node))
      if (params.every((one) => isTooOld(one, then, before)))
        context.fail(
          name,
          `${node.name} stores block ${height}, and keeps evidence of height ${then.height}`,
        );
  };
  return {
    name,
    ...hearing(['started', 'newEvidence', 'committed'], (fact) => {
      if (fact.kind === 'started') {
        fresh.delete(fact.node);
        last.delete(fact.node);
        lived.delete(fact.node);
      }
      if (fact.kind !== 'event' || !fact.node.isCorrect) return;
      const { node, event } = fact;
      if (event.kind === 'newEvidence') {
        const waiting = fresh.get(node) ?? new Map<string, Waiting>();
        const piece = evidenceName(event.evidence);
        fresh.set(node, waiting.set(piece, { evidence: event.evidence, blocks: 0 }));
        if (told.get(node)?.has(piece) === true)
          context.fail(name, `${node.name} takes evidence for new that a block of its own has`);
      }
      if (event.kind !== 'committed') return;
      check(node, event.block);
      if (isShortLived) checkOld(node, event.block.header.height);
      const known = told.get(node) ?? new Set();
      for (const piece of event.block.evidence.map(evidenceName)) told.set(node, known.add(piece));
    }),
  };
}

/** Of which height and time each piece in a node's database is. */
function ofAll(node: Process): readonly When[] {
  const { pending, committed } = storedEvidence(node);
  return [...pending.values(), ...committed.values()].map(whenOf);
}

const whenOf = (evidence: Evidence): When => ({
  height: evidenceHeight(evidence),
  time: evidence.timestamp,
});
