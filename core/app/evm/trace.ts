/** Translates the library's events to the hooks of a tracer. */
import type { EVM, EVMResult, ExecResult, InterpreterStep, Message as LibraryMessage } from '@ethereumjs/evm';
import type { Address as EvmAddress } from '@ethereumjs/util';
import { EMPTY } from '../../lib/bytes.ts';
import type { Address } from '../../types/ids.ts';
import type { Frame, Step, TraceHooks, TraceState } from '../../types/trace.ts';
import { LibraryStep } from './libraryStep.ts';
import { memoryOf } from './memoryRange.ts';
import { addressOfWord, KIND_OF_OPCODE, refusedFrame } from './refusedFrame.ts';
import { gethVmError } from './vmError.ts';

const STOP = 0x00;
const RETURN = 0xf3;
const SELFDESTRUCT = 0xff;
const HALTING = new Set([STOP, RETURN, SELFDESTRUCT]);

/** Passes the events of one engine to the hooks; serves one run. */
class Listening {
  readonly #evm: EVM;
  readonly #hooks: TraceHooks;
  readonly #state: TraceState;
  /** Refund granted before the first instruction. */
  readonly #refund: bigint;
  #last: Step | undefined;
  /** A call or creation step whose frame has not begun yet. */
  #calling: Step | undefined;
  /** The SELFDESTRUCT that the last instruction requested. */
  #destroying: Frame | undefined;
  /** Call values of the open frames: a delegate call inherits its caller's. */
  readonly #values: bigint[] = [];

  constructor(evm: EVM, hooks: TraceHooks, state: TraceState, refund: bigint) {
    this.#evm = evm;
    this.#hooks = hooks;
    this.#state = state;
    this.#refund = refund;
  }

  readonly onStep = (event: InterpreterStep): void => {
    const step = new LibraryStep(event, this.#refund);
    this.#refused();
    this.#last = step;
    this.#calling = KIND_OF_OPCODE.has(step.code) ? step : undefined;
    this.#hooks.step?.(step, this.#state);
    this.#destroying = step.code === SELFDESTRUCT ? this.#destruction(step) : undefined;
  };

  /** Reports a refused call: the code went on after a call without a frame having begun. */
  #refused(): void {
    const refused = this.#calling && refusedFrame(this.#calling, this.#state);
    this.#calling = undefined;
    if (refused === undefined) return;
    const { frame, error } = refused;
    const value = frame.kind === 'DELEGATECALL' ? (this.#values.at(-1) ?? 0n) : frame.value;
    this.#hooks.enter?.({ ...frame, value });
    this.#hooks.exit?.({ depth: frame.depth, gasUsed: 0n, output: EMPTY, error });
  }

  #destruction({ address, stack, depth }: Step): Frame {
    return {
      kind: 'SELFDESTRUCT',
      depth: depth + 1,
      from: address,
      to: addressOfWord(stack.at(-1) ?? 0n),
      value: this.#state.account(address)?.balance ?? 0n,
      gas: 0n,
      input: EMPTY,
    };
  }

