import { AssertionError } from '../../core/lib/assert.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { handleEthRequest } from '../../core/rpc/eth/jsonrpc.ts';
import type { Process } from '../machine/process.ts';
import { isRefusal } from '../soundly.ts';
import type { World } from '../world/world.ts';

/** A piece of client work in progress. It runs, or it waits for the node to take a transaction. */
class Op {
  isOver = false;
  /** Submissions that the node has not answered. */
  waiting = 0;
  /** The work waits for blocks, so the simulator does not wait for it. */
  readonly isLong: boolean;
  #wake: () => void = () => {};

  constructor(isLong: boolean) {
    this.isLong = isLong;
  }

  changed(): void {
    this.#wake();
  }

  get isIdle(): boolean {
    return this.isOver || this.isLong || this.waiting > 0;
  }

  /** Resolves when the work can go on only in virtual time, or is over. */
  async idle(): Promise<void> {
    while (!this.isIdle) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Microtask turns in which an answer travels from the node's reply effect to the op that waits for it. */
const TURNS = 6;
/** The same for an answer that comes with a block. */
const LONG_TURNS = 60;

/**
 * Runs client code inside virtual time. Client code is ordinary async code over the node's real RPC handlers; before
 * the next event every piece of it is over or waits for a submission, so real asynchrony decides nothing.
 */
export class ClientCalls {
  readonly #world: World;
  #open: { readonly op: Op; readonly node: Process; readonly life: number }[] = [];

  constructor(world: World) {
    this.#world = world;
    world.settle = () => (this.#open.length === 0 ? undefined : this.#settle());
  }

  /** Starts `work` and returns when it is over or waits. Its `ask` answers undefined when the node is gone. */
  run(node: Process, work: (ask: EthAsk) => Promise<void>): Promise<void> {
    return this.within(node, (context) =>
      work(async (method, params) =>
        parseReply(await handleEthRequest(context, request(method, params), 'http')),
      ),
    );
  }

  /** The same for work on any of the node's surfaces. */
  within(node: Process, work: (context: RpcContext) => Promise<void>): Promise<void> {
    return this.#begin(node, new Op(false), work);
  }

  /** The same for a call that is answered blocks later, if ever. */
  wait(node: Process, work: (context: RpcContext) => Promise<void>): Promise<void> {
    return this.#begin(node, new Op(true), work);
  }

  async #begin(node: Process, op: Op, work: (context: RpcContext) => Promise<void>): Promise<void> {
    const rpc = node.node?.rpc;
    if (rpc === undefined || node.state !== 'up') return;
    const entry = { op, node, life: node.lives };
    // A long wait uses the node's own context, by which the node keeps those who wait.
    const context = op.isLong ? rpc : watched(rpc, op);
    this.#open.push(entry);
    void work(context)
      .catch((error: unknown) => haltAfter(entry, error))
      .finally(() => {
        op.isOver = true;
        op.changed();
      });
    await op.idle();
    this.#forget();
  }

  /**
   * Runs work that submits nothing, on the node's own context: what the node keeps for a client lasts from call to
   * call.
   */
  async read(node: Process, work: (ask: EthAsk) => Promise<void> | void): Promise<void> {
    const rpc = node.node?.rpc;
    if (rpc === undefined || node.state !== 'up') return;
    const life = node.lives;
    const ask: EthAsk = async (method, params) => {
      try {
        return parseReply(await handleEthRequest(rpc, request(method, params), 'http'));
      } catch (error) {
        haltAfter({ node, life }, error);
        throw GONE;
      }
    };
    try {
      await work(ask);
    } catch (error) {
      if (error !== GONE && !isRefusal(node, error)) throw error;
    }
  }

  async #settle(): Promise<void> {
    const turns = this.#open.some(({ op }) => op.isLong) ? LONG_TURNS : TURNS;
    for (let i = 0; i < turns; i++) await undefined;
    for (const { op } of this.#open) await op.idle();
    this.#forget();
  }

  /** Forgets work that is over, and work of a life that has ended: its answers never come. */
  #forget(): void {
    this.#open = this.#open.filter(
      ({ op, node, life }) =>
        !op.isOver && node.lives === life && (node.state === 'up' || node.state === 'paused'),
    );
  }

  get world(): World {
    return this.#world;
  }
}

export type EthReply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };
export type EthAsk = (method: string, params: readonly unknown[]) => Promise<EthReply>;

/** Ends the work of a client whose node stopped instead of answering. */
const GONE = new Error('the node is gone');

/**
 * Halts a node whose own invariant breaks while it answers, so that the failure is seen. A damaged disk costs only the
 * answer: the client gets an internal error, as for any request that throws.
 */
function haltAfter({ node, life }: { readonly node: Process; readonly life: number }, error: unknown): void {
  if (isRefusal(node, error)) return;
  if (!(error instanceof AssertionError)) throw error;
  if (node.lives === life && node.isRunning) node.fail('threw', error);
}

function watched(rpc: RpcContext, op: Op): RpcContext {
  const waited = async <T>(answer: Promise<T>): Promise<T> => {
    op.waiting++;
    op.changed();
    const result = await answer;
    op.waiting--;
    op.changed();
    return result;
  };
  const { submitEvidence } = rpc;
  return {
    ...rpc,
    ...(submitEvidence === undefined
      ? {}
      : { submitEvidence: (evidence) => waited(submitEvidence.call(rpc, evidence)) }),
    now: () => rpc.now(),
    randomId: () => rpc.randomId(),
    catchingUp: () => rpc.catchingUp(),
    submit: (tx) => waited(rpc.submit(tx)),
  };
}

/** A request of JSON-RPC 2.0. */
export const request = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

function parseReply(text: string | undefined): EthReply {
  const reply = JSON.parse(text ?? '{}') as EthReply;
  return 'error' in reply || 'result' in reply ? reply : { error: { code: 0, message: 'no answer' } };
}
