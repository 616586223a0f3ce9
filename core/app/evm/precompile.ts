import type { EVMError, ExecResult, PrecompileInput } from '@ethereumjs/evm';
import { EMPTY } from '../../lib/bytes.ts';

/** Asked between two slices of long work. Returns undefined, or a promise to await. Throws when the time is up. */
export type Look = () => Promise<void> | undefined;

/** A precompile. Those that can take long ask `look` between slices of their work. */
export type Precompile = (input: PrecompileInput, look?: Look) => Promise<ExecResult> | ExecResult;

/** A failed precompile takes all its gas. */
export const failed = (input: PrecompileInput, error: EVMError): ExecResult => ({
  returnValue: EMPTY,
  executionGasUsed: input.gasLimit,
  exceptionError: error,
});
