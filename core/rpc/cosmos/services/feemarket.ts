/** chain.feemarket.v1: the parameters of EIP-1559 and the base fee. */
import { parseAppState } from '../../../app/appState.ts';
import type { FeeMarketParams } from '../../../app/feemarket/baseFee.ts';
import { bool, int64Big, optional, string, uint64Big } from '../../../codec/fields.ts';
import { table } from '../../../codec/proto.ts';
import { present } from '../../../lib/assert.ts';
import type { RpcContext } from '../../context.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';

const SERVICE = 'chain.feemarket.v1.Query';
const ROOT = '/chain/feemarket/v1';
const PACKAGE = 'chain.feemarket.v1';

interface Params {
  readonly noBaseFee: boolean;
  readonly baseFeeChangeDenominator: bigint;
  readonly elasticityMultiplier: bigint;
  /** Base fee of the first block, in wei. */
  readonly baseFee: string;
  readonly minGasPrice: string;
  readonly collectBaseFee: boolean;
}
const PARAMS = table<Params>(`${PACKAGE}.Params`, [
  bool(1, 'noBaseFee'),
  uint64Big(2, 'baseFeeChangeDenominator'),
  uint64Big(3, 'elasticityMultiplier'),
  string(4, 'baseFee', 128),
  string(5, 'minGasPrice', 128),
  bool(6, 'collectBaseFee'),
]);

const known = new WeakMap<RpcContext, FeeMarketParams>();

/** The parameters in genesis: nothing changes them later. */
export function feeMarketOf(ctx: RpcContext): FeeMarketParams {
  const before = known.get(ctx);
  if (before !== undefined) return before;
  const { appState, chainId } = ctx.genesis;
  const state = parseAppState(appState, chainId, (message) => ctx.suite.keccak256(message));
  const params = present(
    state.ok ? state.value.feeMarket : undefined,
    'a node runs on a genesis that it has checked',
  );
  known.set(ctx, params);
  return params;
}

/**
 * The base fee of the requested block, as in Ethermint's state of that height; without a height, that of the next
 * block.
 */
export function baseFeeAt({ ctx, asked }: QueryScope): bigint {
  const header = asked === undefined ? undefined : ctx.chain.ethBlock(asked)?.header;
  return header?.baseFeePerGas ?? ctx.chain.nextBaseFee();
}

const empty = (name: string) => table<object>(`${PACKAGE}.${name}`, []);

export const feemarketMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'Params',
    path: `${ROOT}/params`,
    doc: 'Parameters of the fee market; base_fee is that of the first block.',
    request: empty('QueryParamsRequest'),
    response: table<{ readonly params: Params | undefined }>(`${PACKAGE}.QueryParamsResponse`, [
      optional(1, 'params', PARAMS),
    ]),
    run: ({ ctx }) => {
      const { baseFee, minGasPrice, ...rest } = feeMarketOf(ctx);
      return { params: { ...rest, baseFee: baseFee.toString(), minGasPrice: minGasPrice.toString() } };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'BaseFee',
    path: `${ROOT}/base_fee`,
    doc: 'The base fee of the next block, or of the one that a height asks for.',
    request: empty('QueryBaseFeeRequest'),
    response: table<{ readonly baseFee: string }>(`${PACKAGE}.QueryBaseFeeResponse`, [
      string(1, 'baseFee', 128),
    ]),
    run: (scope) => ({ baseFee: baseFeeAt(scope).toString() }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'BlockGas',
    path: `${ROOT}/block_gas`,
    doc: 'Gas that the block used.',
    request: empty('QueryBlockGasRequest'),
    response: table<{ readonly gas: bigint }>(`${PACKAGE}.QueryBlockGasResponse`, [int64Big(1, 'gas')]),
    run: ({ ctx, view }) => ({ gas: ctx.chain.ethBlock(view.height)?.header.gasUsed ?? 0n }),
  }),
];
