import { type EVM, EVMError, type EVMResult, type ExecResult } from '@ethereumjs/evm';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';

interface CreationFrame {
  readonly isCreate?: boolean;
  readonly gasLimit: bigint;
}

/** The library's methods that run creations; only those used here. */
interface Creations {
  runInterpreter(frame: CreationFrame, options?: object): Promise<ExecResult>;
  _executeCreate(message: object): Promise<EVMResult>;
}

/** How init code ended, and what it returned. */
interface Ended {
  readonly isGood: boolean;
  readonly handed: Bytes;
  readonly gasLeft: bigint;
}

const NOT_RUN: Ended = { isGood: false, handed: EMPTY, gasLeft: 0n };
const { OUT_OF_GAS, INVALID_BYTECODE_RESULT, CODESIZE_EXCEEDS_MAXIMUM } = EVMError.errorMessages;
/**
 * geth's text. With the library's own text for this error, the creating frame would treat the creation as successful.
 */
const DEPOSIT_UNPAID = 'contract creation code storage out of gas';
/** Gas per byte of deployed code, and its maximum size in bytes (EIP-170). */
const [DEPOSIT_GAS, CODE_MAX] = [200n, 24_576];
const REFUSALS = new Set<string>([OUT_OF_GAS, CODESIZE_EXCEEDS_MAXIMUM]);
/** Deployed code must not begin with this byte (EIP-3541). */
const RESERVED = 0xef;

/**
 * Makes creations end as in geth. Init code that reverts returns its reason and the remaining gas. The library takes
 * returned data for code before it checks how the init code ended: a reason that begins with 0xef, as one custom error
 * in 256 does, would count as code that must not be deployed, take all gas and hide the reason. If the init code
 * succeeds but its code is invalid or not paid for, the error says so instead of reporting that the init code ran out
 * of gas.
 */
export function endCreationsAsGeth(evm: EVM): void {
  const library = evm as unknown as Creations;
  const [run, create] = [library.runInterpreter.bind(evm), library._executeCreate.bind(evm)];
  let last: Ended | undefined;
  library.runInterpreter = async (frame, options) => {
    const result = await run(frame, options);
    if (frame.isCreate !== true) return result;
    last = {
      isGood: result.exceptionError === undefined,
      handed: result.returnValue,
      gasLeft: frame.gasLimit - result.executionGasUsed,
    };
    return last.isGood ? result : Object.assign(result, { returnValue: EMPTY });
  };
  library._executeCreate = async (message) => {
    last = undefined;
    const made = await create(message);
    // Nested creations have ended before this one, so the last end is its own.
    const ended = last ?? NOT_RUN;
    const { execResult } = made;
    if (!ended.isGood) execResult.returnValue = ended.handed;
    else if (REFUSALS.has(execResult.exceptionError?.error ?? ''))
      execResult.exceptionError = new EVMError(refusalOf(ended) as EVMError['error']);
    return made;
  };
}

/** Why the code is not stored, checked in the order of geth's initNewContract: first byte, deposit gas, size. */
function refusalOf({ handed, gasLeft }: Ended): string {
  if (handed[0] === RESERVED) return INVALID_BYTECODE_RESULT;
  if (gasLeft < DEPOSIT_GAS * BigInt(handed.length)) return DEPOSIT_UNPAID;
  return `max code size exceeded: code size ${handed.length} limit ${CODE_MAX}`;
}
