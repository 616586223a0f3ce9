/** Blocks, headers, commits, results, and the validators and parameters in force at a height. */
import {
  base64Json,
  blockIdJson,
  blockJson,
  blockMetaJson,
  commitJson,
  eventJson,
  headerJson,
  paramsJson,
  txResultJson,
  validatorJson,
  validatorUpdateJson,
} from '../../../codec/json.ts';
import type { Bytes } from '../../../lib/bytes.ts';
import { ZERO_BLOCK_ID } from '../../../types/block.ts';
import type { Height } from '../../../types/ids.ts';
import type { PageRoom } from '../../answerRoom.ts';
import type { RpcContext } from '../../context.ts';
import { heightAfter } from '../../heightSteps.ts';
import { serverError } from '../../rpcError.ts';
import { pageOf, resolveHeight } from '../heights.ts';
import { type CometMethod, method } from '../method.ts';

const METAS_MAX = 20;
const BY_HEIGHT = { height: 'int64?' } as const;
const WHEN_HEIGHT = { whenGiven: 'height' } as const;

const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

export function blockAnswer(ctx: RpcContext, height: Height | undefined, page?: PageRoom) {
  const block = height === undefined ? undefined : ctx.chain.block(height);
  const meta = height === undefined ? undefined : ctx.chain.blockMeta(height);
  if (block === undefined || meta === undefined) return { block_id: blockIdJson(ZERO_BLOCK_ID), block: null };
  page?.addBlock(block.txs);
  return { block_id: blockIdJson(meta.blockId), block: blockJson(block) };
}

function headerAnswer(ctx: RpcContext, height: Height | undefined) {
  const meta = height === undefined ? undefined : ctx.chain.blockMeta(height);
  return { header: meta === undefined ? null : headerJson(meta.header) };
}

/** A hash of another length than 32 bytes belongs to no block. */
const heightOfHash = (ctx: RpcContext, hash: Bytes): Height | undefined =>
  hash.length === 32 ? ctx.chain.heightOfBlockHash(hash) : undefined;

function blockchain(ctx: RpcContext, asked: { readonly minHeight: bigint; readonly maxHeight: bigint }) {
  const { chain } = ctx;
  const [base, head] = [BigInt(chain.base()), BigInt(chain.head())];
  if (asked.minHeight < 0n || asked.maxHeight < 0n) throw serverError('heights must be non-negative');
  const askedMax = asked.maxHeight === 0n || asked.maxHeight > head ? head : asked.maxHeight;
  const floor = askedMax - BigInt(METAS_MAX) + 1n;
  let min = asked.minHeight === 0n ? 1n : asked.minHeight;
  if (min < base) min = base;
  if (min < floor) min = floor;
  if (min > askedMax) throw serverError(`min height ${min} can't be greater than max height ${askedMax}`);
  const metas: ReturnType<typeof blockMetaJson>[] = [];
  for (let height = Number(askedMax); height >= Number(min); height--) {
    const meta = chain.blockMeta(height);
    if (meta !== undefined) metas.push(blockMetaJson(meta));
  }
  return { last_height: head.toString(), block_metas: metas };
}

function commitAnswer(ctx: RpcContext, asked: bigint | undefined) {
  const { chain } = ctx;
  const head = chain.head();
  const height = resolveHeight(ctx, asked, head);
  const meta = chain.blockMeta(height);
  if (meta === undefined) return null;
  // The head's canonical commit is in the next block, which does not exist yet: return the commit that this node has
  // seen.
  const canonical = height === head ? undefined : chain.commit(height);
  const commit = canonical ?? chain.seenCommit(height);
  if (commit === undefined) return null;
  const signed_header = { header: headerJson(meta.header), commit: commitJson(commit) };
  return { signed_header, canonical: canonical !== undefined };
}

function blockResults(ctx: RpcContext, asked: bigint | undefined) {
  const height = resolveHeight(ctx, asked, ctx.chain.head());
  const results = ctx.chain.results(height);
  if (results === undefined) throw serverError(`could not find results for height #${height}`);
  return {
    height: String(height),
    txs_results: orNull(results.txResults.map(txResultJson)),
    finalize_block_events: orNull(results.events.map(eventJson)),
    validator_updates: orNull(results.validatorUpdates.map(validatorUpdateJson)),
    consensus_param_updates: results.paramUpdates === undefined ? null : paramsJson(results.paramUpdates),
    app_hash: base64Json(results.appHash),
  };
}

export const blockMethods: readonly CometMethod[] = [
  method({
    method: 'blockchain',
    args: { minHeight: 'int64', maxHeight: 'int64' },
    caching: 'always',
    doc: 'Block metas, newest first, at most twenty.',
    run: blockchain,
  }),
  method({
    method: 'block',
    args: BY_HEIGHT,
    caching: WHEN_HEIGHT,
    doc: 'The block at a height.',
    run: (ctx, { height }) => blockAnswer(ctx, resolveHeight(ctx, height, ctx.chain.head())),
  }),
  method({
    method: 'block_by_hash',
    args: { hash: 'bytes' },
    caching: 'always',
    doc: 'The block of a hash; null when unknown.',
    run: (ctx, { hash }) => blockAnswer(ctx, heightOfHash(ctx, hash)),
  }),
  method({
    method: 'block_results',
    args: BY_HEIGHT,
    caching: WHEN_HEIGHT,
    doc: 'Results of executing the block at a height.',
    run: (ctx, { height }) => blockResults(ctx, height),
  }),
  method({
    method: 'commit',
    args: BY_HEIGHT,
    caching: WHEN_HEIGHT,
    doc: 'Header and commit at a height.',
    run: (ctx, { height }) => commitAnswer(ctx, height),
  }),
  method({
    method: 'header',
    args: BY_HEIGHT,
    caching: WHEN_HEIGHT,
    doc: 'The header at a height.',
    run: (ctx, { height }) => headerAnswer(ctx, resolveHeight(ctx, height, ctx.chain.head())),
  }),
  method({
    method: 'header_by_hash',
    args: { hash: 'hex' },
    caching: 'always',
    doc: 'The header of a hash; null when unknown.',
    run: (ctx, { hash }) => headerAnswer(ctx, heightOfHash(ctx, hash)),
  }),
  method({
    method: 'validators',
    args: { height: 'int64?', page: 'int?', per_page: 'int?' },
    caching: WHEN_HEIGHT,
    doc: 'The validator set of a height, by power and address.',
    run: (ctx, args) => {
      const height = resolveHeight(ctx, args.height, heightAfter(ctx.chain, ctx.chain.head()));
      const set = ctx.chain.validators(height);
      if (set === undefined) throw serverError(`could not find validator set for height #${height}`);
      const validators = pageOf(set.validators, args.page, args.per_page).map(validatorJson);
      const total = String(set.validators.length);
      return { block_height: String(height), validators, count: String(validators.length), total };
    },
  }),
  method({
    method: 'consensus_params',
    args: BY_HEIGHT,
    caching: WHEN_HEIGHT,
    doc: 'Consensus parameters of a height.',
    run: (ctx, args) => {
      const height = resolveHeight(ctx, args.height, heightAfter(ctx.chain, ctx.chain.head()));
      const params = ctx.chain.params(height);
      if (params === undefined) throw serverError(`could not find consensus params for height #${height}`);
      return { block_height: String(height), consensus_params: paramsJson(params) };
    },
  }),
];
