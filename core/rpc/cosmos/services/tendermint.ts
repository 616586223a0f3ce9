/** cosmos.base.tendermint.v1beta1: the consensus engine, in protobuf JSON. */
import { formatAddress } from '../../../address/kinds.ts';
import type { ChainReader } from '../../../app/chain.ts';
import { PUB_KEY } from '../../../app/cosmos/tables.ts';
import { ANY, type Any } from '../../../app/tx/tables.ts';
import { BLOCK } from '../../../codec/block.ts';
import { bool, bytes, int64, int64Big, optional, repeated, string } from '../../../codec/fields.ts';
import { BLOCK_ID } from '../../../codec/header.ts';
import { encode, table } from '../../../codec/proto.ts';
import { toBase64 } from '../../../lib/base64.ts';
import type { Bytes } from '../../../lib/bytes.ts';
import type { Block, BlockId } from '../../../types/block.ts';
import { heightAfter } from '../../heightSteps.ts';
import { refuseBelowBase } from '../belowBase.ts';
import { blockBody, blockIdJson } from '../blockJson.ts';
import { NODE_INFO_ANSWER, nodeInfo } from '../nodeInfo.ts';
import {
  limitOf,
  listPage,
  PAGE_REQUEST,
  PAGE_RESPONSE,
  type PageRequest,
  type PageResponse,
  refusePageBeyond,
} from '../paging.ts';
import { SDK_BLOCK, type SdkBlock, sdkBlock } from '../sdkBlock.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const SERVICE = 'cosmos.base.tendermint.v1beta1.Service';
const ROOT = '/cosmos/base/tendermint/v1beta1';
const PACKAGE = 'cosmos.base.tendermint.v1beta1';

const emptyRequest = (name: string) => table<object>(`${PACKAGE}.${name}`, []);

interface BlockAnswer {
  readonly blockId: BlockId | undefined;
  readonly block: Block | undefined;
  readonly sdkBlock: SdkBlock | undefined;
}
const blockAnswer = (name: string) =>
  table<BlockAnswer>(`${PACKAGE}.${name}`, [
    optional(1, 'blockId', BLOCK_ID),
    optional(2, 'block', BLOCK),
    optional(3, 'sdkBlock', SDK_BLOCK),
  ]);

/** Refuses with the SDK's text, or with CometBFT's for a height below 1 or below the first block. */
function refuseNoHeight(chain: ChainReader, height: number): void {
  if (height > chain.head())
    throw new GrpcError(GRPC.invalidArgument, 'requested block height is bigger then the chain length');
  if (height < 1) throw new GrpcError(GRPC.unknown, `height must be greater than 0, but got ${height}`);
  refuseBelowBase(chain, height);
}

function blockAt({ ctx }: QueryScope, height: number): BlockAnswer {
  const block = ctx.chain.block(height);
  const meta = ctx.chain.blockMeta(height);
  if (block === undefined || meta === undefined) {
    throw new GrpcError(GRPC.invalidArgument, `requested block height ${height} is not available`);
  }
  return { blockId: meta.blockId, block, sdkBlock: sdkBlock(block, ctx.chain.hrp) };
}

const blockJson = ({ blockId, block, sdkBlock }: BlockAnswer) => ({
  block_id: blockIdJson(blockId as BlockId),
  block: blockBody(block as Block, toBase64((block as Block).header.proposerAddress)),
  sdk_block: blockBody(block as Block, (sdkBlock as SdkBlock).header.proposerAddress),
});

interface ValidatorRow {
  readonly address: string;
  readonly pubKey: Any | undefined;
  readonly votingPower: bigint;
  readonly proposerPriority: bigint;
}
const VALIDATOR_ROW = table<ValidatorRow>(`${PACKAGE}.Validator`, [
  string(1, 'address', 256),
  optional(2, 'pubKey', ANY),
  int64Big(3, 'votingPower'),
  int64Big(4, 'proposerPriority'),
]);
interface ValidatorsAnswer {
  readonly blockHeight: number;
  readonly validators: readonly ValidatorRow[];
  readonly pagination: PageResponse | undefined;
}
const validatorsAnswer = (name: string) =>
  table<ValidatorsAnswer>(`${PACKAGE}.${name}`, [
    int64(1, 'blockHeight'),
    repeated(2, 'validators', VALIDATOR_ROW, 100_000),
    optional(3, 'pagination', PAGE_RESPONSE),
  ]);

