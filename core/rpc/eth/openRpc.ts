import type { EthMethod, Param } from './method.ts';

const contentDescriptor = ({ name, required, schema }: Param<unknown>) => ({ name, required, schema });

/** The OpenRPC 1.3 document of these methods, for rpc.discover. */
export const openRpcOf = (methods: readonly EthMethod[], version: string) => ({
  openrpc: '1.3.2',
  info: { title: 'Orrery Ethereum JSON-RPC', version, license: { name: 'Apache-2.0' } },
  methods: methods.map(({ method, doc, params, result, namespace }) => ({
    name: method,
    summary: doc,
    tags: [{ name: namespace }],
    paramStructure: 'by-position',
    params: params.map(contentDescriptor),
    result: { name: result, schema: {} },
  })),
});
