import { to0xHex } from '../../../lib/bytes.ts';
import type { Frame, FrameEnd, Step, TxEnd, TxStart } from '../../../types/trace.ts';
import { serverError } from '../../rpcError.ts';
import { quantity } from '../goHex.ts';
import { revertReason } from '../revert.ts';
import type { LogCounter } from './logCounter.ts';
import { logOfStep } from './logStep.ts';
import type { Tracer } from './tracer.ts';

/**
 * Maximum bytes of all inputs and outputs: nested calls can pass on the same memory many times, but pay for it once.
 */
const BYTES_MAX = 16_000_000;
/** Approximate bytes of a frame without input and output. */
const FRAME_BYTES = 300;

export interface CallLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly index: string;
  readonly position: string;
}

/** geth's callFrame, members in the same order. */
export interface CallNode {
  readonly from: string;
  gas: string;
  gasUsed: string;
  to?: string;
  readonly input: string;
  output?: string;
  error?: string;
  revertReason?: string;
  calls?: CallNode[];
  logs?: CallLog[];
  readonly value?: string;
  readonly type: string;
}

export interface CallTracerOptions {
  readonly onlyTopCall: boolean;
  /** Counts the block's logs; absent if the trace shows no logs. */
  readonly logs?: LogCounter | undefined;
}

/** Builds the call tree of a transaction. */
export class CallTracer implements Tracer {
  readonly #options: CallTracerOptions;
  readonly #open: CallNode[] = [];
  #root: CallNode | undefined;
  #gasLimit = 0n;
  #bytes = 0;

  constructor(options: CallTracerOptions) {
    this.#options = options;
  }

  start({ gasLimit }: TxStart): void {
    this.#gasLimit = gasLimit;
  }

  enter(frame: Frame): void {
    this.#options.logs?.enter();
    if (this.#options.onlyTopCall && frame.depth > 1) return;
    this.#bytes += FRAME_BYTES + frame.input.length;
    if (this.#isFull) return;
    const node: CallNode = {
      from: to0xHex(frame.from),
      gas: quantity(frame.depth === 1 ? this.#gasLimit : frame.gas),
      gasUsed: '0x0',
      to: to0xHex(frame.to),
      input: to0xHex(frame.input),
      ...(frame.kind === 'STATICCALL' ? {} : { value: quantity(frame.value) }),
      type: frame.kind,
    };
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = node;
    else {
      parent.calls ??= [];
      parent.calls.push(node);
    }
    this.#open.push(node);
  }

  exit(end: FrameEnd): void {
    this.#options.logs?.exit(end);
    if (this.#options.onlyTopCall && end.depth > 1) return;
    this.#bytes += end.output.length;
    if (this.#isFull) return;
    const node = this.#open.pop();
    if (node === undefined) return;
    node.gasUsed = quantity(end.gasUsed);
    const output = to0xHex(end.output);
    if (end.error === undefined) {
      if (output !== '0x') node.output = output;
      return;
    }
    node.error = end.error;
    if (node.type === 'CREATE' || node.type === 'CREATE2') delete node.to;
    if (end.error !== 'execution reverted' || output === '0x') return;
    node.output = output;
    const reason = revertReason(end.output);
    if (reason !== undefined) node.revertReason = reason;
  }

  step(step: Step): void {
    const { logs, onlyTopCall } = this.#options;
    const log = logs && logOfStep(step);
    if (logs === undefined || log === undefined) return;
    const index = logs.take();
    const node = this.#open.at(-1);
    if (node === undefined || this.#isFull || (onlyTopCall && step.depth > 1)) return;
    node.logs ??= [];
    node.logs.push({
      address: to0xHex(log.address),
      topics: log.topics.map(to0xHex),
      data: to0xHex(log.data),
      index: quantity(index),
      position: quantity(node.calls?.length ?? 0),
    });
  }

  /** When true, nothing more is recorded and the trace fails. */
  get #isFull(): boolean {
    return this.#bytes > BYTES_MAX;
  }

  end({ gasUsed }: TxEnd): void {
    const root = this.#root;
    if (root === undefined) return;
    root.gasUsed = quantity(gasUsed);
    if (this.#options.logs !== undefined) dropFailedLogs(root, false);
  }

  get size(): number {
    return 2 * Math.min(this.#bytes, BYTES_MAX);
  }

  result(): CallNode | Record<string, never> {
    if (this.#isFull)
      throw serverError(`trace too large: frames were given and gave back more than ${BYTES_MAX} bytes`);
    return this.#root ?? {};
  }
}

/** Removes the logs of failed calls and of all calls inside them. */
function dropFailedLogs(node: CallNode, parentFailed: boolean): void {
  const failed = parentFailed || node.error !== undefined;
  if (failed) delete node.logs;
  for (const call of node.calls ?? []) dropFailedLogs(call, failed);
}
