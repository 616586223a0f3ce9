/** Turns the library's events into the hooks of a tracer. */
import type { EVM, EVMResult, InterpreterStep, Message as LibraryMessage } from '@ethereumjs/evm';
import type { Address as EvmAddress } from '@ethereumjs/util';
import { EMPTY } from '../../lib/bytes.ts';
import type { Address } from '../../types/ids.ts';
import type { FrameKind, Step, TraceHooks, TraceState } from '../../types/trace.ts';
import { gethVmError } from './vmError.ts';

const KIND_OF_OPCODE: ReadonlyMap<number, FrameKind> = new Map([
  [0xf0, 'CREATE'],
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xf5, 'CREATE2'],
  [0xfa, 'STATICCALL'],
]);
const SELFDESTRUCT = 0xff;

export const addressOfWord = (word: bigint): Address => {
  const out = new Uint8Array(20);
  for (let i = 19, rest = word; i >= 0; i--, rest >>= 8n) out[i] = Number(rest & 0xffn);
  return out;
};

/** One engine's events as hooks; at most one a run. */
class Listening {
  readonly #evm: EVM;
  readonly #hooks: TraceHooks;
  readonly #state: TraceState;
  /** Given back before the first instruction. */
  readonly #refund: bigint;
  #last: Step | undefined;
  /** Values of the open frames: a delegate call keeps its caller's. */
  readonly #values: bigint[] = [];

  constructor(evm: EVM, hooks: TraceHooks, state: TraceState, refund: bigint) {
    this.#evm = evm;
    this.#hooks = hooks;
    this.#state = state;
    this.#refund = refund;
  }

  readonly onStep = (event: InterpreterStep): void => {
    const { pc, opcode, gasLeft, gasRefund, stack, memory, depth, address } = event;
    const step: Step = {
      pc,
      code: opcode.code,
      op: opcode.name,
      gas: gasLeft,
      cost: opcode.dynamicFee ?? BigInt(opcode.fee),
      refund: this.#refund + gasRefund,
      depth: depth + 1,
      address: address.bytes,
      stack,
      memory,
    };
    this.#last = step;
    this.#hooks.step?.(step, this.#state);
    if (step.code === SELFDESTRUCT && step.cost <= step.gas) this.#destroyed(step);
  };

  #destroyed({ address, stack, depth }: Step): void {
    const value = this.#state.account(address)?.balance ?? 0n;
    const to = addressOfWord(stack.at(-1) ?? 0n);
    const frame = {
      kind: 'SELFDESTRUCT',
      depth: depth + 1,
      from: address,
      to,
      value,
      gas: 0n,
      input: EMPTY,
    } as const;
    this.#hooks.enter?.(frame);
    this.#hooks.exit?.({ depth: depth + 1, gasUsed: 0n, output: EMPTY, error: undefined });
  }

  /** Two parameters make the library wait: the address of a creation is computed asynchronously. */
  readonly onMessage = (message: LibraryMessage, next?: (value?: unknown) => void): void => {
    this.#enter(message).then(next, next);
  };

  async #enter(message: LibraryMessage): Promise<void> {
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
    // The library reads the init code from here and sets it itself right after this event.
    const code = message.code;
    message.code = message.data;
    const address = await makes._generateAddress(message);
    if (code === undefined) delete message.code;
    else message.code = code;
    return address.bytes;
  }

  readonly onResult = ({ execResult }: EVMResult): void => {
    const depth = this.#values.length;
    this.#values.pop();
    const halt = execResult.exceptionError?.error;
    this.#hooks.exit?.({
      depth,
      gasUsed: execResult.executionGasUsed,
      output: execResult.returnValue,
      error: halt === undefined ? undefined : gethVmError(halt, execResult.runState?.opCode),
    });
  };
}

/** Lets the hooks hear the engine's next run; call what it returns after the run. `refund` is that of authorizations (EIP-7702). */
export function listen(evm: EVM, hooks: TraceHooks, state: TraceState, refund: bigint): () => void {
  const listening = new Listening(evm, hooks, state, refund);
  evm.events.on('step', listening.onStep);
  evm.events.on('beforeMessage', listening.onMessage);
  evm.events.on('afterMessage', listening.onResult);
  return () => {
    evm.events.off('step', listening.onStep);
    evm.events.off('beforeMessage', listening.onMessage);
    evm.events.off('afterMessage', listening.onResult);
  };
}
