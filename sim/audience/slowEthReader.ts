import { EthSession } from '../../core/rpc/eth/session.ts';
import { quantity } from '../clients/answers/answers.ts';
import { BLOCK_KINDS, type Frame, type Kind, newsOf, shown } from './ethFrames.ts';
import { NarrowWire } from './narrowWire.ts';
import { type Stage, settle } from './stage.ts';
import { firstUntold, NOT_CUT_OFF, readUntilCutOff } from './telling.ts';

const TURNS = 10;
const FOLLOWED_MAX = 4;

interface Followed {
  readonly kind: Kind;
  /** The first block that it must be told of. */
  readonly first: number;
}

/**
 * A client of the EVM websocket reads now and then, and in the end nothing, until the node has no room for what it
 * leaves unread. It is then cut off with a block to resume from. Of all blocks before that one, past ones included, it
 * has been told all that it subscribed to, once and in order.
 */
export class SlowEthReader {
  readonly #stage: Stage;
  readonly #choose: (n: number) => number;
  readonly #wire: NarrowWire;
  readonly #session: EthSession;
  readonly #texts: string[] = [];

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    this.#choose = choose;
    this.#wire = new NarrowWire(2 + choose(4));
    this.#session = new EthSession(stage.ctx, this.#wire);
  }

  /** The problem in words. */
  async play(): Promise<string | undefined> {
    const followed: Followed[] = [];
    this.#stage.tell();
    for (let turn = 0; turn < TURNS; turn++) {
      const what = this.#choose(4);
      if (followed.length < FOLLOWED_MAX && (what === 0 || turn < 2))
        followed.push(await this.#follow(followed.length));
      else if (what < 3) this.#texts.push(...this.#wire.take(this.#session, 1 + this.#choose(3)));
      else this.#grow();
      await settle();
    }
    const rest = await readUntilCutOff(
      this.#wire,
      this.#stage,
      () => this.#grow(),
      () => this.#say(FOLLOWED_MAX, 'eth_blockNumber', []),
    );
    if (rest === undefined) return NOT_CUT_OFF;
    this.#texts.push(...rest);
    return this.#problem(followed);
  }

  #grow(): void {
    if (this.#stage.isOver) return;
    this.#stage.grow();
    this.#stage.tell();
  }

  async #follow(id: number): Promise<Followed> {
    const { head, ctx } = this.#stage;
    // Every block is a new head, but not every block has logs or receipts.
    const kind = id % 2 === 0 ? 'newHeads' : (BLOCK_KINDS[this.#choose(BLOCK_KINDS.length)] as Kind);
    const from = this.#choose(3) === 0 ? undefined : Math.max(1, ctx.chain.base(), head - this.#choose(4));
    const past = from === undefined ? [] : [{ fromBlock: quantity(from) }];
    await this.#say(id, 'eth_subscribe', [kind, ...(kind === 'newHeads' ? [] : [{}]), ...past]);
    return { kind, first: from ?? head + 1 };
  }

  async #say(id: number, method: string, params: readonly unknown[]): Promise<void> {
    await this.#session.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await this.#session.settled();
  }

  #problem(followed: readonly Followed[]): string | undefined {
    const { reason } = this.#wire;
    const resume = Number(/resume from block (\d+)/.exec(reason)?.[1]);
    if (!Number.isSafeInteger(resume))
      return `whoever reads too little is cut off with "${reason}", and not told where to go on`;
    const told = new Map<string, string[]>();
    const ids = new Map<number, string>();
    for (const { id, result, params } of this.#texts.map((text) => JSON.parse(text) as Frame)) {
      if (id !== undefined) ids.set(id, String(result));
      if (params === undefined) continue;
      const { subscription } = params;
      told.set(subscription, [...(told.get(subscription) ?? []), shown(params.result)]);
    }
    for (const [id, { kind, first }] of followed.entries()) {
      const subscription = ids.get(id);
      // The client did not read the answer, so for it the subscription has not begun.
      if (subscription === undefined) continue;
      const due: string[] = [];
      for (let height = first; height < Math.min(resume, this.#stage.head + 1); height++)
        due.push(...newsOf(kind, this.#stage.ethBlock(height)));
      const wrong = firstUntold(told.get(subscription) ?? [], due);
      if (wrong !== undefined)
        return `whoever follows ${kind} from block ${first} on and reads too little is to go on from block ${resume}, and is told ${wrong.told} where ${wrong.due} comes before that`;
    }
    return undefined;
  }
}
