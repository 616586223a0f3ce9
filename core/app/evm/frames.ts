import { type EVM, EVMError, type EVMResult, type ExecResult, type Message } from '@ethereumjs/evm';
import { Account, type Address } from '@ethereumjs/util';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import { Recent } from '../../lib/recent.ts';

type Ended = NonNullable<ExecResult['runState']>;

/** The library's interpreter of one frame, which it does not export; only the members used here. */
interface Interpreter {
  readonly _result: Pick<ExecResult, 'logs' | 'selfdestruct' | 'createdAddresses'> & {
    readonly returnValue: Bytes | undefined;
  };
  run(code: Bytes, options: object): Promise<{ runState: Ended; exceptionError?: EVMError }>;
  _getValidJumpDestinations(code: Bytes): object;
}

type InterpreterClass = new (
  evm: EVM,
  stateManager: EVM['stateManager'],
  blockchain: EVM['blockchain'],
  env: object,
  gasLeft: bigint,
  journal: EVM['journal'],
  ...profiling: unknown[]
) => Interpreter;

/** The library's methods that run frames; only those used here. */
interface Frames {
  readonly _tx: { readonly gasPrice: bigint; readonly origin: Address };
  readonly _block: object;
  readonly performanceLogger: object;
  runInterpreter(message: Message, options?: object): Promise<ExecResult>;
  _executeCall(message: Message): Promise<EVMResult>;
  _reduceSenderBalance(account: Account, message: Message): Promise<void>;
  _addToBalance(account: Account, message: Message): Promise<void>;
  _loadCode(message: Message): Promise<void>;
  runPrecompile(code: Message['code'], data: Bytes, gasLimit: bigint): Promise<ExecResult>;
}

const { REVERT } = EVMError.errorMessages;
/**
 * Codes within one message whose jump destinations are cached. The key is the byte array itself: the state returns the
 * same array while the code is unchanged. The library's table of a large contract takes a megabyte.
 */
const JUMPS_MAX = 8;
const STOP = Uint8Array.of(0);
/** A state without accounts, to run code that stops at once. */
const NOBODY = { getAccount: async () => undefined } as unknown as EVM['stateManager'];

async function interpreterOf(evm: EVM): Promise<InterpreterClass> {
  const { stateManager } = evm;
  evm.stateManager = NOBODY;
  const { runState } = await evm.runCode({ code: STOP, gasLimit: 0n });
  evm.stateManager = stateManager;
  return (runState as unknown as { readonly interpreter: { readonly constructor: InterpreterClass } })
    .interpreter.constructor;
}

/**
 * Runs frames as the library does, and calls as it does under the forks we support, without two steps that take most of
 * a call's time: the library copies all it knows of a frame twice, and it searches code for jump destinations again
 * although it ran a moment ago.
 */
export async function runFramesWithoutCopies(evm: EVM): Promise<void> {
  const Frame = await interpreterOf(evm);
  const library = evm as unknown as Frames;
  let jumps = new Recent<object, Bytes>(JUMPS_MAX);

  library.runInterpreter = async (message, options = {}) => {
    const interpreter = new Frame(
      evm,
      evm.stateManager,
      evm.blockchain,
      await envOf(evm, library, message),
      message.gasLimit,
      evm.journal,
      library.performanceLogger,
    );
    const look = interpreter._getValidJumpDestinations.bind(interpreter);
    interpreter._getValidJumpDestinations = (code) => {
      let found = jumps.get(code);
      if (found === undefined) {
        found = look(code);
        jumps.set(code, found);
      }
      return found;
    };
    const { _result: result } = interpreter;
    if (message.selfdestruct !== undefined) result.selfdestruct = message.selfdestruct;
    if (message.createdAddresses !== undefined) result.createdAddresses = message.createdAddresses;
    const ended = await interpreter.run(message.code as Bytes, options);
    if (message.depth === 0) jumps = new Recent(JUMPS_MAX);
    return resultOf(interpreter, message, ended);
  };

  library._executeCall = async (message) => {
    const state = evm.stateManager;
    const sender = (await state.getAccount(message.caller)) ?? new Account();
    let failure: EVMError | undefined;
    if (!message.delegatecall) failure = await failureOf(library._reduceSenderBalance(sender, message));
    const receiver = (await state.getAccount(message.to as Address)) ?? new Account();
    if (!message.delegatecall)
      failure = (await failureOf(library._addToBalance(receiver, message))) ?? failure;
    await library._loadCode(message);
    const { code, gasRefund } = message;
    const isEmpty = code === undefined || (typeof code !== 'function' && code.length === 0);
    if (failure !== undefined || isEmpty)
      return { execResult: { gasRefund, executionGasUsed: 0n, returnValue: EMPTY, ...failing(failure) } };
    const execResult = message.isCompiled
      ? Object.assign(await library.runPrecompile(code, message.data, message.gasLimit), { gasRefund })
      : await library.runInterpreter(message);
    return { execResult };
  };
}

const failing = (exceptionError: EVMError | undefined) =>
  exceptionError === undefined ? {} : { exceptionError };

/** The EVMError that the library throws when a balance is too low. */
async function failureOf(payment: Promise<void>): Promise<EVMError | undefined> {
  try {
    await payment;
    return undefined;
  } catch (error) {
    if (error instanceof EVMError) return error;
    throw error;
  }
}

async function envOf(evm: EVM, { _tx, _block }: Frames, message: Message): Promise<object> {
  const { caller, data, value, code, isStatic, depth, gasRefund, chargeCodeAccesses, createdAddresses } =
    message;
  const address = message.to as Address;
  return {
    address,
    caller,
    callData: data,
    callValue: value,
    code,
    isStatic,
    isCreate: (message as { isCreate?: boolean }).isCreate ?? false,
    depth,
    gasPrice: _tx.gasPrice,
    origin: _tx.origin,
    block: _block,
    contract: (await evm.stateManager.getAccount(address)) ?? new Account(),
    codeAddress: message.codeAddress,
    gasRefund,
    chargeCodeAccesses,
    blobVersionedHashes: message.blobVersionedHashes ?? [],
    createdAddresses,
  };
}

function resultOf(
  { _result: result }: Interpreter,
  { gasLimit }: Message,
  { runState, exceptionError }: { readonly runState: Ended; readonly exceptionError?: EVMError },
): ExecResult {
  const isGood = exceptionError === undefined;
  const takesAll = !isGood && exceptionError.error !== REVERT;
  return {
    runState,
    ...failing(exceptionError),
    logs: isGood ? (result.logs ?? []) : [],
    selfdestruct: (isGood && result.selfdestruct) || new Map(),
    createdAddresses: (isGood && result.createdAddresses) || new Set(),
    gas: runState.gasLeft,
    executionGasUsed: takesAll ? gasLimit : gasLimit - runState.gasLeft,
    gasRefund: runState.gasRefund,
    returnValue: result.returnValue ?? EMPTY,
  };
}
