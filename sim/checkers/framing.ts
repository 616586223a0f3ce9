import { type Bytes, equalBytes, toHex } from '../../core/lib/bytes.ts';
import type { Block, BlockId } from '../../core/types/block.ts';
import type { Evidence } from '../../core/types/evidence.ts';
import type { Process } from '../machine/process.ts';
import { hearing } from '../world/facts.ts';
import { type Checker, type CheckerContext, isTolerable } from './checker.ts';
import { hasFault, mayDisorder } from './linkFaults.ts';
import { NewDisks } from './newDisk.ts';

/** Addresses that a piece of evidence accuses. */
export function accused(evidence: Evidence): readonly Bytes[] {
  if (evidence.kind === 'duplicate-vote') return [evidence.voteA.validatorAddress];
  return evidence.byzantineValidators.map((validator) => validator.address);
}

/**
 * NOFRAME: no evidence names a correct identity, and no correct node drops a correct peer for what it said. The second
 * half holds only while the network itself damages nothing, and all of them share one chain: on two, each says what is
 * wrong on the other.
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
      if (evidence.kind === 'duplicate-vote' && newDisks.mayRepeat(victim, evidence.voteA.height)) continue;
      context.fail(name, `${evidence.kind} evidence against ${victim.name} ${where}`);
    }
  };
  return {
    name,
    ...hearing(['dropped', 'newEvidence', 'committed', ...NewDisks.TOPICS], (fact) => {
      newDisks.on(fact);
      if (fact.kind === 'dropped') {
        const isInnocent = context.correct.some((node) => node.name === fact.peer);
        if (!fact.node.isCorrect || !isInnocent || hasForked || hasFault(context, 'corruptPpm')) return;
        if (isSilence(fact.reason) && mayDelay(context)) return;
        if (isDisorder(fact.reason) && mayDisorder(context)) return;
        if (fact.reason === 'blocksync: too slow' && isFar(context)) return;
        context.fail(name, `${fact.node.name} dropped ${fact.peer}: ${fact.reason}`);
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

/** Blocks that come again, and heights that come after later ones, which a stream never brings (core/sync/blockSync.ts). */
const isDisorder = (reason: string): boolean =>
  /^blocksync: (block \d+ was not asked for|height lowered)/.test(reason);

/** Nothing came in time (core/sync/blockQueue.ts): who was held up, or whom it waits for, cannot be told apart. */
const isSilence = (reason: string): boolean => reason.startsWith('blocksync: no block for');

/** Half of the time in which a block that is waited for has to come, while others have it too (core/sync/blockQueue.ts). */
const FAR_MICROS = 1_000_000;

/** A question and its answer may take longer than a peer has for them. */
const isFar = (context: CheckerContext): boolean => {
  const { network, timeline } = context.scenario;
  const links = timeline.flatMap(({ action }) => (action.kind === 'link' ? (action.faults.delay ?? []) : []));
  return mayDelay(context) || [network.delay, ...links].some(({ high }) => high >= FAR_MICROS);
};

const HOLD_UPS: readonly string[] = ['pause', 'clog', 'swizzle', 'partition', 'jump', 'skew'];

const mayDelay = (context: CheckerContext): boolean =>
  hasFault(context, 'lossPpm') ||
  context.scenario.timeline.some(({ action }) => HOLD_UPS.includes(action.kind));

/** How a node says that it will not go on with what its drive gave back (core/lib/storageFault.ts, recovery.ts, assembly.ts; adapters/disk). */
const isRefusal = (reason: string): boolean =>
  /storage fault|EIO|restore the data directory from a backup/.test(reason);

/**
 * A correct node never stops itself and its code never throws, whatever the others do. Only a node whose own drive broke
 * its promises may refuse to go on, and must say so.
 */
export function noCrash(context: CheckerContext): Checker {
  const name = 'no_crash';
  return {
    name,
    ...hearing(['halted'], (fact) => {
      if (!fact.node.isCorrect) return;
      if (fact.node.disk.isDamaged && isRefusal(fact.reason)) return;
      // On a fork a node may have to stop; what it threw is a mistake of its own, whoever lied to it.
      if (!isTolerable(context) && !fact.reason.startsWith('threw ')) return;
      context.fail(name, `${fact.node.name} stopped: ${fact.reason}`);
    }),
  };
}
