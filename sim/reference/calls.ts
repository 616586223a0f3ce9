import { type Bytes, EMPTY } from '../../core/lib/bytes.ts';
import type { Ending } from './frame.ts';
import type { Name } from './state.ts';

export type CallKind =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT';

/** A call, or a creation, and what it called in turn. */
export interface CallNode {
  readonly kind: CallKind;
  /** Whose storage the caller works on. */
  readonly from: Name;
  /** Whose code runs; of a creation the account that it makes. */
  readonly to: Name;
  readonly value: bigint;
  readonly gas: number;
  readonly input: Bytes;
  gasUsed: number;
  output: Bytes;
  error: string | undefined;
  readonly calls: CallNode[];
  /** Of each of its logs, how many calls came before it. */
  readonly logs: number[];
}

type Entry = Pick<CallNode, 'kind' | 'from' | 'to' | 'value' | 'gas' | 'input'>;

/** Notes who called whom in a transaction, also where it was undone. */
export class CallTree {
  readonly #open: CallNode[] = [];
  root: CallNode | undefined;

  enter(entry: Entry): void {
    const node: CallNode = { ...entry, gasUsed: 0, output: EMPTY, error: undefined, calls: [], logs: [] };
    this.#open.at(-1)?.calls.push(node);
    this.root ??= node;
    this.#open.push(node);
  }

  exit<T extends Ended>(ended: T): T {
    const node = this.#open.pop();
    if (node === undefined) return ended;
    node.gasUsed = node.gas - ended.gas;
    node.error = ended.error;
    // What fails gives back nothing but the words of a revert.
    node.output = ended.ending === 'fault' ? EMPTY : ended.output;
    return ended;
  }

  /** What ends before it begins costs nothing. */
  refused(entry: Entry, error: string): void {
    this.enter(entry);
    this.exit({ gas: entry.gas, ending: 'fault', output: EMPTY, error });
  }

  logged(): void {
    const node = this.#open.at(-1);
    node?.logs.push(node.calls.length);
  }

  /** A contract that goes, and all it has. */
  destroyed(from: Name, to: Name, value: bigint): void {
    this.enter({ kind: 'SELFDESTRUCT', from, to, value, gas: 0, input: EMPTY });
    this.exit({ gas: 0, ending: 'stop', output: EMPTY, error: undefined });
  }
}

interface Ended {
  readonly gas: number;
  readonly ending: Ending;
  readonly output: Bytes;
  readonly error: string | undefined;
}
