import type { RpcContext } from '../../core/rpc/context.ts';
import { EthSession } from '../../core/rpc/eth/session.ts';
import { eth } from '../checkers/questions.ts';
import { quantity } from '../clients/answers/answers.ts';
import { BLOCK_KINDS, type Frame, type Kind, newsOf, shown } from './ethFrames.ts';
import { LazyWire } from './lazyWire.ts';
import { type Stage, settle } from './stage.ts';
import { wronglyTold } from './telling.ts';

/** Between two blocks, other tasks have at most 2 to this power turns. */
const TURNS_LOG2 = 7;

interface Followed {
  readonly kind: Kind;
  readonly from: number;
  readonly told: string[];
}

/**
 * A client of the EVM websocket asks for past events of all subscriptions while blocks come, some of them just as the
 * node looks for what to send next. It must get all of every block, once and in order. So must a client that makes a
 * filter and polls it only when all blocks are there, until nothing is left: what does not fit into one answer comes in
 * the next.
 */
export class EthPast {
  readonly #stage: Stage;
  readonly #ctx: RpcContext;
  readonly #choose: (n: number) => number;

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    const { ctx } = stage;
    // A single log fills an answer.
    this.#ctx = { ...ctx, limits: { ...ctx.limits, logsMax: 1 } };
    this.#choose = choose;
  }

  /** The problem in words. */
  async play(): Promise<string | undefined> {
    const stage = this.#stage;
    const start = stage.head + 1;
    const filters = await Promise.all(
      (['eth_newFilter', 'eth_newBlockFilter'] as const).map(async (method) => ({
        kind: method === 'eth_newFilter' ? ('logs' as const) : ('newHeads' as const),
        id: await eth(this.#ctx, method, method === 'eth_newFilter' ? [{}] : []),
      })),
    );
    const problem = await this.#follow();
    if (problem !== undefined) return problem;
    while (!stage.isOver) stage.grow();
    stage.tell();
    for (const { kind, id } of filters) {
      const due = this.#due(kind, start);
      const wrong = wronglyTold(await this.#poll(id, due.length), due);
      if (wrong !== undefined) return `a filter that is polled late and to its end ${wrong}`;
    }
    return undefined;
  }

  async #follow(): Promise<string | undefined> {
    this.#begin();
    const { head, last } = this.#stage;
    const ctx = this.#ctx;
    const wire = new LazyWire(false);
    const session = new EthSession(ctx, wire);
    const followed = BLOCK_KINDS.map((kind): Followed => {
      const from = Math.max(1, ctx.chain.base(), head - this.#choose(4));
      return { kind, from, told: [] };
    });
    // If nothing is found, the node might think that it has sent everything.
    this.#stage.onSearched = (found) => {
      if (found === undefined || this.#choose(4) === 0) this.#grow();
    };
    for (const [id, { kind, from }] of followed.entries()) {
      const filter = kind === 'newHeads' ? [] : [{}];
      const params = [kind, ...filter, { fromBlock: quantity(from) }];
      void session.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
    }
    // The last block is left for the case that the node is searching while the one before it comes.
    while (this.#stage.head < last - 1) {
      for (let turn = 2 ** this.#choose(TURNS_LOG2); turn > 0; turn--) await undefined;
      this.#grow();
    }
    await settle();
    this.#grow();
    const ids = new Map<string, Followed>();
    const frames = (await wire.takeAll(session)).map((text) => JSON.parse(text) as Frame);
    this.#stage.onSearched = undefined;
    session.closed();
    for (const { id, result, params } of frames) {
      const one = followed[id ?? -1];
      if (one !== undefined) ids.set(String(result), one);
      if (params !== undefined) ids.get(params.subscription)?.told.push(shown(params.result));
    }
    for (const { kind, from, told } of followed) {
      const wrong = wronglyTold(told, this.#due(kind, from));
      if (wrong !== undefined) return `whoever follows ${kind} from block ${from} on ${wrong}`;
    }
    return undefined;
  }

  /** Moves to a block without logs before one with logs, if there is any. */
  #begin(): void {
    const stage = this.#stage;
    const isEmpty = (height: number): boolean => newsOf('logs', stage.ethBlock(height)).length === 0;
    for (let height = stage.head; height < stage.last; height++) {
      if (!isEmpty(height) || isEmpty(height + 1)) continue;
      while (stage.head < height) this.#grow();
      return;
    }
  }

  #grow(): void {
    if (this.#stage.isOver) return;
    this.#stage.grow();
    this.#stage.tell();
  }

  /** All that the filter reports; stops once it reports too much. */
  async #poll(id: unknown, most: number): Promise<readonly string[]> {
    const all: string[] = [];
    // An unknown filter reports nothing.
    let answer: unknown = [undefined];
    while (Array.isArray(answer) && answer.length > 0 && all.length <= most) {
      answer = await eth(this.#ctx, 'eth_getFilterChanges', [id]);
      if (Array.isArray(answer)) all.push(...answer.map(shown));
    }
    return all;
  }

  /** What the blocks from that height on have. */
  #due(kind: Kind, from: number): readonly string[] {
    const due: string[] = [];
    for (let height = from; height <= this.#stage.last; height++)
      due.push(...newsOf(kind, this.#stage.ethBlock(height)));
    return due;
  }
}
