import type { EthMethod } from './method.ts';
import { blockMethods } from './methods/blocks.ts';
import { debugAccountMethods } from './methods/debugAccounts.ts';
import { debugStateMethods } from './methods/debugState.ts';
import { factMethods } from './methods/facts.ts';
import { feeMethods } from './methods/fees.ts';
import { filterMethods } from './methods/filters.ts';
import { nodeMethods } from './methods/node.ts';
import { personalMethods } from './methods/personal.ts';
import { proofMethods } from './methods/proofs.ts';
import { rawMethods } from './methods/raw.ts';
import { signingMethods } from './methods/signing.ts';
import { stateMethods } from './methods/state.ts';
import { traceMethods } from './methods/traces.ts';
import { transactionMethods } from './methods/transactions.ts';
import { txpoolMethods } from './methods/txpool.ts';
import { openRpcOf } from './openRpc.ts';

/** OpenRPC prescribes this name, which has no geth-style namespace. */
const DISCOVER: EthMethod = {
  method: 'rpc.discover',
  namespace: 'rpc',
  params: [],
  result: 'OpenRPC document',
  doc: 'The enabled methods as an OpenRPC document.',
  run: ({ ctx }) => {
    const { namespaces } = ctx.limits;
    const enabled = ETH_METHODS.filter(
      ({ namespace }) => namespace === 'rpc' || namespaces.includes(namespace),
    );
    return openRpcOf(enabled, ctx.identity.version);
  },
};

/** All methods of the Ethereum JSON-RPC; documentation and OpenRPC are generated from this table. */
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
  ...debugStateMethods,
  ...debugAccountMethods,
  ...signingMethods,
  ...personalMethods,
  ...txpoolMethods,
  DISCOVER,
];

const byName: ReadonlyMap<string, EthMethod> = new Map(ETH_METHODS.map((row) => [row.method, row]));

/** undefined for an unknown method and for one in a disabled namespace: clients cannot distinguish them. */
export function findMethod(name: string, namespaces: readonly string[]): EthMethod | undefined {
  const row = byName.get(name);
  return row !== undefined && (row.namespace === 'rpc' || namespaces.includes(row.namespace))
    ? row
    : undefined;
}
