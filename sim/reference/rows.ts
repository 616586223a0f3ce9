import type { Bytes } from '../../core/lib/bytes.ts';
import type { Frame } from './frame.ts';
import type { Name } from './state.ts';

/** An instruction as it began. */
export interface Row {
  readonly pc: number;
  readonly op: number;
  /** Whose storage it works on. */
  readonly self: Name;
  readonly gas: number;
  readonly depth: number;
  readonly stack: readonly bigint[];
  /** Bytes of it. */
  readonly memory: number;
  /** What the last call of the frame gave back. */
  readonly returned: Bytes;
  /** With what a store itself gives back; undefined for one that failed. */
  refund: number | undefined;
  /** What is in the slot that it reads, or is to be in that which it writes. */
  readonly value: bigint | undefined;
  /** With what a call hands on, but without what a creation does; undefined where it failed. */
  cost: number | undefined;
}

const [SLOAD, SSTORE] = [0x54, 0x55];

/** Notes the first instructions of a transaction, whoever runs them. */
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
