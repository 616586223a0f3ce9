import type { EthMethod } from './method.ts';
import { blockMethods } from './methods/blocks.ts';
import { factMethods } from './methods/facts.ts';
import { feeMethods } from './methods/fees.ts';
import { filterMethods } from './methods/filters.ts';
import { nodeMethods } from './methods/node.ts';
import { proofMethods } from './methods/proofs.ts';
import { rawMethods } from './methods/raw.ts';
import { signingMethods } from './methods/signing.ts';
import { stateMethods } from './methods/state.ts';
import { traceMethods } from './methods/traces.ts';
import { transactionMethods } from './methods/transactions.ts';
import { txpoolMethods } from './methods/txpool.ts';

/** Every JSON-RPC method of the Ethereum surface; documentation and OpenRPC are generated from it. */
export const ETH_METHODS: readonly EthMethod[] = [
  ...nodeMethods,
  ...blockMethods,
  ...stateMethods,
  ...transactionMethods,
  ...feeMethods,
  ...filterMethods,
  ...factMethods,
  ...proofMethods,
  ...rawMethods,
  ...traceMethods,
  ...signingMethods,
  ...txpoolMethods,
];

const byName: ReadonlyMap<string, EthMethod> = new Map(ETH_METHODS.map((row) => [row.method, row]));

/** undefined for an unknown method and for one of a disabled namespace: a client cannot tell them apart. */
export function findMethod(name: string, namespaces: readonly string[]): EthMethod | undefined {
  const row = byName.get(name);
  return row !== undefined && (row.namespace === 'rpc' || namespaces.includes(row.namespace))
    ? row
    : undefined;
}
