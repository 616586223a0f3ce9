/** Asks a guard while code runs in the library's EVM. */
import type { EVM } from '@ethereumjs/evm';
import type { Guard } from '../../types/app.ts';
import { opcodeOf } from './opcodes.ts';

/** Holds the guard of the current run of a guarded engine. */
export interface GuardSlot {
  guard: Guard | undefined;
}

const JUMPDEST = 0x5b;

/**
 * Code can only repeat by a jump or a call, so the guard is asked there. An async instruction costs a turn of the
 * microtask queue each time, so JUMPDEST becomes async only after the guard told the previous one to wait.
 */
export function guardJumps(evm: EVM, slot: GuardSlot): void {
  const entry = opcodeOf(evm, JUMPDEST);
  const plain = entry.opcodeInfo;
  const waiting = Object.assign(Object.create(Object.getPrototypeOf(plain)), plain, { isAsync: true });
  let pause: Promise<void> | undefined;
  entry.opHandler = () => {
    const due = pause;
    pause = due === undefined ? slot.guard?.tick() : undefined;
    if (due === undefined && pause === undefined) return undefined;
    entry.opcodeInfo = pause === undefined ? plain : waiting;
    return due;
  };
}

export function guardCalls(evm: EVM, slot: GuardSlot): void {
  evm.events.on('beforeMessage', (_message, next) => {
    const waiting = slot.guard?.tick();
    if (waiting === undefined) next?.();
    else void waiting.then(() => next?.());
  });
}