const CONSENSUS_KEY = table<{ readonly key: Bytes }>('cosmos.crypto.ed25519.PubKey', [bytes(1, 'key', 33)]);

function validatorsAt(
  { ctx }: QueryScope,
  height: number,
  request: PageRequest | undefined,
): ValidatorsAnswer {
  const set = ctx.chain.validators(height);
  if (set === undefined)
    throw new GrpcError(GRPC.invalidArgument, `validators of height ${height} are not known`);
  const { offset = 0n, limit = 0n } = request ?? {};
  const perPage = limitOf(limit);
  refusePageBeyond(GRPC.unknown, offset / perPage + 1n, set.validators.length, perPage);
  const { items, page } = listPage(request, set.validators);
  const pagination = { ...page, total: BigInt(set.validators.length) };
  const validators = items.map(({ address, pubKey, power, priority }) => ({
    address: formatAddress('cons', ctx.chain.hrp, address),
    pubKey: {
      typeUrl: `/cosmos.crypto.${pubKey.type}.PubKey`,
      value: encode(pubKey.type === 'ed25519' ? CONSENSUS_KEY : PUB_KEY, { key: pubKey.bytes }),
    },
    votingPower: power,
    proposerPriority: priority,
  }));
  return { blockHeight: height, validators, pagination };
}

const pageOnly = (name: string) =>
  table<{ readonly pagination: PageRequest | undefined }>(`${PACKAGE}.${name}`, [
    optional(1, 'pagination', PAGE_REQUEST),
  ]);

export const tendermintMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'GetNodeInfo',
    path: `${ROOT}/node_info`,
    doc: 'Identity of the node and version of the application.',
    request: emptyRequest('GetNodeInfoRequest'),
    response: NODE_INFO_ANSWER,
    run: ({ ctx }) => nodeInfo(ctx),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetSyncing',
    path: `${ROOT}/syncing`,
    doc: 'Whether the node is behind its peers.',
    request: emptyRequest('GetSyncingRequest'),
    response: table<{ readonly syncing: boolean }>(`${PACKAGE}.GetSyncingResponse`, [bool(1, 'syncing')]),
    run: ({ ctx }) => ({ syncing: ctx.catchingUp() }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetLatestBlock',
    path: `${ROOT}/blocks/latest`,
    doc: 'The newest block.',
    request: emptyRequest('GetLatestBlockRequest'),
    response: blockAnswer('GetLatestBlockResponse'),
    run: (scope) => blockAt(scope, scope.ctx.chain.head()),
    renderRest: blockJson,
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetBlockByHeight',
    path: `${ROOT}/blocks/{height}`,
    doc: 'The block at a height.',
    request: table<{ readonly height: number }>(`${PACKAGE}.GetBlockByHeightRequest`, [int64(1, 'height')]),
    response: blockAnswer('GetBlockByHeightResponse'),
    run(scope, { height }) {
      refuseNoHeight(scope.ctx.chain, height);
      return blockAt(scope, height);
    },
    renderRest: blockJson,
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetLatestValidatorSet',
    path: `${ROOT}/validatorsets/latest`,
    doc: 'Who validates now.',
    request: pageOnly('GetLatestValidatorSetRequest'),
    response: validatorsAnswer('GetLatestValidatorSetResponse'),
    run: (scope, { pagination }) =>
      validatorsAt(scope, heightAfter(scope.ctx.chain, scope.ctx.chain.head()), pagination),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GetValidatorSetByHeight',
    path: `${ROOT}/validatorsets/{height}`,
    doc: 'Who validated a height.',
    request: table<{ readonly height: number; readonly pagination: PageRequest | undefined }>(
      `${PACKAGE}.GetValidatorSetByHeightRequest`,
      [int64(1, 'height'), optional(2, 'pagination', PAGE_REQUEST)],
    ),
    response: validatorsAnswer('GetValidatorSetByHeightResponse'),
    run(scope, { height, pagination }) {
      refuseNoHeight(scope.ctx.chain, height);
      return validatorsAt(scope, height, pagination);
    },
  }),
];
