import type { PendingBlock, PendingSource } from '../../app/evmService.ts';
import { Gate } from '../../lib/gate.ts';
import { DEFAULT_PARAMS } from '../../types/params.ts';
import type { RpcContext } from '../context.ts';
import { heightAfter } from '../heightSteps.ts';
import { AddressPreimages } from './addressPreimages.ts';
import { EthFeed } from './feed.ts';
import { EthFilters } from './filters.ts';
import { GasOracle } from './gasOracle.ts';
import { Turns } from './turns.ts';

/** State that one node's Ethereum JSON-RPC keeps between requests. */
export interface EthServices {
  readonly filters: EthFilters;
  readonly feed: EthFeed;
  readonly oracle: GasOracle;
  readonly addresses: AddressPreimages;
  /** Serializes the transactions of each account whose key the node holds. */
  readonly turns: Turns;
  /** For requests that each may take seconds and hundreds of megabytes: traces and simulations. */
  readonly heavy: Gate;
  /** The block that this node would propose now. */
  pending(): Promise<PendingBlock>;
}

/** Two, so that a short trace need not wait for a long one. More would only share the same thread, and add memory. */
const HEAVY_MAX = 2;

const NO_VALIDATOR = new Uint8Array(20);

/** The transactions that the mempool would give this node to propose. */
function pendingSource(ctx: RpcContext): PendingSource {
  const { maxBytes } = (ctx.chain.params(heightAfter(ctx.chain, ctx.chain.head())) ?? DEFAULT_PARAMS).block;
  return {
    txs: ctx.pool.best(maxBytes < 0 ? Number.MAX_SAFE_INTEGER : maxBytes),
    seconds: Math.floor(ctx.now() / 1_000_000),
    coinbase: ctx.identity.validator?.address ?? NO_VALIDATOR,
    pause: ctx.pause,
  };
}

const known = new WeakMap<RpcContext, EthServices>();

/** The node's services: created on first use, released together with the context. */
export function ethServices(ctx: RpcContext): EthServices {
  const found = known.get(ctx);
  if (found !== undefined) return found;
  const made: EthServices = {
    filters: new EthFilters(ctx),
    feed: new EthFeed(ctx),
    oracle: new GasOracle(ctx),
    addresses: new AddressPreimages(ctx),
    turns: new Turns(),
    heavy: new Gate(HEAVY_MAX),
    pending: () => ctx.evm.pending(() => pendingSource(ctx)),
  };
  known.set(ctx, made);
  return made;
}

/** Runs a task that may take much time and memory, after those that came before it. */
export const heavily = <T>(ctx: RpcContext, task: () => Promise<T>): Promise<T> =>
  ethServices(ctx).heavy.run(task);
