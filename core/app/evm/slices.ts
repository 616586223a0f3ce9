import { EVMError, type ExecResult, type PrecompileInput } from '@ethereumjs/evm';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import { failed, type Look, type Precompile } from './precompile.ts';

/** A computation over a list of items whose price allows thousands of them in one call. */
export interface Sliced<T> {
  readonly itemBytes: number;
  /** Items that take some milliseconds. */
  readonly itemsASlice: number;
  begin(): T;
  /** Throws an EVMError for items that are no input. */
  add(sum: T, items: Bytes): T;
  end(sum: T): Bytes;
}

/** Curves that compute nothing: with them the library checks lengths and gas only. */
const CHARGING = {
  _bn254: { pairing: () => new Uint8Array(32) },
  _bls: { msmG1: () => EMPTY, msmG2: () => EMPTY, pairingCheck: () => EMPTY },
} as unknown as PrecompileInput['_EVM'];

/** As in the library, whatever else a curve throws becomes "revert". */
function faultOf(work: () => void): EVMError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof EVMError ? error : new EVMError(EVMError.errorMessages.REVERT);
  }
}

/**
 * The library's precompile `charge` decides on the gas, `work` computes the answer. Without a look, all items are done at
 * once, which is faster.
 */
export function inSlices<T>(charge: Precompile, work: Sliced<T>): Precompile {
  return async (input: PrecompileInput, look?: Look): Promise<ExecResult> => {
    const charged = await charge({ ...input, _EVM: CHARGING });
    if (charged.exceptionError !== undefined) return charged;
    const { data } = input;
    const step = look === undefined ? Math.max(1, data.length) : work.itemBytes * work.itemsASlice;
    let sum = work.begin();
    let returnValue: Bytes = EMPTY;
    for (let at = 0; at < data.length; at += step) {
      const due = at === 0 ? undefined : look?.();
      if (due !== undefined) await due;
      const fault = faultOf(() => {
        sum = work.add(sum, data.subarray(at, at + step));
      });
      if (fault !== undefined) return failed(input, fault);
    }
    const fault = faultOf(() => {
      returnValue = work.end(sum);
    });
    return fault === undefined ? { ...charged, returnValue } : failed(input, fault);
  };
}
