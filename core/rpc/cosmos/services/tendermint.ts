/** cosmos.base.tendermint.v1beta1: the consensus engine, in protobuf's JSON. */

import { formatAddress } from '../../../address/kinds.ts';
import { evidenceJson } from '../../../codec/json.ts';
import { formatTime } from '../../../codec/timeText.ts';
import { toBase64 } from '../../../lib/base64.ts';
import type { Block, BlockId, Commit, Header } from '../../../types/block.ts';
import { nodeInfoJson } from '../../comet/methods/node.ts';
import type { RpcContext } from '../../context.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const SERVICE = 'cosmos.base.tendermint.v1beta1.Service';
const ROOT = '/cosmos/base/tendermint/v1beta1';

const FLAG = {
  absent: 'BLOCK_ID_FLAG_ABSENT',
  commit: 'BLOCK_ID_FLAG_COMMIT',
  nil: 'BLOCK_ID_FLAG_NIL',
} as const;

const blockIdJson = ({ hash, parts }: BlockId) => ({
  hash: toBase64(hash),
  part_set_header: { total: parts.total, hash: toBase64(parts.hash) },
});

const headerJson = (header: Header, proposer: string) => ({
  version: { block: String(header.version.block), app: String(header.version.app) },
  chain_id: header.chainId,
  height: String(header.height),
  time: formatTime(header.time),
  last_block_id: blockIdJson(header.lastBlockId),
  last_commit_hash: toBase64(header.lastCommitHash),
  data_hash: toBase64(header.dataHash),
  validators_hash: toBase64(header.validatorsHash),
  next_validators_hash: toBase64(header.nextValidatorsHash),
  consensus_hash: toBase64(header.consensusHash),
  app_hash: toBase64(header.appHash),
  last_results_hash: toBase64(header.lastResultsHash),
  evidence_hash: toBase64(header.evidenceHash),
  proposer_address: proposer,
});

const commitJson = (commit: Commit) => ({
  height: String(commit.height),
  round: commit.round,
  block_id: blockIdJson(commit.blockId),
  signatures: commit.signatures.map((sig) => ({
    block_id_flag: FLAG[sig.flag],
    validator_address: toBase64(sig.validatorAddress),
    timestamp: formatTime(sig.timestamp),
    signature: toBase64(sig.signature),
  })),
});

const blockBody = (block: Block, proposer: string) => ({
  header: headerJson(block.header, proposer),
  data: { txs: block.txs.map(toBase64) },
  evidence: { evidence: block.evidence.map(evidenceJson) },
  last_commit: commitJson(block.lastCommit),
});

function blockResponse({ ctx }: QueryScope, height: number) {
  const block = ctx.chain.block(height);
  const meta = ctx.chain.blockMeta(height);
  if (block === undefined || meta === undefined) {
    throw new GrpcError(GRPC.invalidArgument, `requested block height ${height} is not available`);
  }
  const { proposerAddress } = block.header;
  const consensusAddress = formatAddress('cons', ctx.chain.hrp, proposerAddress);
  return {
    block_id: blockIdJson(meta.blockId),
    block: blockBody(block, toBase64(proposerAddress)),
    sdk_block: blockBody(block, consensusAddress),
  };
}

function readHeight(text: string | undefined, ctxHead: (height: number) => number): number {
  if (text === undefined || !/^-?[0-9]{1,19}$/.test(text)) {
    throw new GrpcError(
      GRPC.invalidArgument,
      `type mismatch, parameter: height, error: invalid int64 ${text ?? ''}`,
    );
  }
  return ctxHead(Number(text));
}

const notAboveHead =
  (ctx: RpcContext) =>
  (height: number): number => {
    if (height > ctx.chain.head()) {
      throw new GrpcError(GRPC.invalidArgument, 'requested block height is bigger then the chain length');
    }
    return height;
  };

const nodeInfo = (ctx: RpcContext) => {
  const { protocol_version, id, listen_addr, ...rest } = nodeInfoJson(ctx);
  return {
    default_node_info: { protocol_version, default_node_id: id, listen_addr, ...rest },
    application_version: {
      name: 'orrery',
      app_name: 'orrery',
      version: ctx.identity.version,
      git_commit: '',
      build_tags: '',
      go_version: '',
      build_deps: [],
      cosmos_sdk_version: '',
    },
  };
};

export const tendermintMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'GetNodeInfo',
    verb: 'GET',
    path: `${ROOT}/node_info`,
    doc: 'Identity of the node and version of the application.',
    readRest: () => undefined,
    run: ({ ctx }) => nodeInfo(ctx),
    renderRest: (response) => response,
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetSyncing',
    verb: 'GET',
    path: `${ROOT}/syncing`,
    doc: 'Whether the node is behind its peers.',
    readRest: () => undefined,
    run: ({ ctx }) => ctx.catchingUp(),
    renderRest: (syncing) => ({ syncing }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetLatestBlock',
    verb: 'GET',
    path: `${ROOT}/blocks/latest`,
    doc: 'The newest block.',
    readRest: () => undefined,
    run: (scope) => blockResponse(scope, scope.ctx.chain.head()),
    renderRest: (response) => response,
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetBlockByHeight',
    verb: 'GET',
    path: `${ROOT}/blocks/{height}`,
    doc: 'The block at a height.',
    readRest: (fields) => fields.get('height'),
    run: (scope, height) => blockResponse(scope, readHeight(height, notAboveHead(scope.ctx))),
    renderRest: (response) => response,
  }),
];
