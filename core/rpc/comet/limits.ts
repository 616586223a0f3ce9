import type { CometLimits, RpcContext } from '../context.ts';

/** The defaults of CometBFT's RPCConfig. */
export const DEFAULT_COMET_LIMITS: CometLimits = {
  subscriptionClientsMax: 100,
  subscriptionsPerClientMax: 5,
  batchMax: 10,
  broadcastCommitTimeoutMs: 10_000,
  unsafe: false,
};

export const cometLimits = (ctx: RpcContext): CometLimits => ({
  ...DEFAULT_COMET_LIMITS,
  ...ctx.limits.comet,
});

/** Maximum length of a query in bytes (CometBFT's maxQueryLength). */
export const QUERY_BYTES_MAX = 512;
