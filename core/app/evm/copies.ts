import type { EVM } from '@ethereumjs/evm';
import { Address } from '@ethereumjs/util';
import type { Bytes } from '../../lib/bytes.ts';
import { opcodeOf, type RunState } from './opcodes.ts';
import { addressOfWord } from './refusedFrame.ts';

const EXTCODECOPY = 0x3c;

const SOURCES: readonly (readonly [code: number, source: (frame: RunState) => Bytes])[] = [
  [0x37, ({ interpreter }) => interpreter.getCallData()],
  [0x39, ({ interpreter }) => interpreter.getCode()],
  [0x3e, ({ interpreter }) => interpreter.getReturnData()],
];

/**
 * Copies and zero-fills beyond the end of the source. The memory is already paid for, so `to` and `length` fit a
 * number.
 */
function copy({ memory }: RunState, source: Bytes, to: bigint, from: bigint, length: bigint): void {
  if (length === 0n) return;
  const [start, size] = [Number(to), Number(length)];
  memory.extend(start, size);
  const first = from > BigInt(source.length) ? source.length : Number(from);
  const part = source.subarray(first, first + size);
  memory._store.set(part, start);
  memory._store.fill(0, start + part.length, start + size);
}

/** Replaces the handlers of the copy instructions: the library's own pads the copied bytes one by one in a list. */
export function copyPlainly(evm: EVM): void {
  for (const [code, source] of SOURCES)
    opcodeOf(evm, code).opHandler = (frame) => {
      const [to, from, length] = frame.stack.popN(3) as [bigint, bigint, bigint];
      copy(frame, source(frame), to, from, length);
      return undefined;
    };
  opcodeOf(evm, EXTCODECOPY).opHandler = async (frame) => {
    const [account, to, from, length] = frame.stack.popN(4) as [bigint, bigint, bigint, bigint];
    if (length === 0n) return;
    const code = await frame.stateManager.getCode(new Address(addressOfWord(account)));
    copy(frame, code, to, from, length);
  };
}
