import type { ChainReader } from '../../core/app/chain.ts';
import { present } from '../../core/lib/assert.ts';
import { EthSession } from '../../core/rpc/eth/session.ts';
import type { Process } from '../machine/process.ts';
import type { ListenerSpec, SubscriptionKind } from '../scenario/clientSpecs.ts';
import type { World } from '../world/world.ts';
import { type Fields, textOf } from './answers/answers.ts';
import type { ClientCalls } from './calls.ts';
import { durableHead } from './durableHead.ts';
import { Wire } from './wire.ts';

const COMPLAINTS_MAX = 20;
/** Interval between two looks of a client that reads everything there is. */
const LOOK_MICROS = 100_000;
const RESUME = /resume from block (\d+)/;

interface Frame {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: string;
  readonly params?: { readonly subscription: string; readonly result: unknown };
}
/** What one connection told, word for word, and the head at its beginning. */
export interface Hearing {
  readonly start: number;
  readonly heads: string[];
  readonly logs: string[];
  readonly receipts: string[];
  /** Logs of the blocks between the last connection and this one, asked for by eth_getLogs. */
  missed: { readonly from: number; readonly to: number; readonly logs: readonly string[] } | undefined;
}

/**
 * A client with subscriptions on the EVM websocket, which reads at its own speed. When it is too slow, the node cuts it
 * off: it connects again and asks eth_getLogs for what it missed. What it had not read when the node crashed is lost.
 */
export class Listener {
  readonly spec: ListenerSpec;
  readonly complaints: string[] = [];
  readonly hearings: Hearing[] = [];
  /** Everything told, in order. */
  readonly places: string[] = [];
  cutOffs = 0;
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  #wire: Wire | undefined;
  #session: EthSession | undefined;
  #kinds = new Map<string, SubscriptionKind>();
  /** The newest block of which it heard, or for which it asked. */
  #known = 0;

  constructor(world: World, calls: ClientCalls, spec: ListenerSpec) {
    this.spec = spec;
    this.#world = world;
    this.#calls = calls;
    this.#node = world.process(spec.at);
  }

  get hasActed(): boolean {
    return this.hearings.length > 0;
  }

  start(): void {
    const { readPeriod = LOOK_MICROS } = this.spec;
    // One that reads rarely connects early all the same.
    if (readPeriod > LOOK_MICROS)
      this.#world.schedule(LOOK_MICROS, async () => {
        if (this.#node.state === 'up') await this.#connect();
      });
    this.#world.every(readPeriod, () => this.#turn());
  }

  #complain(text: string): void {
    if (this.complaints.length < COMPLAINTS_MAX) this.complaints.push(text);
  }

  async #turn(): Promise<void> {
    const { state, lives } = this.#node;
    if (this.#wire !== undefined && (this.#wire.life !== lives || state === 'down' || state === 'halted'))
      this.#hangUp();
    if (this.#wire === undefined && state === 'up') await this.#connect();
    const [wire, session] = [this.#wire, this.#session];
    if (wire === undefined || session === undefined) return;
    const reads = this.spec.readPeriod === undefined ? wire.unread.length : 1;
    for (let i = 0; i < reads; i++) this.#read(wire.read());
    if (wire.isClosed && wire.unread.length === 0) {
      if (RESUME.test(wire.reason)) this.cutOffs++;
      else this.#complain(`was closed: ${wire.reason}`);
      this.#hangUp();
    } else if (state === 'up') wire.wake(session);
  }

  async #connect(): Promise<void> {
    const rpc = present(this.#node.node?.rpc, 'a running node');
    const wire = new Wire(this.#node.lives, this.spec.roomBytes, (text) => this.#onSend(text));
    const session = new EthSession(rpc, wire);
    [this.#wire, this.#session] = [wire, session];
    this.#node.wires.add(wire);
    this.#kinds = new Map();
    const start = rpc.chain.head();
    const hearing: Hearing = { start, heads: [], logs: [], receipts: [], missed: undefined };
    for (const [id, kind] of this.spec.subscribe.entries()) {
      const params = kind === 'logs' ? [kind, {}] : [kind];
      await session.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
    }
    await session.settled();
    if (this.hearings.length > 0) hearing.missed = await this.#missed(start);
    this.hearings.push(hearing);
    this.#known = Math.max(this.#known, start);
  }

  async #missed(to: number): Promise<Hearing['missed']> {
    const from = this.#known + 1;
    if (from > to) return undefined;
    const range = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` };
    let missed: Hearing['missed'];
    await this.#calls.read(this.#node, async (ask) => {
      const reply = await ask('eth_getLogs', [range]);
      if ('result' in reply) missed = { from, to, logs: (reply.result as readonly Fields[]).map(textOf) };
      else this.#complain(`eth_getLogs was answered by ${reply.error.message}`);
    });
    return missed;
  }

  #hangUp(): void {
    this.#session?.closed();
    if (this.#wire !== undefined) this.#node.wires.delete(this.#wire);
    [this.#wire, this.#session] = [undefined, undefined];
  }

  /** A block that the node tells of has to be durable on its disk. */
  #onSend(text: string): void {
    const { params } = JSON.parse(text) as Frame;
    if (params === undefined || this.#kinds.get(params.subscription) !== 'newHeads') return;
    const number = Number((params.result as { readonly number: string }).number);
    const durable = durableHead(this.#node);
    if (durable !== undefined && number > durable)
      this.#complain(`was told of block ${number}, durable is ${durable}`);
  }

  #read(text: string | undefined): void {
    if (text === undefined) return;
    const { id, error, result, params } = JSON.parse(text) as Frame;
    if (error !== undefined) this.#complain(`was told ${error.message}`);
    const kind = id === undefined ? undefined : this.spec.subscribe[id];
    if (kind !== undefined && result !== undefined) this.#kinds.set(result, kind);
    if (params === undefined) return;
    this.#onNews(this.#kinds.get(params.subscription), params.result);
  }

  #onNews(kind: SubscriptionKind | undefined, news: unknown): void {
    const hearing = this.hearings.at(-1);
    if (kind === undefined || hearing === undefined)
      return this.#complain('was notified before the subscription was answered');
    if (kind === 'newHeads') {
      const head = news as Fields;
      hearing.heads.push(textOf(head));
      this.#known = Math.max(this.#known, Number(head['number']));
    } else if (kind === 'logs') hearing.logs.push(textOf(news as Fields));
    else if (kind === 'transactionReceipts')
      hearing.receipts.push(...(news as readonly Fields[]).map(textOf));
    this.places.push(`${kind} ${this.places.length}`);
  }

  get chain(): ChainReader | undefined {
    return this.#node.node?.rpc?.chain;
  }
}