  /** Reports a SELFDESTRUCT that succeeded. */
  #destroyed(frame: Frame): void {
    this.#hooks.enter?.(frame);
    this.#hooks.exit?.({ depth: frame.depth, gasUsed: 0n, output: EMPTY, error: undefined });
  }

  /** With two parameters the library waits for `next`: the address of a creation is computed asynchronously. */
  readonly onMessage = (message: LibraryMessage, next?: (value?: unknown) => void): void => {
    this.#enter(message).then(next, next);
  };

  async #enter(message: LibraryMessage): Promise<void> {
    this.#calling = undefined;
    const isCreate = message.to === undefined;
    const kind =
      message.depth === 0
        ? isCreate
          ? 'CREATE'
          : 'CALL'
        : (KIND_OF_OPCODE.get(this.#last?.code ?? 0) ?? 'CALL');
    const isBorrowed = kind === 'DELEGATECALL' || kind === 'CALLCODE';
    const value = kind === 'DELEGATECALL' ? (this.#values.at(-1) ?? 0n) : message.value;
    this.#values.push(value);
    this.#hooks.enter?.({
      kind,
      depth: message.depth + 1,
      from: isBorrowed ? (message.to as EvmAddress).bytes : message.caller.bytes,
      to: isCreate
        ? await this.#createdBy(message)
        : (isBorrowed ? message.codeAddress : (message.to as EvmAddress)).bytes,
      value,
      gas: message.gasLimit,
      input: message.data,
    });
  }

  async #createdBy(message: LibraryMessage): Promise<Address> {
    const makes = this.#evm as unknown as { _generateAddress(message: LibraryMessage): Promise<EvmAddress> };
    // The library reads the init code from `code`, and sets that itself right after this event.
    const code = message.code;
    message.code = message.data;
    const address = await makes._generateAddress(message);
    if (code === undefined) delete message.code;
    else message.code = code;
    return address.bytes;
  }

  /** Code that ends without a halting instruction executes an implicit STOP, which geth shows. */
  #ranOut({ gasRefund = 0n }: ExecResult, frame: NonNullable<ExecResult['runState']>, depth: number): void {
    this.#refused();
    if (HALTING.has(frame.opCode)) return;
    const { programCounter, gasLeft, stack, memory, memoryWordCount, env } = frame;
    const step: Step = {
      pc: programCounter,
      code: STOP,
      op: 'STOP',
      gas: gasLeft,
      cost: 0n,
      leastCost: 0n,
      refund: this.#refund + gasRefund,
      depth,
      address: env.address.bytes,
      stack: stack.getStack(),
      memory: memoryOf(memory._store, memoryWordCount),
    };
    this.#hooks.step?.(step, this.#state);
  }

  readonly onResult = ({ execResult }: EVMResult): void => {
    const depth = this.#values.length;
    const halt = execResult.exceptionError?.error;
    if (halt !== undefined) this.#calling = undefined;
    else if (execResult.runState !== undefined) this.#ranOut(execResult, execResult.runState, depth);
    if (halt === undefined && this.#destroying !== undefined) this.#destroyed(this.#destroying);
    this.#destroying = undefined;
    this.#values.pop();
    this.#hooks.exit?.({
      depth,
      gasUsed: execResult.executionGasUsed,
      output: execResult.returnValue,
      error: halt === undefined ? undefined : gethVmError(halt, execResult.runState),
    });
  };
}

type Unlisten = () => void;

function listenToCalls({ events }: EVM, called: NonNullable<TraceHooks['called']>): Unlisten {
  const onMessage = (message: LibraryMessage): void => {
    // For a creation, the library's `codeAddress` throws.
    if (message.to !== undefined) called(message.codeAddress.bytes, message.data);
  };
  events.on('beforeMessage', onMessage);
  return () => events.off('beforeMessage', onMessage);
}

function listenToSteps(listening: Listening, { events }: EVM): Unlisten {
  events.on('step', listening.onStep);
  events.on('beforeMessage', listening.onMessage);
  events.on('afterMessage', listening.onResult);
  return () => {
    events.off('step', listening.onStep);
    events.off('beforeMessage', listening.onMessage);
    events.off('afterMessage', listening.onResult);
  };
}

/**
 * Passes the engine's next run to the hooks; call the returned function after the run. `refund` is that of the
 * authorizations (EIP-7702).
 */
export function listen(evm: EVM, hooks: TraceHooks, state: TraceState, refund: bigint): Unlisten {
  const ends: Unlisten[] = [];
  if (hooks.called !== undefined) ends.push(listenToCalls(evm, hooks.called.bind(hooks)));
  // Step events are costly: the library prepares each at ten times the cost of running the instruction.
  const isClose = hooks.step !== undefined || hooks.enter !== undefined || hooks.exit !== undefined;
  if (isClose) ends.push(listenToSteps(new Listening(evm, hooks, state, refund), evm));
  return () => {
    for (const end of ends) end();
  };
}
