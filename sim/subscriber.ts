import { committedPublications } from '../core/events/eventModel.ts';
import { compileQuery, type Query } from '../core/events/query/query.ts';
import { assert, present } from '../core/lib/assert.ts';
import { toBase64 } from '../core/lib/base64.ts';
import { type Bytes, toUpperHex } from '../core/lib/bytes.ts';
import { CometSession } from '../core/rpc/comet/session.ts';
import type { RpcContext } from '../core/rpc/context.ts';
import type { FinalizeReply } from '../core/types/app.ts';
import { Wire } from './clients/wire.ts';
import type { Process } from './process.ts';
import type { SubscriberSpec } from './scenario/clientSpecs.ts';
import type { World } from './world.ts';

/** Turns of microtasks that a replay of a simulated chain takes at most. */
const TURNS_MAX = 1_000_000;
const RESUME = /resume from height (\d+)/;

interface TxFrame {
  readonly height: string;
  readonly index?: number;
  readonly tx: string;
  readonly result: { readonly code?: number; readonly gas_used?: string };
}

interface EventFrame {
  readonly error?: { readonly data?: string };
  readonly result?: {
    readonly data?: { readonly type: string; readonly value?: { readonly TxResult?: TxFrame } };
    readonly events?: Readonly<Record<string, readonly string[]>>;
    readonly position?: { readonly height: string; readonly event_index: number };
  };
}

const placeText = (height: number, index: number): string => `${height}/${index}`;

const wordsOf = (tx: TxFrame, events: Readonly<Record<string, readonly string[]>> = {}): string =>
  [
    tx.height,
    tx.index ?? 0,
    tx.tx,
    tx.result.code ?? 0,
    tx.result.gas_used ?? '0',
    events['tx.hash']?.join(),
    events['tx.height']?.join(),
    events['ethereum_tx.ethereumTxHash']?.join(),
  ].join(' ');

/**
 * A client that follows one query on a node's websocket, slowly if told so, and resumes after every break: when the
 * node crashed (what was on the wire is lost) and when it was cut off for not reading (from the height it was told).
 */
export class Subscriber {
  readonly spec: SubscriberSpec;
  /** Places of the events it has, in order of arrival. */
  readonly places: string[] = [];
  readonly complaints: string[] = [];
  /** What it was told of transactions, by place. */
  readonly #told = new Map<string, string>();
  /** How often it was cut off as too slow. */
  cutOffs = 0;
  readonly #world: World;
  readonly #node: Process;
  readonly #query: Query;
  #wire: Wire | undefined;
  #session: CometSession | undefined;
  /** A client with the same query that comes and goes with every look: nobody else may notice. */
  #guest: CometSession | undefined;
  /** Where to resume: the first height that may hold something new. */
  #from = 1;
  #last: readonly [height: number, event: number] = [0, -1];

  constructor(world: World, spec: SubscriberSpec) {
    this.spec = spec;
    this.#world = world;
    this.#node = world.process(spec.at);
    const query = compileQuery(spec.query);
    assert(query.ok, 'the scenario was checked');
    this.#query = query.value;
  }

  start(): void {
    this.#world.every(this.spec.period, () => this.#turn());
  }

  /** What a client without any break would have heard of this chain, in order. */
  expected({ chain, suite }: RpcContext): readonly string[] {
    const places: string[] = [];
    for (let height = Math.max(1, chain.base()); height <= chain.head(); height++) {
      const block = present(chain.block(height), 'a kept block');
      const { blockId } = present(chain.blockMeta(height), 'the meta of a kept block');
      const results = present(chain.results(height), 'the results of a kept block');
      let index = 0;
      let tx = 0;
      for (const { keys, data } of committedPublications({ block, blockId, results }, suite.sha256)) {
        const place = placeText(height, index++);
        if (this.#query.matches(keys)) places.push(place);
        if (data.kind !== 'Tx') continue;
        this.#compare(place, height, tx, present(block.txs[tx], 'its bytes'), results, suite);
        tx++;
      }
    }
    return places;
  }

  /** Says so when it was told something else of a transaction than what the chain has. */
  #compare(
    place: string,
    height: number,
    index: number,
    bytes: Bytes,
    { txResults }: FinalizeReply,
    { sha256 }: RpcContext['suite'],
  ): void {
    const told = this.#told.get(place);
    if (told === undefined) return;
    const { code, gasUsed, events } = present(txResults[index], 'its result');
    const hashes = events.flatMap(({ type, attributes }) =>
      type === 'ethereum_tx' ? attributes.filter(({ key }) => key === 'ethereumTxHash') : [],
    );
    const frame = {
      height: String(height),
      index,
      tx: toBase64(bytes),
      result: { code, gas_used: String(gasUsed) },
    };
    const words = wordsOf(frame, {
      'tx.hash': [toUpperHex(sha256(bytes))],
      'tx.height': [String(height)],
      ...(hashes.length === 0 ? {} : { 'ethereum_tx.ethereumTxHash': hashes.map(({ value }) => value) }),
    });
    if (told !== words)
      this.complaints.push(`was told of another transaction at ${place} than the chain has`);
  }

