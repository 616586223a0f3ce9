import { type EVM, EVMError, type EVMResult, type ExecResult } from '@ethereumjs/evm';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';

/** Where the library runs creations; only what is touched here. */
interface Creations {
  runInterpreter(frame: { readonly isCreate?: boolean }, options?: object): Promise<ExecResult>;
  _executeCreate(message: object): Promise<EVMResult>;
}

/** How init code ended, and what it handed back. */
interface Ended {
  readonly isGood: boolean;
  readonly handed: Bytes;
}

const { OUT_OF_GAS, INVALID_BYTECODE_RESULT } = EVMError.errorMessages;
/** geth's words. The library's own would be no failure to whoever asked for the creation. */
const DEPOSIT_UNPAID = 'contract creation code storage out of gas' as EVMError['error'];
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
    last = { isGood: result.exceptionError === undefined, handed: result.returnValue };
    return last.isGood ? result : Object.assign(result, { returnValue: EMPTY });
  };
  library._executeCreate = async (message) => {
    last = undefined;
    const made = await create(message);
    // Creations within this one ended before it.
    const { isGood, handed } = last ?? { isGood: false, handed: EMPTY };
    const { execResult } = made;
    if (!isGood) execResult.returnValue = handed;
    else if (execResult.exceptionError?.error === OUT_OF_GAS)
      execResult.exceptionError = new EVMError(
        handed[0] === RESERVED ? INVALID_BYTECODE_RESULT : DEPOSIT_UNPAID,
      );
    return made;
  };
}
