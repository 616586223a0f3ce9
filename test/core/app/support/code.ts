/** Small contracts as bytes, with what they do. */
import type { Hex } from 'viem';

/** Init code that deploys `runtime`. */
export const deploying = (runtime: string): Hex => {
  const size = (runtime.length / 2).toString(16).padStart(4, '0');
  return `0x61${size}80600c6000396000f3${runtime}`;
};

export const TOPIC = 'ab'.repeat(32);

/** Stores the first calldata word in slot 0, then logs it under TOPIC. */
export const STORE_AND_LOG = `600035806000556000527f${TOPIC}60206000a100`;
/** Reverts with the word 0x2a. */
export const REVERTER = '602a60005260206000fd';
/** Runs out of gas. */
export const LOOP = '5b600056';
/** The undefined opcode 0x0c. */
export const UNDEFINED_OPCODE = '0c';
/** Returns BLOCKHASH(first calldata word). */
export const BLOCKHASH_OF = '6000354060005260206000f3';
/** Calls precompile 0x0a with no input, returns its success flag. */
export const CALLS_0A = '60006000600060006000600a5af160005260206000f3';
/** Clears slot 0, for refunds. */
export const CLEARER = '6000600055';
/** Destroys itself in favour of the first calldata word's address. */
export const DESTROYER = '600035ff';

export const word = (value: bigint | number): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
