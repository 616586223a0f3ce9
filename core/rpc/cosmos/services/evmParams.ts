/** chain.evm.v1, third part: parameters of the EVM. */
import { formatAddress, parseAddress } from '../../../address/kinds.ts';
import type { ChainReader } from '../../../app/chain.ts';
import { optional, string, uint64Big } from '../../../codec/fields.ts';
import { table } from '../../../codec/proto.ts';
import { equalBytes } from '../../../lib/bytes.ts';
import { FORKS, type ForkName } from '../../../types/fork.ts';
import { addressField } from '../requests.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';
import { feeMarketOf } from './feemarket.ts';

const SERVICE = 'chain.evm.v1.Query';
const ROOT = '/chain/evm/v1';
const PACKAGE = 'chain.evm.v1';

const invalid = (message: string): never => {
  throw new GrpcError(GRPC.invalidArgument, message);
};

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
  // A validator's tips go to the account with the 20 bytes of its consensus address.
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

/** Activation points of forks: a block number or time as decimal text, empty for never. */
interface ChainConfig {
  readonly homesteadBlock: string;
  readonly eip150Block: string;
  readonly eip155Block: string;
  readonly eip158Block: string;
  readonly byzantiumBlock: string;
  readonly constantinopleBlock: string;
  readonly petersburgBlock: string;
  readonly istanbulBlock: string;
  readonly berlinBlock: string;
  readonly londonBlock: string;
  readonly mergeNetsplitBlock: string;
  readonly shanghaiTime: string;
  readonly cancunTime: string;
  readonly chainId: bigint;
  readonly denom: string;
  readonly decimals: bigint;
  readonly pragueTime: string;
  readonly osakaTime: string;
}
const FORK_TEXT_MAX = 32;
const CHAIN_CONFIG = table<ChainConfig>(`${PACKAGE}.ChainConfig`, [
  string(1, 'homesteadBlock', FORK_TEXT_MAX),
  string(4, 'eip150Block', FORK_TEXT_MAX),
  string(6, 'eip155Block', FORK_TEXT_MAX),
  string(7, 'eip158Block', FORK_TEXT_MAX),
  string(8, 'byzantiumBlock', FORK_TEXT_MAX),
  string(9, 'constantinopleBlock', FORK_TEXT_MAX),
  string(10, 'petersburgBlock', FORK_TEXT_MAX),
  string(11, 'istanbulBlock', FORK_TEXT_MAX),
  string(13, 'berlinBlock', FORK_TEXT_MAX),
  string(17, 'londonBlock', FORK_TEXT_MAX),
  string(21, 'mergeNetsplitBlock', FORK_TEXT_MAX),
  string(22, 'shanghaiTime', FORK_TEXT_MAX),
  string(23, 'cancunTime', FORK_TEXT_MAX),
  uint64Big(24, 'chainId'),
  string(25, 'denom', 256),
  uint64Big(26, 'decimals'),
  string(27, 'pragueTime', FORK_TEXT_MAX),
  string(29, 'osakaTime', FORK_TEXT_MAX),
]);

/** Genesis names the newest active fork; all older ones are active as well. */
function configOf({ fork, evmChainId, denom }: ChainReader): ChainConfig {
  const since = (name: ForkName): string => (FORKS.indexOf(fork) >= FORKS.indexOf(name) ? '0' : '');
  return {
    homesteadBlock: '0',
    eip150Block: '0',
    eip155Block: '0',
    eip158Block: '0',
    byzantiumBlock: '0',
    constantinopleBlock: '0',
    petersburgBlock: '0',
    istanbulBlock: '0',
    berlinBlock: '0',
    londonBlock: since('london'),
    mergeNetsplitBlock: since('paris'),
    shanghaiTime: since('shanghai'),
    cancunTime: since('cancun'),
    chainId: evmChainId,
    denom,
    decimals: 18n,
    pragueTime: since('prague'),
    osakaTime: since('osaka'),
  };
}

export const evmParamMethods: readonly ServiceMethod[] = [
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
  serviceMethod({
    service: SERVICE,
    name: 'Config',
    path: `${ROOT}/config`,
    doc: 'Which forks are active since genesis ("0"); those that are not are empty.',
    request: table<object>(`${PACKAGE}.QueryConfigRequest`, []),
    response: table<{ readonly config: ChainConfig | undefined }>(`${PACKAGE}.QueryConfigResponse`, [
      optional(1, 'config', CHAIN_CONFIG),
    ]),
    run: ({ ctx: { chain } }) => ({ config: configOf(chain) }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'GlobalMinGasPrice',
    path: `${ROOT}/min_gas_price`,
    doc: 'The least price of a gas unit that genesis allows, whatever the base fee; wei.',
    request: table<object>(`${PACKAGE}.QueryGlobalMinGasPriceRequest`, []),
    response: table<{ readonly minGasPrice: string }>(`${PACKAGE}.QueryGlobalMinGasPriceResponse`, [
      string(1, 'minGasPrice', 128),
    ]),
    run: ({ ctx }) => ({ minGasPrice: feeMarketOf(ctx).minGasPrice.toString() }),
  }),
];
