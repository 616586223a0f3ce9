import { type EVM, EVMError, type EVMResult, type ExecResult } from '@ethereumjs/evm';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';

interface CreationFrame {
  readonly isCreate?: boolean;
  readonly gasLimit: bigint;
}

/** Where the library runs creations; only what is touched here. */
interface Creations {
  runInterpreter(frame: CreationFrame, options?: object): Promise<ExecResult>;
  _executeCreate(message: object): Promise<EVMResult>;
}

/** How init code ended, and what it handed back. */
interface Ended {
  readonly isGood: boolean;
  readonly handed: Bytes;
  readonly gasLeft: bigint;
}

const NOT_RUN: Ended = { isGood: false, handed: EMPTY, gasLeft: 0n };
const { OUT_OF_GAS, INVALID_BYTECODE_RESULT, CODESIZE_EXCEEDS_MAXIMUM } = EVMError.errorMessages;
/** geth's words. The library's own would be no failure to whoever asked for the creation. */
const DEPOSIT_UNPAID = 'contract creation code storage out of gas';
/** Gas for a byte of code, and bytes of it (EIP-170). */
const [DEPOSIT_GAS, CODE_MAX] = [200n, 24_576];
const REFUSALS = new Set<string>([OUT_OF_GAS, CODESIZE_EXCEEDS_MAXIMUM]);
/** With what no deployed code begins (EIP-3541). */
const RESERVED = 0xef;

/**
 * Creations end as in geth. Init code that reverts hands back its reason and the gas that is left: the library takes
 * what is handed back for code before it asks how the init code ended, and from a reason that begins with 0xef, as one
 * custom error in 256 does, it would make code that nobody may deploy, which takes all gas and tells nothing. And where
 * it is the code that is bad or not paid for, that is what is told, not that the init code ran out of gas.
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
    // Creations within this one ended before it.
    const ended = last ?? NOT_RUN;
    const { execResult } = made;
    if (!ended.isGood) execResult.returnValue = ended.handed;
    else if (REFUSALS.has(execResult.exceptionError?.error ?? ''))
      execResult.exceptionError = new EVMError(refusalOf(ended) as EVMError['error']);
    return made;
  };
}

/** Why code is not kept: what it begins with is looked at first, then its price, then its size (geth's initNewContract). */
function refusalOf({ handed, gasLeft }: Ended): string {
  if (handed[0] === RESERVED) return INVALID_BYTECODE_RESULT;
  if (gasLeft < DEPOSIT_GAS * BigInt(handed.length)) return DEPOSIT_UNPAID;
  return `max code size exceeded: code size ${handed.length} limit ${CODE_MAX}`;
}
