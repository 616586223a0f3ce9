import { addressItem, type LogItem, topicItem } from '../../events/index/logPosting.ts';
import { append } from '../../lib/append.ts';
import type { Height } from '../../types/ids.ts';
import { answerCharsMax } from '../answerRoom.ts';
import type { RpcContext } from '../context.ts';
import { heightAfter, numberOfHeight } from '../heightSteps.ts';
import { CODES, invalidParams, RpcError, serverError } from '../rpcError.ts';
import { isPending } from './at.ts';
import { type BlockId, headNumber, heightOf } from './blockId.ts';
import { checkCriteria, type LogCriteria, type LogFilter } from './logFilter.ts';
import { type LogJson, LogMatcher } from './logMatcher.ts';

const PENDING_UNSUPPORTED = 'pending logs are not supported';
const BLOCKS_PER_PAUSE = 8;
/** Approximate characters of a log without its data. */
const LOG_CHARS = 500;

const charsOf = (logs: readonly LogJson[]): number =>
  logs.reduce((sum, { data }) => sum + LOG_CHARS + data.length, 0);

/** Collects logs block by block up to the size limit of an answer: log data can be arbitrarily long. */
export class FoundLogs {
  readonly list: LogJson[] = [];
  readonly #charsMax: number;
  #chars = 0;

  constructor({ limits }: Pick<RpcContext, 'limits'>) {
    this.#charsMax = answerCharsMax(limits);
  }

  add(logs: readonly LogJson[]): void {
    append(this.list, logs);
    this.#chars += charsOf(logs);
  }

  get isLong(): boolean {
    return this.#chars > this.#charsMax;
  }
}

/** Chooses which heights of a range a search reads. */
interface Heights {
  next(from: Height, to: Height): Promise<Height | undefined>;
}

const EVERY_HEIGHT: Heights = { next: async (from, to) => (from <= to ? from : undefined) };

/** The criteria for the index: alternatives by address and by topic position. */
function groupsOf({ addresses, topics }: LogCriteria): readonly (readonly LogItem[])[] {
  const byTopic = topics.map((list, position) => list.map((topic) => topicItem(position, topic)));
  return [addresses.map(addressItem), ...byTopic].filter((group) => group.length > 0);
}

/**
 * Logs of heights from..to in order of block and logIndex. Pauses so that other work can run. With an index, blocks
 * that cannot match are neither read nor counted against the limit.
 */
async function searchHeights(
  ctx: RpcContext,
  matcher: LogMatcher,
  from: Height,
  to: Height,
): Promise<LogJson[]> {
  const { blockRangeMax } = ctx.limits;
  const { indexing } = ctx;
  const isIndexed = indexing?.kind === 'kv';
  // Starts at the lowest block kept: genesis has no logs, and the first block may have any height.
  const first = Math.max(from, ctx.chain.base());
  if (!isIndexed) checkSpan(ctx, to - first + 1);
  const heights = isIndexed ? indexing.search.logHeights(groupsOf(matcher.criteria)) : EVERY_HEIGHT;
  const found = new FoundLogs(ctx);
  for (let read = 1, at = first; ; read++, at++) {
    const height = await heights.next(at, to);
    if (height === undefined) return found.list;
    if (read > blockRangeMax) checkSpan(ctx, read);
    found.add(matcher.inHeight(ctx, height));
    checkCount(ctx, found.list.length);
    if (found.isLong && read > 1)
      throw serverError(`query returned logs of more than ${answerCharsMax(ctx.limits)} characters`);
    if (read % BLOCKS_PER_PAUSE === 0) await ctx.pause?.();
    at = height;
  }
}

function checkSpan(ctx: RpcContext, blocks: number): void {
  const { blockRangeMax } = ctx.limits;
  if (blocks > blockRangeMax) throw new RpcError(CODES.server, `exceed maximum block range ${blockRangeMax}`);
}

function checkCount({ limits: { logsMax } }: RpcContext, logs: number): void {
  if (logs > logsMax) throw serverError(`query returned more than ${logsMax} results`);
}

/** eth_getLogs and eth_getFilterLogs: geth's error codes, with configurable limits. */
export async function searchLogs(ctx: RpcContext, filter: LogFilter): Promise<LogJson[]> {
  checkCriteria(filter);
  const matcher = new LogMatcher(filter, ctx.suite.keccak256);
  if (filter.blockHash !== undefined) {
    const height = ctx.chain.heightOfEthHash(filter.blockHash);
    if (height === undefined) throw serverError('unknown block');
    const found = matcher.inHeight(ctx, height);
    checkCount(ctx, found.length);
    return found;
  }
  if (isPending(filter.from) || isPending(filter.to)) throw invalidParams(PENDING_UNSUPPORTED);
  const head = ctx.chain.head();
  const newest = BigInt(headNumber(ctx.chain));
  const range = [filter.from, filter.to].map((id) => (id?.kind === 'number' ? id.number : undefined));
  const [from, to] = range;
  if (from !== undefined && to !== undefined && from > to) throw invalidParams('invalid block range params');
  if (to !== undefined && to > newest) throw invalidParams('block range extends beyond current head block');
  // A client that polls from the block after the head gets an empty result, not an error.
  if (from !== undefined && from > newest) return [];
  const first = filter.from === undefined ? head : (heightOf(ctx.chain, filter.from) ?? head);
  const last = filter.to === undefined ? head : (heightOf(ctx.chain, filter.to) ?? head);
  // Genesis is stored under height 0, and the range may begin with a number below its own.
  if (numberOfHeight(ctx.chain, first) > numberOfHeight(ctx.chain, last))
    throw invalidParams('invalid block range params');
  return searchHeights(ctx, matcher, first, last);
}

/** The heights that a log filter or subscription may deliver: the three forms that geth allows. */
export function liveRange(
  ctx: RpcContext,
  filter: LogFilter,
): { readonly from: Height; readonly to: Height | undefined } {
  checkCriteria(filter);
  if (isPending(filter.from) || isPending(filter.to)) throw invalidParams(PENDING_UNSUPPORTED);
  const next = heightAfter(ctx.chain, ctx.chain.latest().height);
  const bound = (id: BlockId | undefined): Height | 'latest' => {
    if (id === undefined || (id.kind === 'tag' && id.tag === 'latest')) return 'latest';
    if (id.kind === 'tag' && id.tag === 'earliest') return 0;
    if (id.kind === 'number') return Number(id.number);
    throw invalidParams('invalid block range params');
  };
  const [from, to] = [bound(filter.from), bound(filter.to)];
  if (from === 'latest' && to === 'latest') return { from: next, to: undefined };
  if (from === 'latest' || (to !== 'latest' && to < from)) throw invalidParams('invalid block range params');
  return { from: Math.max(from, next), to: to === 'latest' ? undefined : to };
}
