/** Methods that change a running node. Served only if the configuration enables them. */
import { parsePeerAddress } from '../../../p2p/peerAddress.ts';
import type { DialOrder } from '../../../p2p/peersContract.ts';
import type { RpcContext } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { type CometMethod, method } from '../method.ts';

/** Maximum addresses in one request. */
const DIALS_MAX = 100;

interface Manner extends Omit<DialOrder, 'peers'> {
  /** The word used in error messages. */
  readonly what: 'seeds' | 'peers';
}

function dial(ctx: RpcContext, texts: readonly string[], { what, ...manner }: Manner) {
  if (texts.length === 0) throw serverError(`no ${what} provided`);
  if (texts.length > DIALS_MAX)
    throw serverError(`${texts.length} ${what} are too many, at most ${DIALS_MAX}`);
  const peers = texts.map((text) => {
    const parsed = parsePeerAddress(text);
    if (!parsed.ok) throw serverError(parsed.error);
    return parsed.value;
  });
  const begun = ctx.network?.dial?.({ peers, ...manner });
  if (begun === undefined) throw serverError('this node has no network');
  if (!begun.ok) throw serverError(begun.error);
  return { log: `Dialing ${what} in progress. See /net_info for details` };
}

export const unsafeMethods: readonly CometMethod[] = [
  method({
    method: 'dial_seeds',
    args: { seeds: 'strings' },
    doc: 'Dials these nodes at once, each `id@host:port`. Needs `rpc.unsafe`.',
    run: (ctx, { seeds }) =>
      dial(ctx, seeds, { what: 'seeds', persistent: false, unconditional: false, isPrivate: false }),
  }),
  method({
    method: 'dial_peers',
    args: { peers: 'strings', persistent: 'bool', unconditional: 'bool', private: 'bool' },
    doc: 'Dials these peers at once, and on request keeps to them from now on. Needs `rpc.unsafe`.',
    run: (ctx, { peers, persistent, unconditional, private: isPrivate }) =>
      dial(ctx, peers, { what: 'peers', persistent, unconditional, isPrivate }),
  }),
  method({
    method: 'unsafe_flush_mempool',
    args: {},
    doc: 'Forgets every transaction that waits. Needs `rpc.unsafe`.',
    run: async (ctx) => {
      if (ctx.flushPool === undefined) throw serverError('no node is running');
      await ctx.flushPool();
      return {};
    },
  }),
];
