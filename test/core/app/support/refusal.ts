import { EVMError } from '@ethereumjs/evm';
import type { Bytes } from '../../../../core/lib/bytes.ts';

/** Why a precompile refuses, in the library's words; `none` when it does not. */
export function refusal(run: () => Bytes): string {
  try {
    run();
  } catch (error) {
    if (error instanceof EVMError) return error.error;
    throw error;
  }
  return 'none';
}
