/** chain.evm.v1, second part: calls, which do not change the state. */
import type { AccountOverride, BlockOverrides, CallArgs, CallOutcome } from '../../../app/chain.ts';
import { MSG_ETHEREUM_TX_RESPONSE, type MsgEthereumTxResponse } from '../../../app/tx/response.ts';
import { bytes, int64Big, string, uint64Big } from '../../../codec/fields.ts';
import { table } from '../../../codec/proto.ts';
import { type Bytes, EMPTY } from '../../../lib/bytes.ts';
import { decodeUtf8 } from '../../../lib/utf8.ts';
import type { RpcContext } from '../../context.ts';
import {
  callFault,
  overridesFault,
  readStateOverrides,
  readTransactionArgs,
  toCallArgs,
} from '../../eth/callArgs.ts';
import { revertReason } from '../../eth/revert.ts';
import { parseJson } from '../../jsonText.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const SERVICE = 'chain.evm.v1.Query';
const ROOT = '/chain/evm/v1';
const PACKAGE = 'chain.evm.v1';
export const ARGS_BYTES_MAX = 1_048_576;
const RET_BYTES_MAX = 64 * 1_048_576;

interface CallRequest {
  /** JSON, as the first parameter of eth_call. */
  readonly args: Bytes;
  readonly gasCap: bigint;
  readonly proposerAddress: Bytes;
  readonly chainId: bigint;
  /** JSON of state overrides, as for eth_call; empty for none. */
  readonly overrides: Bytes;
}
const CALL_REQUEST = table<CallRequest>(`${PACKAGE}.EthCallRequest`, [
  bytes(1, 'args', ARGS_BYTES_MAX),
  uint64Big(2, 'gasCap'),
  bytes(3, 'proposerAddress', 20),
  int64Big(4, 'chainId'),
  bytes(5, 'overrides', ARGS_BYTES_MAX),
]);

const invalid = (message: string): never => {
  throw new GrpcError(GRPC.invalidArgument, message);
};

interface Asked {
  readonly args: CallArgs;
  readonly gasCap: bigint;
  readonly block: BlockOverrides | undefined;
  readonly state: ReadonlyMap<string, AccountOverride> | undefined;
}

function overridesOf(ctx: RpcContext, text: Bytes): Asked['state'] {
  if (text.length === 0) return undefined;
  const json = parseJson(decodeUtf8(text) ?? '');
  if (!json.ok) return invalid('overrides: expected JSON');
  const read = readStateOverrides(json.value);
  if (!read.ok) return invalid(`overrides: ${read.error}`);
  const fault = overridesFault(read.value, (address) => ctx.evm.isPrecompile(address));
  return fault === undefined ? read.value : invalid(`overrides: ${fault}`);
}

export function asked(
  { ctx }: QueryScope,
  request: Omit<CallRequest, 'overrides'> & { overrides?: Bytes },
): Asked {
  const json = parseJson(decodeUtf8(request.args) ?? '');
  if (!json.ok) return invalid('args: expected a transaction in JSON');
  const read = readTransactionArgs(json.value);
  if (!read.ok) return invalid(`args: ${read.error}`);
  const fault = callFault(read.value, ctx.chain.evmChainId);
  if (fault !== undefined) return invalid(fault);
  if (request.chainId !== 0n && request.chainId !== ctx.chain.evmChainId)
    return invalid(`chain_id does not match node's (have=${request.chainId}, want=${ctx.chain.evmChainId})`);
  const { gasCap: own } = ctx.limits;
  const gasCap = request.gasCap === 0n || request.gasCap > own ? own : request.gasCap;
  const { gas } = read.value;
  return {
    args: toCallArgs(read.value, gas === undefined || gas > gasCap ? gasCap : gas),
    gasCap,
    block: request.proposerAddress.length === 20 ? minedBy(request.proposerAddress) : undefined,
    state: overridesOf(ctx, request.overrides ?? EMPTY),
  };
}

const minedBy = (feeRecipient: Bytes): BlockOverrides => ({
  number: undefined,
  time: undefined,
  gasLimit: undefined,
  feeRecipient,
  prevRandao: undefined,
  baseFeePerGas: undefined,
  blobBaseFee: undefined,
});

/** A failure in the EVM is part of the answer; a call that never ran is an error. */
function outcomeOf(outcome: CallOutcome): Pick<MsgEthereumTxResponse, 'ret' | 'vmError' | 'gasUsed'> {
  switch (outcome.kind) {
    case 'returned':
      return { ret: outcome.data, vmError: '', gasUsed: outcome.gasUsed };
    case 'reverted': {
      const reason = revertReason(outcome.data);
      const vmError = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`;
      return { ret: outcome.data, vmError, gasUsed: outcome.gasUsed };
    }
    case 'failed':
      return { ret: EMPTY, vmError: outcome.message, gasUsed: outcome.gasUsed };
    default:
      if (outcome.isTimeout === true) throw new GrpcError(GRPC.deadlineExceeded, outcome.message);
      return invalid(outcome.message);
  }
}

interface Estimate {
  readonly gas: bigint;
  readonly ret: Bytes;
  readonly vmError: string;
}

export const evmCallMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'EthCall',
    path: `${ROOT}/eth_call`,
    doc: 'Runs a call (args: base64 of the JSON that eth_call takes) and changes nothing.',
    request: CALL_REQUEST,
    response: MSG_ETHEREUM_TX_RESPONSE,
    run: async (scope, request) => {
      const { args, block, state } = asked(scope, request);
      const outcome = await scope.ctx.evm.call(scope.view, args, { block, state });
      return { hash: '', logs: [], ...outcomeOf(outcome) };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'EstimateGas',
    path: `${ROOT}/estimate_gas`,
    doc: 'The least gas limit with which a transaction succeeds; vm_error says why none does.',
    request: CALL_REQUEST,
    response: table<Estimate>(`${PACKAGE}.EstimateGasResponse`, [
      uint64Big(1, 'gas'),
      bytes(2, 'ret', RET_BYTES_MAX),
      string(3, 'vmError', 4096),
    ]),
    run: async (scope, request) => {
      const { args, gasCap, block, state } = asked(scope, request);
      const outcome = await scope.ctx.evm.estimateGas(scope.view, args, gasCap, { block, state });
      if (outcome.kind === 'gas') return { gas: outcome.gas, ret: EMPTY, vmError: '' };
      const { ret, vmError } = outcomeOf(outcome);
      return { gas: 0n, ret, vmError };
    },
  }),
];
