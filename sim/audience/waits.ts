import { equalBytes } from '../../core/lib/bytes.ts';
import { broadcastCommit } from '../../core/rpc/comet/broadcastCommit.ts';
import type { CheckReply } from '../../core/types/app.ts';
import { LIMITS, type Stage, settle } from './stage.ts';

/** A pool's answer to an accepted transaction. No code here reads more of it. */
export const ACCEPTED: CheckReply = {
  kind: 'accepted',
  lane: {
    sender: '',
    nonce: 0n,
    stateNonce: 0n,
    balance: 0n,
    cost: 0n,
    gas: 0n,
    feeCap: 0n,
    tipCap: 0n,
    ethHash: undefined,
  },
  gasWanted: 0n,
  events: [],
};
/** In no block. */
const STRANGER = Uint8Array.of(1, 2, 3);
const LATE = 'timed out waiting for tx to be included in a block';

interface Wait {
  readonly tx: Uint8Array;
  isAnswered: boolean;
  /** What the client gets once the pool has answered: where its transaction is, or a timeout. */
  due: string | undefined;
  heard: string | undefined;
}

/**
 * Clients that wait until their transaction is in a block (`broadcast_tx_commit`). Each counts as a subscription
 * client.
 */
export class Waits {
  readonly #stage: Stage;
  #waits: readonly Wait[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Number of waiting clients. */
  get count(): number {
    return this.#waits.length;
  }

  begin(listening: number): void {
    const { ctx, head, isOver } = this.#stage;
    const tx = (isOver ? undefined : this.#stage.txsOf(head + 1).at(-1)) ?? STRANGER;
    const isFull = listening >= LIMITS.clients;
    const due = isFull ? `max_subscription_clients ${LIMITS.clients} reached` : undefined;
    const wait: Wait = { tx, isAnswered: isFull, due, heard: undefined };
    this.#waits = [...this.#waits, wait];
    broadcastCommit(ctx, tx).then(
      ({ height, tx_result }) => {
        wait.heard = `${height} ${tx_result.gas_used} ${tx_result.log}`;
      },
      (error: Error & { readonly data?: unknown }) => {
        wait.heard = String(error.data ?? error.message);
      },
    );
  }

  /** The pool answers the transaction that has waited longest for that. */
  answer(): void {
    const wait = this.#waits.find(({ isAnswered }) => !isAnswered);
    if (wait === undefined) return;
    wait.isAnswered = true;
    this.#stage.answerSubmit({
      kind: 'checked',
      hash: this.#stage.ctx.suite.sha256(wait.tx),
      result: ACCEPTED,
    });
  }

  onTold(height: number): void {
    const { chain } = this.#stage.ctx;
    const [txs, results] = [this.#stage.txsOf(height), chain.results(height)?.txResults];
    for (const wait of this.#waits) {
      const at = txs.findIndex((tx) => equalBytes(tx, wait.tx));
      const result = results?.[at];
      if (result !== undefined) wait.due ??= `${height} ${result.gasUsed} ${result.log}`;
    }
  }

  ring(): void {
    this.#stage.ring();
    for (const wait of this.#waits) wait.due ??= LATE;
  }

  /** A wrong answer to some client. A client with an answer no longer waits. */
  problem(): string | undefined {
    for (const wait of this.#waits) {
      const due = wait.isAnswered ? wait.due : undefined;
      if (wait.heard !== due)
        return `who waits for a transaction hears ${wait.heard ?? 'nothing'}, it should be ${due ?? 'nothing yet'}`;
    }
    this.#waits = this.#waits.filter(({ heard }) => heard === undefined);
    return undefined;
  }

  /** Everybody's time is up. */
  async end(): Promise<string | undefined> {
    this.ring();
    while (this.#waits.some(({ isAnswered }) => !isAnswered)) this.answer();
    await settle();
    return this.problem();
  }
}
