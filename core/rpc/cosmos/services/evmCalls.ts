/** chain.evm.v1, second half: calls that change nothing, and what the EVM runs by. */
import { formatAddress, parseAddress } from '../../../address/kinds.ts';
import type { BlockOverrides, CallArgs, CallOutcome } from '../../../app/chain.ts';
import { MSG_ETHEREUM_TX_RESPONSE, type MsgEthereumTxResponse } from '../../../app/tx/response.ts';
import { bytes, int64Big, optional, string, uint64Big } from '../../../codec/fields.ts';
import { table } from '../../../codec/proto.ts';
import { type Bytes, EMPTY, equalBytes } from '../../../lib/bytes.ts';
import { decodeUtf8 } from '../../../lib/utf8.ts';
import { callFault, readTransactionArgs, toCallArgs } from '../../eth/callArgs.ts';
import { revertReason } from '../../eth/revert.ts';
import { parseJson } from '../../jsonText.ts';
import { addressField } from '../requests.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const SERVICE = 'chain.evm.v1.Query';
const ROOT = '/chain/evm/v1';
const PACKAGE = 'chain.evm.v1';
const ARGS_BYTES_MAX = 1_048_576;
const RET_BYTES_MAX = 64 * 1_048_576;

interface CallRequest {
  /** JSON as eth_call takes it. */
  readonly args: Bytes;
  readonly gasCap: bigint;
  readonly proposerAddress: Bytes;
  readonly chainId: bigint;
}
const CALL_REQUEST = table<CallRequest>(`${PACKAGE}.EthCallRequest`, [
  bytes(1, 'args', ARGS_BYTES_MAX),
  uint64Big(2, 'gasCap'),
  bytes(3, 'proposerAddress', 20),
  int64Big(4, 'chainId'),
]);

const invalid = (message: string): never => {
  throw new GrpcError(GRPC.invalidArgument, message);
};

interface Asked {
  readonly args: CallArgs;
  readonly gasCap: bigint;
  readonly block: BlockOverrides | undefined;
}

function asked({ ctx }: QueryScope, request: CallRequest): Asked {
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

/** What went wrong in the EVM is part of the answer; what never ran is an error. */
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
      return invalid(outcome.message);
  }
}

interface Estimate {
  readonly gas: bigint;
  readonly ret: Bytes;
  readonly vmError: string;
}

const callMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'EthCall',
    path: `${ROOT}/eth_call`,
    doc: 'Runs a call (args: base64 of the JSON that eth_call takes) and changes nothing.',
    request: CALL_REQUEST,
    response: MSG_ETHEREUM_TX_RESPONSE,
    run: async (scope, request) => {
      const { args, block } = asked(scope, request);
      const outcome = await scope.ctx.evm.call(scope.view, args, { block });
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
      const { args, gasCap, block } = asked(scope, request);
      const outcome = await scope.ctx.evm.estimateGas(scope.view, args, gasCap, { block });
      if (outcome.kind === 'gas') return { gas: outcome.gas, ret: EMPTY, vmError: '' };
      const { ret, vmError } = outcomeOf(outcome);
      return { gas: 0n, ret, vmError };
    },
  }),
];

interface ValidatorAccount {
  readonly accountAddress: string;
  readonly sequence: bigint;
  readonly accountNumber: bigint;
}

function validatorAccount({ ctx, view }: QueryScope, consAddress: string): ValidatorAccount {
  const address = parseAddress('cons', consAddress, ctx.chain.hrp);
  if (!address.ok) return invalid(`decoding bech32 failed: ${address.error.message}`);
  const known = ctx.chain.validators(Math.max(view.height, 1))?.validators ?? [];
  if (!known.some((one) => equalBytes(one.address, address.value)))
    throw new GrpcError(GRPC.notFound, `validator ${consAddress} not found`, true);
  // A validator earns under the account with the 20 bytes of its consensus address.
  return {
    accountAddress: formatAddress('acc', ctx.chain.hrp, address.value),
    sequence: view.account(address.value)?.nonce ?? 0n,
    accountNumber: view.auth(address.value)?.accountNumber ?? 0n,
  };
}

interface EvmParams {
  readonly evmDenom: string;
  readonly evmChainId: bigint;
  readonly fork: string;
}
const PARAMS = table<EvmParams>(`${PACKAGE}.Params`, [
  string(1, 'evmDenom', 256),
  uint64Big(2, 'evmChainId'),
  string(3, 'fork', 64),
]);

const paramMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'ValidatorAccount',
    path: `${ROOT}/validator_account/{cons_address}`,
    doc: 'The account under which a validator earns, by its consensus address.',
    request: table<{ readonly consAddress: string }>(`${PACKAGE}.QueryValidatorAccountRequest`, [
      { ...addressField, key: 'consAddress', name: 'cons_address' },
    ]),
    response: table<ValidatorAccount>(`${PACKAGE}.QueryValidatorAccountResponse`, [
      string(1, 'accountAddress', 256),
      uint64Big(2, 'sequence'),
      uint64Big(3, 'accountNumber'),
    ]),
    run: (scope, { consAddress }) => validatorAccount(scope, consAddress),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Params',
    path: `${ROOT}/params`,
    doc: 'The denomination of gas, the EVM chain id and the rule set.',
    request: table<object>(`${PACKAGE}.QueryParamsRequest`, []),
    response: table<{ readonly params: EvmParams | undefined }>(`${PACKAGE}.QueryParamsResponse`, [
      optional(1, 'params', PARAMS),
    ]),
    run: ({ ctx: { chain } }) => ({
      params: { evmDenom: chain.denom, evmChainId: chain.evmChainId, fork: chain.fork },
    }),
  }),
];

export const evmCallMethods: readonly ServiceMethod[] = [...callMethods, ...paramMethods];
