import { equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { compared } from '../../expr/compared.ts';
import { type Chronicle, type DecidedBlock, holds } from '../../expr/evaluate.ts';
import { moneyOf } from '../../expr/money.ts';
import { OF_BLOCK_BEFORE, ofDecision } from '../../expr/sense.ts';
import type { Process } from '../../machine/process.ts';
import type { Expectation, Within } from '../../scenario/scenario.ts';
import { soundly } from '../../soundly.ts';
import { secondsText } from '../../words.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { BROKEN_OFF } from '../notJudged.ts';
import { Clocks, Conflicts } from '../safety/conflictsAndClocks.ts';
import { accused } from '../safety/framingAndCrashes.ts';
import { autoBound } from './liveness.ts';

type Wanted = Extract<Expectation, { kind: 'never' | 'eventually' | 'app' }>;

const withinText = (within: Within): string => {
  if (within === 'auto') return 'the time that a height may take';
  return 'heights' in within ? `${within.heights} heights` : secondsText(within.micros);
};

/** Heights that expressions remember. */
const HEIGHTS_MAX = 100_000;

/**
 * `never`, `eventually` and `app`: a sentence of the scenario about the whole cluster. The first two are judged as
 * things happen, `app` at the end.
 */
export function expression(context: CheckerContext, wanted: Wanted): Checker {
  const { world } = context;
  const blocks = new Map<number, DecidedBlock>();
  const hashes = new Map<Process, Map<number, string>>();
  const pieces = new Map<string, number>();
  const chronicle: Chronicle = {
    nodes: world.processes,
    blocks,
    hashOf: (node, height) => hashes.get(node)?.get(height),
    money: (node, what) => {
      const of = node ?? context.correct.find(({ state, disk }) => state === 'up' && !disk.isDamaged);
      const chain = of?.node?.rpc?.chain;
      return chain === undefined
        ? undefined
        : soundly(of, () => moneyOf(chain, what, context.cluster.feeMarket));
    },
    evidenceAgainst: (name) => pieces.get(name) ?? 0,
    conflictsOf: (name) => conflicts.of(name),
    clock: (which, votedHeight) => clocks.at(which, votedHeight),
  };
  const [conflicts, clocks] = [new Conflicts(context), new Clocks(context)];
  let isSettled = false;
  let from = 0;
  let heightAt = 0;
  const words = ofDecision(wanted.expr);
  const needsBlockBefore = words.some((word) => OF_BLOCK_BEFORE.includes(word));
  /** Whether there is all that the sentence speaks of. Where it is not, `not` would make it true. */
  const canTell = (block: DecidedBlock | undefined): boolean =>
    words.length === 0 ||
    (block !== undefined && (!needsBlockBefore || blocks.has(block.block.header.height - 1)));
  const look = (block?: DecidedBlock): void => {
    if (isSettled || wanted.kind === 'app' || !canTell(block)) return;
    if (!holds(wanted.expr, chronicle, block)) return;
    isSettled = true;
    const late = wanted.kind === 'eventually' && wanted.within !== undefined && isLate(wanted.within);
    if (wanted.kind === 'never') context.fail('never', `it happened: ${wanted.text}`);
    else if (late)
      context.fail(
        'eventually',
        `it came only at ${world.now / 1_000_000} s, not within ${withinText(wanted.within)}: ${wanted.text}`,
      );
  };
  let isStable = !context.scenario.timeline.some(({ action }) => action.kind === 'gst');
  const isLate = (within: Within): boolean => {
    if (!isStable) return false;
    if (within !== 'auto' && 'heights' in within) return blocks.size - heightAt > within.heights;
    return world.now - from > (within === 'auto' ? autoBound(context, heightAt, 1) : within.micros);
  };
  const decided = (node: Process, block: DecidedBlock, hash: Uint8Array): void => {
    const { height } = block.block.header;
    const own = hashes.get(node) ?? new Map<number, string>();
    if (own.size < HEIGHTS_MAX) own.set(height, toHex(hash));
    hashes.set(node, own);
    if (!node.isCorrect || blocks.has(height) || blocks.size >= HEIGHTS_MAX) return;
    blocks.set(height, block);
    for (const address of block.block.evidence.flatMap(accused)) {
      for (const { name, address: own } of context.cluster.members)
        if (equalBytes(own, address)) pieces.set(name, (pieces.get(name) ?? 0) + 1);
    }
    look(block);
  };
  return {
    name: wanted.kind,
    ...hearing(
      [
        'stable',
        'signed',
        'byzantineSigned',
        'committed',
        'moved',
        'crashed',
        'halted',
        'connected',
        'started',
      ],
      (fact) => {
        if (fact.kind === 'stable') [from, heightAt, isStable] = [world.now, blocks.size, true];
        if (fact.kind === 'signed' || fact.kind === 'byzantineSigned') conflicts.add(fact);
        if (fact.kind === 'signed') clocks.add(fact);
        if (fact.kind === 'event')
          decided(fact.node, { block: fact.event.block, at: world.now }, fact.event.blockId.hash);
        else if (fact.kind !== 'stable' && fact.kind !== 'signed' && fact.kind !== 'byzantineSigned') look();
      },
    ),
    finish() {
      look();
      if (wanted.kind === 'app' && !holds(wanted.expr, chronicle)) {
        const found = compared(wanted.expr, chronicle);
        const why = found.isUnknown ? ', for it asks what is not known' : '';
        context.fail('app', `it does not hold at the end${why}: ${wanted.text}\n${found.text}`);
      }
      if (wanted.kind === 'eventually' && !isSettled)
        context.fail('eventually', `it never came: ${wanted.text}`);
    },
    unjudged: (isBrokenOff) =>
      isBrokenOff && wanted.kind !== 'never' && !isSettled ? BROKEN_OFF : undefined,
  };
}
