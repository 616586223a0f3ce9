/** Gas of a Cosmos transaction, on the scale of the EVM's: both kinds share the block's limit and its base fee. */
export const COSMOS_GAS = {
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

/** Gas of everything before the messages. `txByteGas` is that of a byte of the TxRaw, for carrying and storing it. */
export const anteGas = (tx: { readonly size: number }, txByteGas: bigint): bigint =>
  BigInt(tx.size) * txByteGas + COSMOS_GAS.signature + COSMOS_GAS.feePayment;
