import { MAX_UINT64 } from '../evm/numbers.ts';
import type { Json } from '../genesisJson.ts';
import { TEXT_BYTES_MAX } from '../tx/tables.ts';

/** Parameters of the auth module. Genesis sets them; nothing changes them later. */
export interface AuthParams {
  /** In bytes: the SDK counts characters this way too. */
  readonly maxMemoCharacters: bigint;
  /** Only reported by queries: each transaction has one signer, so the limit is never reached. */
  readonly txSigLimit: bigint;
  /** Gas per byte of a Cosmos transaction. */
  readonly txSizeCostPerByte: bigint;
  /** Only reported by queries: no account here has a key of these two kinds. */
  readonly sigVerifyCostEd25519: bigint;
  readonly sigVerifyCostSecp256k1: bigint;
}

/** The SDK's defaults. */
export const DEFAULT_AUTH_PARAMS: AuthParams = {
  maxMemoCharacters: 256n,
  txSigLimit: 7n,
  txSizeCostPerByte: 10n,
  sigVerifyCostEd25519: 590n,
  sigVerifyCostSecp256k1: 1000n,
};

export function readAuthParams(json: Json): AuthParams {
  if (json.isMissing) return DEFAULT_AUTH_PARAMS;
  const fields = json.object([
    'max_memo_characters',
    'tx_sig_limit',
    'tx_size_cost_per_byte',
    'sig_verify_cost_ed25519',
    'sig_verify_cost_secp256k1',
  ]);
  const positive = (name: string, fallback: bigint, max = MAX_UINT64): bigint =>
    (fields[name] as Json).positive(max, fallback);
  const fallback = DEFAULT_AUTH_PARAMS;
  return {
    maxMemoCharacters: positive('max_memo_characters', fallback.maxMemoCharacters, BigInt(TEXT_BYTES_MAX)),
    txSigLimit: positive('tx_sig_limit', fallback.txSigLimit),
    txSizeCostPerByte: positive('tx_size_cost_per_byte', fallback.txSizeCostPerByte),
    sigVerifyCostEd25519: positive('sig_verify_cost_ed25519', fallback.sigVerifyCostEd25519),
    sigVerifyCostSecp256k1: positive('sig_verify_cost_secp256k1', fallback.sigVerifyCostSecp256k1),
  };
}
