import { evidenceHeight } from '../../../core/evidence/verify.ts';
import type { Block } from '../../../core/types/block.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { ConsensusParams } from '../../../core/types/params.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import { type Checker, type CheckerContext, mayLose } from '../checker.ts';
import { isTooOld, type When } from './duplicateVotes.ts';
import { evidenceName, storedEvidence } from './storedEvidence.ts';

/** A node that has run through this many blocks keeps no evidence that was too old at the first of them. */
const CLEARED_BLOCKS = 3;
/** If evidence never expires sooner than this, none gets too old in a run, and expiry is not checked. */
const SHORT_LIVED_BLOCKS = 1_000;

/** Evidence that no block carries yet, and the number of blocks since the node took it in. */
interface Waiting {
  readonly evidence: Evidence;
  readonly blocks: number;
}

/**
 * Evidence survives a crash. When a block carries a piece, storing the block marks the piece as committed and removes
 * it from the pending ones. A piece that entered the pool is on disk by the second block after. A piece that a block
 * carries is never taken for new again. A piece that is too old for any block is deleted. Not judged where drives may
 * lose data.
 */
export function evidenceKept(context: CheckerContext): Checker {
  const name = 'durability';
  if (mayLose(context)) return { name };
  /** Evidence that each node took in during this life and that no block carries yet. */
  const fresh = new Map<Process, Map<string, Waiting>>();
  /**
   * Evidence in the blocks that each node has announced. A node may have taken in a piece before it announces that, and
   * store the block that carries it meanwhile; so only announced blocks count.
   */
  const told = new Map<Process, Set<string>>();
  /** Parameters of the last heights, because they may have changed since. */
  const paramsBy = (height: number): readonly ConsensusParams[] =>
    Array.from({ length: CLEARED_BLOCKS + 2 }, (_, i) => context.cluster.schedule.params(height - i));
  /** The evidence in the last block of the present life. A piece may arrive while its block is being stored. */
  const last = new Map<Process, readonly string[]>();
  const check = (node: Process, { header, evidence: carried }: Block): void => {
    const { height } = header;
    const waiting = fresh.get(node) ?? new Map<string, Waiting>();
    const before = last.get(node) ?? [];
    last.set(node, carried.map(evidenceName));
    if (carried.length === 0 && waiting.size === 0 && before.length === 0) return;
    const { pending, committed } = storedEvidence(node);
    if (before.some((piece) => pending.has(piece)))
      context.fail(
        name,
        `${node.name} stores block ${height}, and evidence that the block before held waits again for a block`,
      );
    const params = paramsBy(height + 1);
    for (const piece of carried.map(evidenceName)) {
      waiting.delete(piece);
      if (!committed.has(piece))
        context.fail(
          name,
          `${node.name} stores block ${height}, should also store that its evidence is committed`,
        );
      else if (pending.has(piece))
        context.fail(
          name,
          `${node.name} stores block ${height}, and the evidence in it still waits for a block`,
        );
    }
    for (const [piece, { evidence, blocks }] of waiting) {
      if (blocks === 0) waiting.set(piece, { evidence, blocks: 1 });
      else waiting.delete(piece);
      const isOld = params.some((one) => isTooOld(one, whenOf(evidence), header));
      if (blocks > 0 && !isOld && !pending.has(piece) && !committed.has(piece))
        context.fail(
          name,
          `${node.name} stores block ${height}, and has lost evidence that it had before the block before and that no block holds`,
        );
    }
  };
  /** Blocks stored in the present life. */
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
          `${node.name} stores block ${height}, should have deleted evidence of height ${then.height}, which is too old for any block`,
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
          context.fail(
            name,
            `${node.name} takes evidence as new at height ${node.decided + 1}, though a block that it has stored holds it`,
          );
      }
      if (event.kind !== 'committed') return;
      check(node, event.block);
      if (isShortLived) checkOld(node, event.block.header.height);
      const known = told.get(node) ?? new Set();
      for (const piece of event.block.evidence.map(evidenceName)) told.set(node, known.add(piece));
    }),
  };
}

/** Height and time of each piece in a node's database. */
function ofAll(node: Process): readonly When[] {
  const { pending, committed } = storedEvidence(node);
  return [...pending.values(), ...committed.values()].map(whenOf);
}

const whenOf = (evidence: Evidence): When => ({
  height: evidenceHeight(evidence),
  time: evidence.timestamp,
});
