import { to0xHex } from '../../core/lib/bytes.ts';
import { eth } from '../checkers/questions.ts';
import { signedByNode } from './signed.ts';
import { type Stage, settle } from './stage.ts';
import { ACCEPTED } from './waits.ts';

const WAITS_MAX = 3;
/** Error code of EIP-7966. */
const LATE = 4;

const leftProblem = (count: number): string | undefined =>
  count === 0 ? undefined : `${count} who wait for no receipt any more are still told of blocks`;

interface Told {
  readonly refused?: { readonly code: number };
  readonly transactionHash?: string;
}

/**
 * Clients send transactions that no block takes and wait for their receipts (`eth_sendRawTransactionSync`). They get no
 * answer while blocks come and a timeout error when their time is up. Then the node has no listener left.
 */
export class Receipts {
  readonly #stage: Stage;
  readonly #choose: (n: number) => number;
  readonly #heard: Told[] = [];

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    this.#choose = choose;
  }

  /** The problem in words. */
  async play(): Promise<string | undefined> {
    const stage = this.#stage;
    const { hub } = stage.ctx;
    const before = hub.size;
    const count = 1 + this.#choose(WAITS_MAX);
    for (let i = 0; i < count; i++) await this.#begin(i);
    for (let blocks = this.#choose(3); blocks > 0 && !stage.isOver; blocks--) stage.grow();
    stage.tell();
    await settle();
    if (this.#heard.length > 0)
      return `who waits for a receipt hears ${JSON.stringify(this.#heard[0])} too early`;
    stage.ring();
    await settle();
    const late = this.#heard.filter(({ refused }) => refused?.code === LATE);
    if (late.length !== count) return `${late.length} of ${count} hear that their receipts are late`;
    return (await this.#takenProblem()) ?? leftProblem(hub.size - before);
  }

  /** A client whose transaction is in the next block gets the receipt when that block is announced, not earlier. */
  async #takenProblem(): Promise<string | undefined> {
    const stage = this.#stage;
    while (!stage.isOver && stage.ethBlock(stage.head + 1).transactions.length === 0) stage.grow();
    stage.tell();
    const tx = stage.isOver ? undefined : stage.ethBlock(stage.head + 1).transactions.at(-1);
    if (tx === undefined) return undefined;
    const heard: Told[] = [];
    void eth(stage.ctx, 'eth_sendRawTransactionSync', [to0xHex(tx.raw)]).then((told) =>
      heard.push(told as Told),
    );
    await settle();
    const [given] = stage.submitted;
    // The node refuses some transactions that blocks may hold without asking its pool.
    if (given === undefined) return undefined;
    stage.answerSubmit({ kind: 'checked', hash: stage.ctx.suite.sha256(given), result: ACCEPTED });
    await settle();
    if (heard.length > 0) return `who waits for a receipt hears ${JSON.stringify(heard[0])} before its block`;
    stage.grow();
    stage.tell();
    await settle();
    return heard[0]?.transactionHash === to0xHex(tx.hash)
      ? undefined
      : `who waits for the receipt of ${to0xHex(tx.hash)} hears ${JSON.stringify(heard[0]) ?? 'nothing'} when its block is told`;
  }

  async #begin(index: number): Promise<void> {
    const { ctx } = this.#stage;
    const raw = await signedByNode(this.#stage, index);
    void eth(ctx, 'eth_sendRawTransactionSync', [raw]).then((told) => this.#heard.push(told as Told));
    await settle();
    const [tx] = this.#stage.submitted;
    if (tx === undefined) return;
    this.#stage.answerSubmit({ kind: 'checked', hash: ctx.suite.sha256(tx), result: ACCEPTED });
    await settle();
  }
}
