import type { RpcContext } from '../context.ts';
import { EthFeed } from './feed.ts';
import { EthFilters } from './filters.ts';
import { GasOracle } from './gasOracle.ts';

/** What the JSON-RPC surface of one node keeps between requests. */
export interface EthServices {
  readonly filters: EthFilters;
  readonly feed: EthFeed;
  readonly oracle: GasOracle;
}

const known = new WeakMap<RpcContext, EthServices>();

/** One set a node, made at first use and gone with its context. */
export function ethServices(ctx: RpcContext): EthServices {
  const found = known.get(ctx);
  if (found !== undefined) return found;
  const made = { filters: new EthFilters(ctx), feed: new EthFeed(ctx), oracle: new GasOracle(ctx) };
  known.set(ctx, made);
  return made;
}
