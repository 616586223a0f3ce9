import { toEip55 } from '../address/eip55.ts';
import { formatAddress } from '../address/kinds.ts';
import { to0xHex } from '../lib/bytes.ts';
import type { ForkName } from '../types/fork.ts';
import type { Address } from '../types/ids.ts';
import { DEFAULT_DENOM, DEFAULT_HRP } from './appState.ts';
import { EMPTY_CODE_HASH } from './evm/admission.ts';
import { DEFAULT_FORK } from './evm/forks.ts';
import { SYSTEM_CONTRACTS } from './evm/systemContracts.ts';
import { DEFAULT_FEE_MARKET } from './feemarket/baseFee.ts';
import { TYPE_URL } from './typeUrls.ts';

export interface DefaultAppStateOptions {
  /** In order of their account numbers. */
  readonly accounts: readonly { readonly address: Address; readonly balance: bigint }[];
  readonly hrp?: string;
  readonly denom?: string;
  /** Only for chain ids that contain no EVM chain id. */
  readonly evmChainId?: bigint;
  readonly fork?: ForkName;
  readonly baseFee?: bigint;
  readonly minGasPrice?: bigint;
  readonly noBaseFee?: boolean;
  /**
   * EIP-2935 history and the deterministic deployment proxy; default true. Without history, an empty block writes no
   * state.
   */
  readonly systemContracts?: boolean;
}

/** The `app_state` of a new chain, as JSON data. Amounts are decimal text. */
export function defaultAppState(options: DefaultAppStateOptions): Readonly<Record<string, unknown>> {
  const hrp = options.hrp ?? DEFAULT_HRP;
  const denom = options.denom ?? DEFAULT_DENOM;
  const market = DEFAULT_FEE_MARKET;
  let supply = 0n;
  for (const account of options.accounts) supply += account.balance;
  const params: Record<string, unknown> = { evm_denom: denom, fork: options.fork ?? DEFAULT_FORK };
  if (options.evmChainId !== undefined) params.evm_chain_id = options.evmChainId.toString();
  return {
    auth: { bech32_prefix: hrp, params: authParams, accounts: authAccounts(options, hrp) },
    bank: {
      params: { send_enabled: [], default_send_enabled: true },
      balances: options.accounts.map(({ address, balance }) => ({
        address: formatAddress('acc', hrp, address),
        coins: balance === 0n ? [] : [{ denom, amount: balance.toString() }],
      })),
      supply: supply === 0n ? [] : [{ denom, amount: supply.toString() }],
      denom_metadata: [denomMetadata(denom)],
      send_enabled: [],
    },
    evm: { params, accounts: [], preinstalls: options.systemContracts === false ? [] : preinstalls() },
    feemarket: {
      params: {
        no_base_fee: options.noBaseFee ?? market.noBaseFee,
        base_fee: (options.baseFee ?? market.baseFee).toString(),
        base_fee_change_denominator: market.baseFeeChangeDenominator.toString(),
        elasticity_multiplier: market.elasticityMultiplier.toString(),
        min_gas_price: (options.minGasPrice ?? market.minGasPrice).toString(),
        collect_base_fee: market.collectBaseFee,
      },
      block_gas: '0',
    },
  };
}

const authParams = {
  max_memo_characters: '256',
  tx_sig_limit: '7',
  tx_size_cost_per_byte: '10',
  sig_verify_cost_ed25519: '590',
  sig_verify_cost_secp256k1: '1000',
};

const authAccounts = (options: DefaultAppStateOptions, hrp: string): readonly unknown[] =>
  options.accounts.map(({ address }, i) => ({
    '@type': TYPE_URL.ethAccount,
    base_account: {
      address: formatAddress('acc', hrp, address),
      pub_key: null,
      account_number: i.toString(),
      sequence: '0',
    },
    code_hash: to0xHex(EMPTY_CODE_HASH),
  }));

const preinstalls = (): readonly unknown[] =>
  SYSTEM_CONTRACTS.map(({ name, address, code }) => ({
    name,
    address: toEip55(address),
    code: to0xHex(code),
    storage: [],
  }));

/** The display unit of the denom: `achain` → `chain` with 18 decimals. */
function denomMetadata(denom: string): unknown {
  const display = denom.startsWith('a') && denom.length > 3 ? denom.slice(1) : denom.toUpperCase();
  return {
    description: 'The native coin; its balance is the Ethereum balance.',
    denom_units: [
      { denom, exponent: 0, aliases: [] },
      { denom: display, exponent: 18, aliases: [] },
    ],
    base: denom,
    display,
    name: display,
    symbol: display.toUpperCase(),
    uri: '',
    uri_hash: '',
  };
}
