import type { CometMethod } from './method.ts';
import { abciMethods } from './methods/abci.ts';
import { blockMethods } from './methods/blocks.ts';
import { consensusMethods } from './methods/consensus.ts';
import { evidenceMethods } from './methods/evidence.ts';
import { nodeMethods } from './methods/node.ts';
import { searchMethods } from './methods/search.ts';
import { transactionMethods } from './methods/transactions.ts';

/** Every method of the consensus RPC that all three transports serve. */
export const COMET_METHODS: readonly CometMethod[] = [
  ...nodeMethods,
  ...blockMethods,
  ...transactionMethods,
  ...searchMethods,
  ...abciMethods,
  ...consensusMethods,
  ...evidenceMethods,
];

/** Methods of the websocket alone. */
export const WEBSOCKET_METHODS: readonly string[] = ['subscribe', 'unsubscribe', 'unsubscribe_all'];

const byName: ReadonlyMap<string, CometMethod> = new Map(COMET_METHODS.map((row) => [row.method, row]));

export const findCometMethod = (name: string): CometMethod | undefined => byName.get(name);
