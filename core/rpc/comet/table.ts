import type { RpcContext } from '../context.ts';
import { cometLimits } from './limits.ts';
import type { CometMethod } from './method.ts';
import { abciMethods } from './methods/abci.ts';
import { blockMethods } from './methods/blocks.ts';
import { consensusMethods } from './methods/consensus.ts';
import { evidenceMethods } from './methods/evidence.ts';
import { nodeMethods } from './methods/node.ts';
import { searchMethods } from './methods/search.ts';
import { transactionMethods } from './methods/transactions.ts';
import { unsafeMethods } from './methods/unsafe.ts';

/** All methods of the consensus RPC that URI, JSON-RPC and websocket serve. */
export const COMET_METHODS: readonly CometMethod[] = [
  ...nodeMethods,
  ...blockMethods,
  ...transactionMethods,
  ...searchMethods,
  ...abciMethods,
  ...consensusMethods,
  ...evidenceMethods,
];

/** Methods that only the websocket serves. */
export const WEBSOCKET_METHODS: readonly string[] = ['subscribe', 'unsubscribe', 'unsubscribe_all'];

const byName: ReadonlyMap<string, CometMethod> = new Map(COMET_METHODS.map((row) => [row.method, row]));

const unsafeByName: ReadonlyMap<string, CometMethod> = new Map(unsafeMethods.map((row) => [row.method, row]));

/** Where unsafe methods are disabled, they look like unknown methods. */
export const findCometMethod = (ctx: RpcContext, name: string): CometMethod | undefined =>
  byName.get(name) ?? (cometLimits(ctx).unsafe ? unsafeByName.get(name) : undefined);

export const servedMethods = (ctx: RpcContext): readonly CometMethod[] =>
  cometLimits(ctx).unsafe ? [...COMET_METHODS, ...unsafeMethods] : COMET_METHODS;
