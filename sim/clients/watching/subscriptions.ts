import { present } from '../../../core/lib/assert.ts';
import { EthSession } from '../../../core/rpc/eth/session.ts';
import type { Process } from '../../machine/process.ts';
import { type Fields, quantity, textOf } from '../answers/answers.ts';
import { durableHead } from '../durableHead.ts';
import { BOUND, type Watch } from './watch.ts';
import { type Frame, WatchSocket } from './watchSocket.ts';

const SUBSCRIBED = [
  'newHeads',
  'logs',
  'transactionReceipts',
  'newPendingTransactions',
  'topical',
  'bounded',
] as const;
type Kind = (typeof SUBSCRIBED)[number];

/** Logs with at least one topic. */
export const TOPICAL = { topics: [null] };
/** Id of the request for a subscription that is ended again. */
const ENDING = 100;

export const boundedFrom = (start: number) => ({ fromBlock: '0x0', toBlock: quantity(start + BOUND) });

/** Is told of everything that the subscriptions tell. */
interface Listener {
  complain(text: string): void;
  arrived(kind: string): void;
}

/** All kinds of subscriptions at once, over one websocket. The watch records what they tell. */
export class Subscriptions {
  /** The node cannot read the past from its damaged disk, so it tells nothing more. */
  isCutOff = false;
  readonly #node: Process;
  readonly #watch: Watch;
  readonly #listener: Listener;
  readonly #session: EthSession;
  readonly #kinds = new Map<string, Kind>();
  /** Id of the subscription that is ended. */
  #ending: string | boolean | undefined;

  constructor(node: Process, watch: Watch, listener: Listener) {
    this.#node = node;
    this.#watch = watch;
    this.#listener = listener;
    const rpc = present(node.node?.rpc, 'a running node');
    // Nobody hears what a node still says when it stops.
    const read = (frame: Frame): void => {
      if (node.node?.rpc === rpc) this.#read(frame);
    };
    this.#session = new EthSession(rpc, new WatchSocket(read));
  }

  async begin(): Promise<void> {
    const session = this.#session;
    for (const [id, kind] of SUBSCRIBED.entries()) {
      const criteria = { logs: {}, topical: TOPICAL, bounded: boundedFrom(this.#watch.start) };
      const params = kind in criteria ? ['logs', criteria[kind as keyof typeof criteria]] : [kind];
      await session.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
    }
    // One subscription is ended at once: it may not tell anything.
    const ending = { jsonrpc: '2.0', id: ENDING, method: 'eth_subscribe', params: ['newHeads'] };
    await session.receive(JSON.stringify(ending));
    await session.settled();
    const params = [this.#ending];
    await session.receive(JSON.stringify({ ...ending, id: ENDING + 1, method: 'eth_unsubscribe', params }));
    await session.settled();
  }

  end(): void {
    this.#session.closed();
  }

  #read({ id, error, result, params }: Frame): void {
    const { complain } = this.#listener;
    if (error !== undefined && this.#node.disk.isDamaged) this.isCutOff = true;
    else if (error !== undefined) complain(`was told ${error.message}`);
    if (id !== undefined && id >= ENDING) {
      if (id === ENDING) this.#ending = result;
      else if (result !== true) complain('could not end its subscription');
    } else if (id !== undefined && typeof result === 'string')
      this.#kinds.set(result, present(SUBSCRIBED[id], 'a kind'));
    if (params === undefined) return;
    const kind = this.#kinds.get(params.subscription);
    if (kind === undefined) return complain('was notified of what it had not subscribed to, or not any more');
    this.#take(kind, params.result);
    this.#listener.arrived(kind);
  }

  #take(kind: Kind, told: unknown): void {
    const watch = this.#watch;
    if (kind === 'newHeads') this.#onHead(told as Fields);
    else if (kind === 'newPendingTransactions') watch.pending.push(told as string);
    else if (kind === 'transactionReceipts') watch.receipts.push(...(told as readonly Fields[]).map(textOf));
    else watch[kind].push(textOf(told as Fields));
  }

  #onHead(head: Fields): void {
    const durable = durableHead(this.#node);
    const number = Number(head['number']);
    if (durable !== undefined && number > durable)
      this.#listener.complain(`was told of block ${number}, durable is ${durable}`);
    this.#watch.heads.push(textOf(head));
  }
}
