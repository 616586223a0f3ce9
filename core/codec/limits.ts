/** Limits on everything that a peer or a file can make us hold. Sizes without a comment are CometBFT's own. */
export const HASH_BYTES = 32;
export const ADDRESS_BYTES = 20;
export const BLOCK_PROTOCOL = 11;
/** Size of every part of a block except the last. */
export const PART_BYTES = 65536;
export const CHAIN_ID_BYTES_MAX = 50;
/** Half of the safe integers, so that as many blocks can follow. */
export const INITIAL_HEIGHT_MAX = 2 ** 52;
/** CometBFT sets no limit, but a header must stay small. */
export const APP_HASH_BYTES_MAX = 1024;
export const SIGNATURE_BYTES_MAX = 64;
export const EXTENSION_BYTES_MAX = 1 << 20;
export const VALIDATORS_MAX = 10000;
export const BLOCK_PARTS_MAX = 1601;
export const BLOCK_BYTES_MAX = 104857600;
export const AUNTS_MAX = 100;
export const EVIDENCE_MAX = 10000;
export const TXS_MAX = 1_000_000;
export const TX_BYTES_MAX = BLOCK_BYTES_MAX;
/** Transactions of one mempool message. CometBFT sends one, other nodes of ours send 32. */
export const MESSAGE_TXS_MAX = 1024;
/** Size of a mempool message that carries one transaction of `txBytes` bytes. */
export const txsMessageBytes = (txBytes: number): number => txBytes + 16;
export const PUB_KEY_TYPES_MAX = 16;
export const SHORT_TEXT_BYTES_MAX = 256;
/** Log lines, event values and return data, which the application itself has written. */
export const RESULT_BYTES_MAX = 64 << 20;
export const EVENTS_MAX = 1_000_000;
/** (2^63 - 1) / 8, so that priorities cannot overflow an int64. */
export const TOTAL_POWER_MAX = (2n ** 63n - 1n) / 8n;
