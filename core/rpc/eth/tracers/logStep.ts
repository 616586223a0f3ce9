import { memoryRange } from '../../../app/evm/memoryRange.ts';
import { bigintToFixed } from '../../../app/evm/numbers.ts';
import type { Bytes } from '../../../lib/bytes.ts';
import type { Address } from '../../../types/ids.ts';
import type { Step } from '../../../types/trace.ts';

export interface SteppedLog {
  readonly address: Address;
  readonly topics: readonly Bytes[];
  readonly data: Bytes;
}

/** The log that a LOG instruction is about to write; undefined if it cannot, or if this is another instruction. */
export function logOfStep({ code, stack, memory, address, cost, gas }: Step): SteppedLog | undefined {
  const count = code - 0xa0;
  const [offset, length] = [stack.at(-1), stack.at(-2)];
  if (count < 0 || count > 4 || cost > gas) return undefined;
  if (offset === undefined || length === undefined || stack.length < 2 + count) return undefined;
  const data = memoryRange(memory, offset, length);
  if (data === undefined) return undefined;
  const topics: Bytes[] = [];
  for (let i = 0; i < count; i++) topics.push(bigintToFixed(stack.at(-3 - i) as bigint, 32));
  return { address, topics, data };
}
