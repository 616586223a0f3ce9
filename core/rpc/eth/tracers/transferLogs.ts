import { bigintToFixed } from '../../../app/evm/numbers.ts';
import { append } from '../../../lib/append.ts';
import { type Bytes, hex } from '../../../lib/bytes.ts';
import type { Address } from '../../../types/ids.ts';
import type { Frame, FrameEnd, Step, TraceHooks } from '../../../types/trace.ts';
import { logOfStep, type SteppedLog } from './logStep.ts';

/** keccak256("Transfer(address,address,uint256)"). */
const TRANSFER = hex('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef');
/** ERC-7528: the address that represents the native coin as a token. */
const COIN_ADDRESS: Address = new Uint8Array(20).fill(0xee);

/** These calls have a value but transfer nothing. */
const NO_TRANSFER: ReadonlySet<string> = new Set(['DELEGATECALL', 'CALLCODE']);

const padded = (address: Address): Bytes => {
  const word = new Uint8Array(32);
  word.set(address, 12);
  return word;
};

/** The logs of an execution, including one for each transfer of the native coin (geth's logtracer). */
export class TransferLogs implements TraceHooks {
  /** One list per open call; the list of a failed call is dropped. */
  readonly #open: SteppedLog[][] = [];
  #logs: readonly SteppedLog[] = [];

  enter({ kind, from, to, value }: Frame): void {
    const logs: SteppedLog[] = [];
    if (!NO_TRANSFER.has(kind) && value > 0n) {
      const topics = [TRANSFER, padded(from), padded(to)];
      logs.push({ address: COIN_ADDRESS, topics, data: bigintToFixed(value, 32) });
    }
    this.#open.push(logs);
  }

  step(step: Step): void {
    const log = logOfStep(step);
    if (log !== undefined) this.#open.at(-1)?.push(log);
  }

  exit({ error }: FrameEnd): void {
    const heard = this.#open.pop() ?? [];
    const logs = error === undefined ? heard : [];
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#logs = logs;
    else append(parent, logs);
  }

  logs(): readonly SteppedLog[] {
    return this.#logs;
  }
}
