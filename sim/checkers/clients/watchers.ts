import type { ChainReader } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { shownHead, shownLogs, shownReceipt, textOf } from '../../clients/answers/answers.ts';
import type { Listener } from '../../clients/listener.ts';
import { BOUND, type Watch } from '../../clients/watching/watch.ts';
import type { Watcher } from '../../clients/watching/watcher.ts';
import { cut, differenceOf, placed } from '../../difference.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';

/**
 * Between a commit and its event the node does other things, and it writes in portions. A subscriber may therefore be
 * one block behind a poll.
 */
const LAG_MAX = 1;

/** FOLLOW: filters and subscriptions report the chain's blocks and logs, each once, in order, none left out. */
export function watcherReports(context: CheckerContext, watchers: readonly Watcher[]): Checker {
  const name = 'watch';
  return {
    name,
    finish() {
      const longest = longestOf(context);
      if (longest === undefined) return;
      for (const { spec, complaints, watches } of watchers) {
        for (const complaint of complaints) context.fail(name, `${spec.name} at ${spec.at}: ${complaint}`);
        // The node that a client follows may be on the other side of a fork.
        if (!isTolerable(context)) continue;
        for (const watch of watches)
          for (const problem of problemsOf(watch, longest))
            context.fail(name, `${spec.name} at ${spec.at}: ${problem}`);
      }
    },
  };
}

/** The same for clients with subscriptions only, which may be cut off anywhere and ask for what they missed. */
export function listenerReports(context: CheckerContext, listeners: readonly Listener[]): Checker {
  const name = 'ws';
  return {
    name,
    finish() {
      const chain = longestOf(context);
      if (chain === undefined) return;
      for (const { spec, complaints, hearings } of listeners) {
        for (const complaint of complaints) context.fail(name, `${spec.name} at ${spec.at}: ${complaint}`);
        if (!isTolerable(context)) continue;
        for (const { start, heads, logs, receipts, missed } of hearings) {
          const wanted = expected(chain, start, chain.head());
          const gap = missed === undefined ? undefined : expected(chain, missed.from - 1, missed.to).logs;
          const problems = [
            difference('newHeads', heads, wanted.heads, []),
            difference('logs', logs, wanted.logs, []),
            difference('transactionReceipts', receipts, wanted.receipts, []),
            gap === undefined ? undefined : difference('eth_getLogs', missed?.logs ?? [], gap),
          ];
          for (const problem of problems)
            if (problem !== undefined) context.fail(name, `${spec.name} at ${spec.at}: ${problem}`);
        }
      }
    },
  };
}

export const longestOf = (context: CheckerContext): ChainReader | undefined => furthestOf(context)?.chain;

/**
 * The RPC of the correct node with the longest chain and a sound drive. Undefined if a node that decided more is down,
 * or if hard rollbacks have taken back blocks that nobody has decided again.
 */
export function furthestOf({ correct }: CheckerContext): RpcContext | undefined {
  const told = correct.flatMap(({ state, node, disk }) =>
    state === 'halted' || disk.isDamaged || node?.rpc === undefined ? [] : [node.rpc],
  );
  const [first, ...rest] = told;
  const furthest = first && rest.reduce((a, b) => (b.chain.head() > a.chain.head() ? b : a), first);
  const hasAll = correct.every(({ reached }) => reached <= (furthest?.chain.head() ?? 0));
  return hasAll ? furthest : undefined;
}

function problemsOf(watch: Watch, chain: ChainReader): readonly string[] {
  const { start, polled, heads } = watch;
  const polledTo = expected(chain, start, polled);
  const heardTo = expected(chain, start, start + heads.length);
  const end = start + BOUND;
  const found = [
    difference('block filter', watch.polledBlocks, polledTo.hashes),
    difference('log filter', watch.polledLogs, polledTo.logs),
    difference('log filter by topics', watch.polledTopical, polledTo.topical),
    difference(
      'log filter with an end',
      watch.polledBounded,
      expected(chain, start, Math.min(polled, end)).logs,
    ),
    difference('newHeads', heads, heardTo.heads),
    difference('logs', watch.logs, heardTo.logs, expected(chain, start, start + heads.length - LAG_MAX).logs),
    difference(
      'transactionReceipts',
      watch.receipts,
      heardTo.receipts,
      expected(chain, start, start + heads.length - LAG_MAX).receipts,
    ),
    difference(
      'logs by topics',
      watch.topical,
      heardTo.topical,
      expected(chain, start, start + heads.length - LAG_MAX).topical,
    ),
    difference(
      'logs with an end',
      watch.bounded,
      expected(chain, start, Math.min(start + heads.length, end)).logs,
      expected(chain, start, Math.min(start + heads.length - LAG_MAX, end)).logs,
    ),
    start + heads.length < polled - LAG_MAX
      ? `newHeads ended at ${start + heads.length}, polls at ${polled}`
      : undefined,
  ];
  return found.filter((problem) => problem !== undefined);
}

/** What the chain holds after height `start`, up to and including `end`, as JSON text. */
function expected(chain: ChainReader, start: number, end: number) {
  const hashes: string[] = [];
  const heads: string[] = [];
  const logs: string[] = [];
  const receipts: string[] = [];
  /** Logs with at least one topic. */
  const topical: string[] = [];
  for (let height = Math.max(start + 1, chain.base()); height <= Math.min(end, chain.head()); height++) {
    const block = present(chain.ethBlock(height), 'a kept block');
    hashes.push(to0xHex(block.hash));
    heads.push(textOf(shownHead(block)));
    receipts.push(...block.receipts.map((_, i) => textOf(shownReceipt(block, i))));
    for (const { log, shown } of shownLogs(block)) {
      logs.push(textOf(shown));
      if (log.topics.length > 0) topical.push(textOf(shown));
    }
  }
  return { hashes, heads, logs, receipts, topical };
}

/** `told` is a prefix of `wanted` and at least as long as `least`. */
function difference(
  what: string,
  told: readonly string[],
  wanted: readonly string[],
  least = wanted,
): string | undefined {
  const wrong = told.findIndex((one, i) => one !== wanted[i]);
  if (wrong >= 0) {
    const found = present(differenceOf(fieldsIn(told[wrong]), fieldsIn(wanted[wrong])), 'a difference');
    return `${what} told as entry ${wrong}${placed(found)} ${found.is}, expected ${found.should}`;
  }
  return told.length < least.length
    ? `${what} told ${told.length} of ${least.length}, ${cut(wanted[told.length] ?? 'nothing')} is missing`
    : undefined;
}

/** The fields that `textOf` wrote, or else the text. */
const fieldsIn = (text: string | undefined): unknown =>
  text?.startsWith('[') ? Object.fromEntries(JSON.parse(text) as [string, unknown][]) : text;
