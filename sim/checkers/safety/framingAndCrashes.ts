import { type Bytes, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import type { Block, BlockId } from '../../../core/types/block.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';
import { hasFault, mayDisorder, slowest } from '../linkFaults.ts';
import { NewDisks } from './newDisk.ts';

/** Addresses of the validators that the evidence accuses. */
export function accused(evidence: Evidence): readonly Bytes[] {
  if (evidence.kind === 'duplicate-vote') return [evidence.voteA.validatorAddress];
  return evidence.byzantineValidators.map((validator) => validator.address);
}

/** The height of the signatures that the evidence shows. */
const signedAt = (evidence: Evidence): number =>
  evidence.kind === 'duplicate-vote' ? evidence.voteA.height : evidence.conflictingBlock.header.height;

/**
 * NOFRAME: no evidence accuses a correct validator, and no correct node drops a correct peer for what it said. The
 * second half is judged only while the network damages no frame and all correct nodes share one chain. On a fork, each
 * side's messages are wrong for the other side.
 */
export function noFraming(context: CheckerContext): Checker {
  const name = 'no_framing';
  const correct = new Map<string, Process>();
  for (const member of context.cluster.members) {
    const node = context.correct.find((one) => one.name === member.name);
    if (node !== undefined) correct.set(toHex(member.address), node);
  }
  const newDisks = new NewDisks(context);
  const decided = new Map<number, Bytes>();
  let hasForked = false;
  const note = ({ block, blockId }: { readonly block: Block; readonly blockId: BlockId }): void => {
    const { height } = block.header;
    const first = decided.get(height);
    if (first === undefined) decided.set(height, blockId.hash);
    else hasForked ||= !equalBytes(first, blockId.hash);
  };
  const check = (evidence: Evidence, where: string): void => {
    for (const address of accused(evidence)) {
      const victim = correct.get(toHex(address));
      if (victim === undefined) continue;
      if (newDisks.mayRepeat(victim, signedAt(evidence))) continue;
      context.fail(name, `${evidence.kind} evidence against ${victim.name}, which is correct, is ${where}`);
    }
  };
  return {
    name,
    ...hearing(['dropped', 'newEvidence', 'committed', ...NewDisks.TOPICS], (fact) => {
      newDisks.on(fact);
      if (fact.kind === 'dropped') {
        const isInnocent = context.correct.some((node) => node.name === fact.peer);
        if (!fact.node.isCorrect || !isInnocent || hasForked || hasFault(context, 'corruptPpm')) return;
        if (isSilence(fact.reason) && mayTake(context, SILENT_MICROS)) return;
        if (isDisorder(fact.reason) && mayDisorder(context)) return;
        if (fact.reason === 'blocksync: too slow' && mayTake(context, FAR_MICROS)) return;
        context.fail(name, `${fact.node.name} dropped ${fact.peer}, which is correct: ${fact.reason}`);
      }
      if (fact.kind !== 'event' || !fact.node.isCorrect) return;
      const { event } = fact;
      if (event.kind === 'newEvidence') check(event.evidence, `in the pool of ${fact.node.name}`);
      else {
        note(event);
        for (const evidence of event.block.evidence) check(evidence, `in block ${event.block.header.height}`);
      }
    }),
  };
}

/**
 * A block that comes twice, or a height that comes after a later one. A stream never delivers these
 * (core/sync/blockSync.ts).
 */
const isDisorder = (reason: string): boolean =>
  /^blocksync: (block \d+ was not asked for|height lowered)/.test(reason);

/** Nothing came in time (core/sync/blockQueue.ts). The node cannot tell whether the peer or the link was held up. */
const isSilence = (reason: string): boolean => reason.startsWith('blocksync: no block for');

/** Half of the time within which an awaited block must come if other peers have it, too (core/sync/blockQueue.ts). */
const FAR_MICROS = 1_000_000;
/** Less than half of the time within which it must come at all (core/sync/blockQueue.ts). */
const SILENT_MICROS = 7_000_000;

/** A request or its answer may take so long, or the link or a drive may hold it up. */
const mayTake = (context: CheckerContext, micros: number): boolean =>
  mayDelay(context) || slowest(context.scenario) >= micros;

const HOLD_UPS: readonly string[] = ['pause', 'clog', 'swizzle', 'partition', 'jump', 'skew'];

/** A node answers nobody while its own drive takes no records. */
const isHoldUp = ({ action }: CheckerContext['scenario']['timeline'][number]): boolean =>
  HOLD_UPS.includes(action.kind) ||
  (action.kind === 'disk' && (action.fault === 'full' || action.fault === 'slow')) ||
  (action.kind === 'link' && action.faults.rate !== undefined);

const mayDelay = (context: CheckerContext): boolean =>
  hasFault(context, 'lossPpm') ||
  context.scenario.network.rate > 0 ||
  context.scenario.timeline.some(isHoldUp);

/**
 * Messages with which a node refuses what its drive returned (core/lib/storageFault.ts, recovery.ts, assembly.ts;
 * core/node/silence.ts; adapters/disk).
 */
const isRefusal = (reason: string): boolean =>
  /storage fault|EIO|validator's state is stale|restore the data directory from a backup/.test(reason);

/**
 * A correct node never stops itself and its code never throws, whatever the others do. Excused: a node whose own drive
 * broke its promises may refuse to go on, and must say so.
 */
export function noCrash(context: CheckerContext): Checker {
  const name = 'no_crash';
  return {
    name,
    ...hearing(['halted'], (fact) => {
      if (!fact.node.isCorrect) return;
      if (fact.node.disk.isDamaged && isRefusal(fact.reason)) return;
      // On a fork a node may have to stop. An exception, however, is always its own bug.
      if (!isTolerable(context) && !fact.reason.startsWith('threw ')) return;
      context.fail(name, `${fact.node.name} stopped: ${fact.reason}`);
    }),
  };
}
