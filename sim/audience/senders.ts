import type { EthTx } from '../../core/app/chain.ts';
import { decodeTx } from '../../core/app/tx/decodeTx.ts';
import { present } from '../../core/lib/assert.ts';
import { equalBytes, to0xHex } from '../../core/lib/bytes.ts';
import { eth } from '../checkers/questions.ts';
import { quantity } from '../clients/answers/answers.ts';
import { type Stage, settle } from './stage.ts';
import { ACCEPTED } from './waits.ts';

const TURNS = 10;
const SENDS_MAX = 6;
/** Nonces that clients name are above all that the node chooses. */
const NAMED_NONCE = 1_000n;
const FULL = { code: 'full', txs: 1, txsMax: 1, bytes: 1, bytesMax: 1 } as const;

interface Sent {
  /** Identifies the transaction: it is the value that it sends, in wei. */
  readonly id: bigint;
  readonly account: number;
  /** Undefined if the node chooses it. */
  readonly nonce: bigint | undefined;
  isAnswered: boolean;
  /** What the sender gets once the pool has answered: the hash, or undefined for a refusal. */
  due: string | undefined;
  heard: unknown;
}

/**
 * Clients of a node with keys send from several accounts at once (`eth_sendTransaction`). Each transaction of an
 * account waits until the pool has answered the one before, and gets the nonce after those that it took. A transaction
 * with a nonce of its own or from another account does not wait.
 */
export class Senders {
  readonly #stage: Stage;
  readonly #choose: (n: number) => number;
  readonly #nonces: bigint[];
  #sent: readonly Sent[] = [];

  constructor(stage: Stage, choose: (n: number) => number) {
    this.#stage = stage;
    this.#choose = choose;
    this.#nonces = stage.ctx.keys.addresses.map((address) => stage.ctx.pool.pendingNonce(address) ?? 0n);
  }

  /** The first problem in words. */
  async play(): Promise<string | undefined> {
    for (let turn = 0; turn < TURNS; turn++) {
      if (this.#choose(3) > 0) this.#begin();
      else this.#answer();
      const problem = await this.#problem();
      if (problem !== undefined) return problem;
    }
    while (this.#sent.some(({ isAnswered }) => !isAnswered)) {
      this.#answer();
      const problem = await this.#problem();
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #begin(): void {
    if (this.#sent.length >= SENDS_MAX) return;
    const { ctx } = this.#stage;
    const account = this.#choose(ctx.keys.addresses.length);
    const id = BigInt(this.#sent.length);
    const nonce = this.#choose(4) === 0 ? NAMED_NONCE + id : undefined;
    const from = to0xHex(present(ctx.keys.addresses[account], 'one of those'));
    const fees = { maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x1' };
    const named = nonce === undefined ? {} : { nonce: quantity(nonce) };
    const tx = { from, to: from, value: quantity(id), gas: quantity(21_000), ...fees, ...named };
    const one: Sent = { id, account, nonce, isAnswered: false, due: undefined, heard: undefined };
    this.#sent = [...this.#sent, one];
    const hear = (heard: unknown): void => {
      one.heard = heard;
    };
    eth(ctx, 'eth_sendTransaction', [tx]).then(hear, (crash: unknown) => hear(String(crash)));
  }

  /** Transactions that the pool must have been given and has not answered. */
  #asked(): readonly Sent[] {
    const open = this.#sent.filter(({ isAnswered }) => !isAnswered);
    return open.filter(
      (one) =>
        one.nonce !== undefined ||
        open.find(({ account, nonce }) => nonce === undefined && account === one.account) === one,
    );
  }

  /** Lets the pool answer one of the transactions that it was given. */
  #answer(): void {
    const asked = this.#asked();
    const one = asked[this.#choose(Math.max(1, asked.length))];
    const given = this.#stage.submitted.find((tx) => this.#read(tx)?.value === one?.id);
    if (one === undefined || given === undefined) return;
    one.isAnswered = true;
    const hash = this.#stage.ctx.suite.sha256(given);
    if (this.#choose(3) === 0) {
      this.#stage.answerSubmit({ kind: 'refused', hash, refusal: FULL }, given);
      return;
    }
    one.due = to0xHex(present(this.#read(given), 'was read').hash);
    if (one.nonce === undefined) {
      const next = (this.#nonces[one.account] ?? 0n) + 1n;
      this.#nonces[one.account] = next;
      this.#stage.setNext(one.account, next);
    }
    this.#stage.answerSubmit({ kind: 'checked', hash, result: ACCEPTED }, given);
  }

  #read(tx: Uint8Array): EthTx | undefined {
    const { suite, chain } = this.#stage.ctx;
    const decoded = decodeTx(tx, suite, chain.denom);
    return decoded.ok && decoded.value.kind === 'ethereum' ? decoded.value.tx : undefined;
  }

  async #problem(): Promise<string | undefined> {
    await settle();
    for (const { isAnswered, due, heard } of this.#sent) {
      const isRight = isAnswered && due === undefined ? typeof heard === 'object' : heard === due;
      if (!isRight)
        return `a sender hears ${JSON.stringify(heard) ?? 'nothing'}, it should be ${due ?? (isAnswered ? 'a refusal' : 'nothing yet')}`;
    }
    const asked = this.#asked();
    const given = this.#stage.submitted.map((tx) => this.#read(tx));
    if (given.length !== asked.length)
      return `${given.length} transactions of its accounts are with the pool, it should be ${asked.length}`;
    for (const one of asked) {
      const tx = given.find((other) => other?.value === one.id);
      const from = this.#stage.ctx.keys.addresses[one.account];
      const nonce = one.nonce ?? this.#nonces[one.account];
      if (tx === undefined || from === undefined || !equalBytes(tx.from, from) || tx.nonce !== nonce)
        return `the transaction that is to have nonce ${nonce} has ${tx?.nonce ?? 'not come to the pool'}`;
    }
    return undefined;
  }
}
