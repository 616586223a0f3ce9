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

/** A call or creation, and the calls that it made in turn. */
export interface CallNode {
  readonly kind: CallKind;
  /** The account in whose storage the caller runs. */
  readonly from: Name;
  /** The account whose code runs; for a creation, the new account. */
  readonly to: Name;
  readonly value: bigint;
  readonly gas: number;
  readonly input: Bytes;
  gasUsed: number;
  output: Bytes;
  error: string | undefined;
  readonly calls: CallNode[];
  /** For each of its logs, how many calls came before it. */
  readonly logs: number[];
}

type Entry = Pick<CallNode, 'kind' | 'from' | 'to' | 'value' | 'gas' | 'input'>;

/** Records the call tree of a transaction, reverted calls included. */
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
    // A failed call returns nothing, except the data of a revert.
    node.output = ended.ending === 'fault' ? EMPTY : ended.output;
    return ended;
  }

  /** A call that is refused before it begins costs nothing. */
  refused(entry: Entry, error: string): void {
    this.enter(entry);
    this.exit({ gas: entry.gas, ending: 'fault', output: EMPTY, error });
  }

  logged(): void {
    const node = this.#open.at(-1);
    node?.logs.push(node.calls.length);
  }

  /** A contract self-destructs and gives its balance away. */
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
