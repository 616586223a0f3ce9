import { unreachable } from '../lib/assert.ts';
import type { AppAsk, Application, AppReply } from '../types/app.ts';

/**
 * Passes the machine's questions to the application. propose, validate, finalize and commit run strictly one after
 * another, in the order asked. checkTx reads a frozen View and does not wait for them.
 */
export class AppService {
  readonly #app: Application;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(app: Application) {
    this.#app = app;
  }

  /** Rejects only on a fault of our own storage or code: the host then stops the node. */
  handle(ask: AppAsk): Promise<AppReply> {
    if (ask.kind === 'checkTx') return this.#answer(ask);
    const answer = this.#tail.then(() => this.#answer(ask));
    this.#tail = answer;
    return answer;
  }

  async #answer(ask: AppAsk): Promise<AppReply> {
    switch (ask.kind) {
      case 'checkTx':
        return { kind: 'checked', result: await this.#app.checkTx(ask.tx, ask.recheck) };
      case 'propose':
        return { kind: 'proposed', txs: await this.#app.propose(ask) };
      case 'validate': {
        const { accept, reason } = await this.#app.validate(ask);
        return { kind: 'validated', accept, reason };
      }
      case 'finalize':
        return { kind: 'finalized', result: await this.#app.finalize(ask) };
      case 'commit':
        return { kind: 'committed', result: await this.#app.commit(ask) };
      default:
        return unreachable(ask);
    }
  }
}
