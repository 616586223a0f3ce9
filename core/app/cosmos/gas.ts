/** Gas of a Cosmos transaction, on the EVM's scale: both kinds share the block's gas limit and base fee. */
export const COSMOS_GAS = {
  /** Verifying an eth_secp256k1 signature. */
  signature: 21_000n,
  /** Charging the fee and incrementing the sequence. */
  feePayment: 5_000n,
  /** Dispatching a message. */
  message: 1_000n,
  /** Changing one balance. */
  balance: 5_000n,
  /** Creating an account that did not exist, as in the EVM. */
  newAccount: 25_000n,
} as const;

/** Gas charged before the messages. `txByteGas` is the gas per byte of the TxRaw, for gossip and storage. */
export const anteGas = (tx: { readonly size: number }, txByteGas: bigint): bigint =>
  BigInt(tx.size) * txByteGas + COSMOS_GAS.signature + COSMOS_GAS.feePayment;