  async #turn(): Promise<void> {
    const { state, lives } = this.#node;
    // A paused node answers nothing; what it wrote before can still be read.
    if (this.#wire !== undefined && (this.#wire.life !== lives || state === 'down' || state === 'halted'))
      this.#hangUp();
    if (this.#wire === undefined && state === 'up') await this.#connect();
    if (state === 'up') await this.#guestComesAndGoes();
    const [wire, session] = [this.#wire, this.#session];
    if (wire === undefined || session === undefined) return;
    for (let i = 0; i < this.spec.reads; i++) this.#read(wire.read());
    if (wire.isClosed && wire.unread.length === 0) this.#hangUp();
    else if (state === 'up') {
      session.drained();
      await this.#replayed(wire, session);
    }
  }

  async #connect(): Promise<void> {
    const rpc = this.#node.node?.rpc;
    if (rpc === undefined) return;
    const wire = new Wire(this.#node.lives, this.spec.roomBytes);
    const session = new CometSession(rpc, wire, this.spec.name);
    [this.#wire, this.#session] = [wire, session];
    this.#node.wires.add(wire);
    const from = Math.max(this.#from, rpc.genesis.initialHeight);
    const params = { query: this.spec.query, from_height: String(from) };
    await session.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }));
    await this.#replayed(wire, session);
  }

  async #guestComesAndGoes(): Promise<void> {
    const rpc = this.#node.node?.rpc;
    const isHere = this.#guest !== undefined;
    if (rpc === undefined) return;
    this.#guest ??= new CometSession(rpc, new Wire(this.#node.lives, this.spec.roomBytes), 'guest');
    const request = { jsonrpc: '2.0', id: 1, method: isHere ? 'unsubscribe' : 'subscribe' };
    await this.#guest.receive(JSON.stringify({ ...request, params: { query: this.spec.query } }));
    if (!isHere) return;
    this.#guest.closed();
    this.#guest = undefined;
  }

  /** Virtual time stands still until the past is told as far as there is room: real asynchrony decides nothing. */
  async #replayed(wire: Wire, session: CometSession): Promise<void> {
    for (let i = 0; session.isReplaying && !wire.isFull && !wire.isClosed; i++) {
      assert(i < TURNS_MAX, 'a replay ends');
      await undefined;
    }
  }

  #hangUp(): void {
    this.#session?.closed();
    if (this.#wire !== undefined) this.#node.wires.delete(this.#wire);
    this.#guest?.closed();
    [this.#wire, this.#session, this.#guest] = [undefined, undefined, undefined];
  }

  #read(text: string | undefined): void {
    if (text === undefined) return;
    const { error, result } = JSON.parse(text) as EventFrame;
    if (error !== undefined) {
      const resume = RESUME.exec(error.data ?? '')?.[1];
      if (resume === undefined) this.complaints.push(`was told ${error.data}`);
      else this.#from = Number(resume);
      this.cutOffs++;
    } else if (result?.position !== undefined) {
      const { height, event_index: index } = result.position;
      const tx = result.data?.value?.TxResult;
      if (tx !== undefined) this.#told.set(placeText(Number(height), index), wordsOf(tx, result.events));
      this.#onEvent(Number(height), index);
    } else if (result?.data !== undefined)
      this.complaints.push(`got a ${result.data.type} without a position`);
  }

  #onEvent(height: number, event: number): void {
    const [lastHeight, lastEvent] = this.#last;
    // From the height of the last event on: what it says we have is skipped, as docs/events.md tells clients.
    if (height < lastHeight || (height === lastHeight && event <= lastEvent)) return;
    this.#last = [height, event];
    this.#from = height;
    this.places.push(placeText(height, event));
  }
}
