import type { EthTx } from '../chain.ts';
import type { ForkRules } from './forks.ts';

/** EIP-3860: twice the maximum code size of EIP-170, in bytes. */
export const INIT_CODE_BYTES_MAX = 49152;
/** EIP-7825: 2^24. */
export const TX_GAS_CAP = 16_777_216n;
/** Gas of a plain transfer. */
export const TX_GAS = 21_000n;

const CREATE_GAS = 32_000n;
const INIT_CODE_WORD_GAS = 2n;
const ACCESS_ADDRESS_GAS = 2_400n;
const ACCESS_KEY_GAS = 1_900n;
const FLOOR_TOKEN_GAS = 10n;
/** EIP-7702 PER_EMPTY_ACCOUNT_COST, charged for every tuple. */
export const AUTHORIZATION_GAS = 25_000n;
/** EIP-7702: refunded when the authority already exists (PER_EMPTY_ACCOUNT_COST − PER_AUTH_BASE_COST). */
export const AUTHORIZATION_REFUND = 12_500n;

/** EIP-7623: a zero byte counts as one token, any other byte as four. */
function dataTokens(data: Uint8Array): number {
  let tokens = 0;
  for (const byte of data) tokens += byte === 0 ? 1 : 4;
  return tokens;
}

type GasParts = Pick<EthTx, 'to' | 'data' | 'accessList' | 'authorizationList'>;

export interface IntrinsicGas {
  /** Charged before the first instruction. */
  readonly intrinsic: bigint;
  /** Minimum total charge under EIP-7623; 0 before Prague. */
  readonly floor: bigint;
}

/** Yellow Paper g0 with EIP-2028, EIP-2930, EIP-3860, EIP-7623 and EIP-7702. */
export function intrinsicGas(tx: GasParts, rules: ForkRules): IntrinsicGas {
  const tokens = dataTokens(tx.data);
  let intrinsic = TX_GAS + 4n * BigInt(tokens);
  if (tx.to === undefined) {
    intrinsic += CREATE_GAS;
    if (rules.shanghai) intrinsic += INIT_CODE_WORD_GAS * BigInt(Math.floor((tx.data.length + 31) / 32));
  }
  for (const item of tx.accessList) {
    intrinsic += ACCESS_ADDRESS_GAS + ACCESS_KEY_GAS * BigInt(item.storageKeys.length);
  }
  intrinsic += AUTHORIZATION_GAS * BigInt(tx.authorizationList.length);
  return { intrinsic, floor: rules.prague ? TX_GAS + FLOOR_TOKEN_GAS * BigInt(tokens) : 0n };
}

/** Whether the init code exceeds the limit of EIP-3860. */
export const isInitCodeTooLong = (tx: Pick<EthTx, 'to' | 'data'>, rules: ForkRules): boolean =>
  rules.shanghai && tx.to === undefined && tx.data.length > INIT_CODE_BYTES_MAX;
