import { present } from '../../core/lib/assert.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import { eth } from '../checkers/questions.ts';
import { quantity } from '../clients/answers/answers.ts';
import { type Stage, settle } from './stage.ts';
import { ACCEPTED } from './waits.ts';

const WAITS_MAX = 3;
/** Beyond all that the chain has. */
const NONCE = 1_000_000;
/** EIP-7966. */
const LATE = 4;

interface Told {
  readonly refused?: { readonly code: number };
}

/**
 * Clients that send a transaction which no block takes wait for its receipt (`eth_sendRawTransactionSync`): they hear nothing while blocks come, that
 * it is late when their time is up, and the node listens for nobody any more.
 */
export class Receipts {
  readonly #stage: Stage;
  readonly #choose: (n: number) => number;
  readonly #heard: Told[] = [];

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    this.#choose = choose;
  }

  /** What goes wrong, in words. */
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
    const left = hub.size - before;
    return left === 0 ? undefined : `${left} who wait for no receipt any more are still told of blocks`;
  }

  async #begin(index: number): Promise<void> {
    const { ctx } = this.#stage;
    const from = to0xHex(present(ctx.keys.addresses[0], 'an account of the node'));
    const fields = { from, to: from, gas: quantity(21_000), gasPrice: '0x1', nonce: quantity(NONCE + index) };
    const signed = (await eth(ctx, 'eth_signTransaction', [fields])) as { readonly raw: string };
    void eth(ctx, 'eth_sendRawTransactionSync', [signed.raw]).then((told) => this.#heard.push(told as Told));
    await settle();
    const [tx] = this.#stage.submitted;
    if (tx === undefined) return;
    this.#stage.answerSubmit({ kind: 'checked', hash: ctx.suite.sha256(tx), result: ACCEPTED });
    await settle();
  }
}
