/** Gas of a Cosmos transaction, on the scale of the EVM's: both kinds share the block's limit and its base fee. */
export const COSMOS_GAS = {
  /** A byte of the TxRaw, for carrying and storing it (the SDK's tx_size_cost_per_byte). */
  txByte: 10n,
  /** Verifying an eth_secp256k1 signature. */
  signature: 21_000n,
  /** Paying the fee and raising the sequence. */
  feePayment: 5_000n,
  /** Looking into a message. */
  message: 1_000n,
  /** One balance that changes. */
  balance: 5_000n,
  /** What an account costs that was not there before, as in the EVM. */
  newAccount: 25_000n,
} as const;

export const MEMO_CHARS_MAX = 256;

/** Gas of everything before the messages. */
export const anteGas = (tx: { readonly size: number }): bigint =>
  BigInt(tx.size) * COSMOS_GAS.txByte + COSMOS_GAS.signature + COSMOS_GAS.feePayment;
