/** Bounds on everything a peer or a file can make us hold (reference: CometBFT §1 sizes, §3 receive checks). */
export const HASH_BYTES = 32;
export const ADDRESS_BYTES = 20;
export const BLOCK_PROTOCOL = 11;
/** Size of every part of a block but the last. */
export const PART_BYTES = 65536;
export const CHAIN_ID_BYTES_MAX = 50;
/** Half of the heights that a safe integer can name: as many blocks can follow. */
export const INITIAL_HEIGHT_MAX = 2 ** 52;
/** CometBFT sets none; a header must stay small. */
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
/** Of a message between pools that carries one transaction of so many bytes. */
export const txsMessageBytes = (txBytes: number): number => txBytes + 16;
export const PUB_KEY_TYPES_MAX = 16;
export const SHORT_TEXT_BYTES_MAX = 256;
/** Log lines, event values, return data: what the application wrote into its own results. */
export const RESULT_BYTES_MAX = 64 << 20;
export const EVENTS_MAX = 1_000_000;
/** (2^63 - 1) / 8, so that priorities cannot overflow int64. */
export const TOTAL_POWER_MAX = (2n ** 63n - 1n) / 8n;
