/** cosmos.base.tendermint.v1beta1.Service/ABCIQuery: raw ABCI queries to the application, beside the services. */

import type { ProofOp } from '../../../app/stateProof.ts';
import { bool, bytes, int64, int64Big, optional, repeated, string, uint32 } from '../../../codec/fields.ts';
import { table } from '../../../codec/proto.ts';
import type { Bytes } from '../../../lib/bytes.ts';
import { answerAbciQuery } from '../abciQuery.ts';
import { type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const PACKAGE = 'cosmos.base.tendermint.v1beta1';
const DATA_MAX = 1_048_576;
const VALUE_MAX = 64 * 1_048_576;
const TEXT_MAX = 4096;
const OPS_MAX = 64;
/**
 * The paths that the SDK accepts. Services must be called directly; as ABCIQuery is a service, it could else nest
 * without end.
 */
const PATHS = /^\/?(?:app|store|p2p|custom)(?:\/|$)/;

interface Request {
  readonly data: Bytes;
  readonly path: string;
  readonly height: bigint;
  readonly prove: boolean;
}
interface Response {
  readonly code: number;
  readonly log: string;
  readonly info: string;
  readonly index: bigint;
  readonly key: Bytes;
  readonly value: Bytes;
  readonly proofOps: { readonly ops: readonly ProofOp[] } | undefined;
  readonly height: number;
  readonly codespace: string;
}

const PROOF_OP = table<ProofOp>(`${PACKAGE}.ProofOp`, [
  string(1, 'type', TEXT_MAX),
  bytes(2, 'key', DATA_MAX),
  bytes(3, 'data', VALUE_MAX),
]);
const PROOF_OPS = table<{ readonly ops: readonly ProofOp[] }>(`${PACKAGE}.ProofOps`, [
  repeated(1, 'ops', PROOF_OP, OPS_MAX),
]);

export const abciQueryMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: `${PACKAGE}.Service`,
    name: 'ABCIQuery',
    path: '/cosmos/base/tendermint/v1beta1/abci_query',
    doc: 'An entry of a store by its key, or the version of the application.',
    request: table<Request>(`${PACKAGE}.ABCIQueryRequest`, [
      bytes(1, 'data', DATA_MAX),
      string(2, 'path', TEXT_MAX),
      int64Big(3, 'height'),
      bool(4, 'prove'),
    ]),
    response: table<Response>(`${PACKAGE}.ABCIQueryResponse`, [
      uint32(1, 'code'),
      string(3, 'log', TEXT_MAX),
      string(4, 'info', TEXT_MAX),
      int64Big(5, 'index'),
      bytes(6, 'key', DATA_MAX),
      bytes(7, 'value', VALUE_MAX),
      optional(8, 'proofOps', PROOF_OPS),
      int64(9, 'height'),
      string(10, 'codespace', 256),
    ]),
    run: async ({ ctx }, query) => {
      if (!PATHS.test(query.path))
        throw new GrpcError(GRPC.invalidArgument, `unsupported ABCI query path: ${query.path}`);
      const { proofOps: ops, ...answer } = await answerAbciQuery(ctx, query);
      return { ...answer, info: '', index: 0n, proofOps: ops === undefined ? undefined : { ops } };
    },
  }),
];
