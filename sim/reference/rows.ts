import type { Bytes } from '../../core/lib/bytes.ts';
import type { Frame } from './frame.ts';
import type { Name } from './state.ts';

/** The state before an instruction. */
export interface Row {
  readonly pc: number;
  readonly op: number;
  /** The account on whose storage it works. */
  readonly self: Name;
  readonly gas: number;
  readonly depth: number;
  readonly stack: readonly bigint[];
  /** Memory size in bytes. */
  readonly memory: number;
  /** The output of the frame's last call. */
  readonly returned: Bytes;
  /** The refund counter, including what this SSTORE changes; undefined if it failed. */
  refund: number | undefined;
  /** The value in the slot that it reads, or the value that it is about to write. */
  readonly value: bigint | undefined;
  /** Includes the gas passed on by a call, but not by a creation; undefined if it failed. */
  cost: number | undefined;
}

const [SLOAD, SSTORE] = [0x54, 0x55];

/** Records the first instructions of a transaction, in whichever frame they run. */
export class Rows {
  readonly all: Row[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  begin(frame: Frame, op: number): Row | undefined {
    const { machine, input, pc, gas } = frame;
    if (this.all.length >= this.#most || input.code.length === 0) return undefined;
    const stack = [...frame.stack];
    const [slot, written] = [stack.at(-1), stack.at(-2)];
    const isRead = op === SLOAD && slot !== undefined;
    const row: Row = {
      pc,
      op,
      self: input.self,
      gas,
      depth: input.depth + 1,
      stack,
      memory: frame.memorySize,
      returned: frame.returned,
      refund: op === SSTORE ? undefined : machine.state.refund,
      value: isRead ? machine.state.storage(input.self, slot) : op === SSTORE ? written : undefined,
      cost: undefined,
    };
    this.all.push(row);
    return row;
  }
}
