import type { ChainReader } from '../../../core/app/chain.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { present } from '../../../core/lib/assert.ts';
import { hex, to0xHex } from '../../../core/lib/bytes.ts';
import { EthSession } from '../../../core/rpc/eth/session.ts';
import { ChainReads } from '../../../core/store/chainReads.ts';
import { wrongRound } from '../../checkers/served/round.ts';
import type { Cluster } from '../../cluster.ts';
import type { Process } from '../../machine/process.ts';
import type { WatcherSpec } from '../../scenario/clientSpecs.ts';
import type { World } from '../../world/world.ts';
import { type Ask, type Fields, quantity, textOf, wrongAnswer } from '../answers/answers.ts';
import { wrongBlockAnswer } from '../answers/blockAnswers.ts';
import { wrongEstimate, wrongHistory, wrongPrice } from '../answers/feeAnswers.ts';
import type { FeeMarket } from '../answers/feeMarket.ts';
import type { ClientCalls, EthAsk } from '../calls.ts';
import { PeerHeads } from './peerHeads.ts';
import { BOUND, type FilterKind, Watch } from './watch.ts';
import { type Frame, WatchSocket } from './watchSocket.ts';

const COMPLAINTS_MAX = 20;
/** Blocks asked about in one turn; of a node that was far behind only the newest. */
const ASKED_MAX = 4;
const SUBSCRIBED = [
  'newHeads',
  'logs',
  'transactionReceipts',
  'newPendingTransactions',
  'topical',
  'bounded',
] as const;
/** Logs that have a topic at all. */
const TOPICAL = { topics: [null] };
/** Of the request that ends a subscription again. */
const ENDING = 100;
/** So many filters it has at once. */
const FILTERS = 6;
type Kind = (typeof SUBSCRIBED)[number];

interface Tx {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
}
interface Block {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly Tx[];
}

/** Transactions by sender and nonce. */
type Lanes = Readonly<Record<string, Readonly<Record<string, Tx>>>>;
interface Pool {
  readonly pending: Lanes;
  readonly queued: Lanes;
}

const boundedFrom = (start: number) => ({ fromBlock: '0x0', toBlock: quantity(start + BOUND) });

/** As JSON-RPC numbers blocks: before the first one the newest is genesis. */
const headNumber = (chain: ChainReader): number =>
  present(chain.ethBlock(chain.head()), 'the head').header.number;

/**
 * A client that follows one node's chain in every way at once: filters for blocks, logs and pending transactions, the
 * same as subscriptions, and the pending block. It begins again after each restart of the node.
 */
export class Watcher {
  readonly spec: WatcherSpec;
  readonly complaints: string[] = [];
  readonly watches: Watch[] = [];
  /** Everything that subscriptions told, in order of arrival. */
  readonly places: string[] = [];
  readonly cutOffs = 0;
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  readonly #suite: CryptoSuite;
  /** Senders use some of their nonces for other transactions than Ethereum's. */
  readonly #isShared: boolean;
  readonly #feeMarket: FeeMarket;
  #watch: Watch | undefined;
  /** When it last asked, by the clock of the node. */
  #lookedAt = 0;
  readonly #peerHeads: PeerHeads;
  #session: EthSession | undefined;
  /** Id of the subscription that is ended. */
  #ending: string | boolean | undefined;

  constructor(
    world: World,
    calls: ClientCalls,
    { feeMarket }: Cluster,
    suite: CryptoSuite,
    spec: WatcherSpec,
    isShared: boolean,
  ) {
    this.spec = spec;
    this.#suite = suite;
    this.#isShared = isShared;
    this.#feeMarket = feeMarket;
    this.#world = world;
    this.#calls = calls;
    this.#node = world.process(spec.at);
    this.#peerHeads = new PeerHeads(world, this.#node);
  }

  start(): void {
    this.#world.observe((fact) => {
      if (fact.kind !== 'event' || fact.node !== this.#node || fact.event.kind !== 'pendingTx') return;
      const { ethHash } = fact.event;
      if (ethHash !== undefined) this.#watch?.published.push(to0xHex(ethHash));
    });
    this.#world.every(this.spec.period, () => this.#turn());
  }

  #complain(text: string): void {
    if (this.complaints.length < COMPLAINTS_MAX) this.complaints.push(text);
  }

  #turn(): Promise<void> {
    return this.#calls.read(this.#node, (ask) => this.#look(ask));
  }

  async #look(ask: EthAsk): Promise<void> {
    const rpc = present(this.#node.node?.rpc, 'a node that answers');
    const { chain, limits } = rpc;
    const before = this.#watch;
    const now = this.#node.clock.now(this.#world.now);
    // A clock that jumps ahead makes filters look forgotten.
    const isForgotten = now - this.#lookedAt > limits.filterTimeoutMs * 1_000;
    this.#lookedAt = now;
    if (before?.life !== this.#node.lives || isForgotten) await this.#begin(ask, chain, before);
    const watch = this.#watch;
    if (watch === undefined) return;
    await this.#poll(ask, watch, chain);
    await this.#lookAtPending(ask, watch, chain);
    await this.#lookAtSyncing(ask, chain);
    const problem = await wrongRound(rpc);
    if (problem !== undefined) this.#complain(problem);
  }

  async #begin(ask: EthAsk, chain: ChainReader, before: Watch | undefined): Promise<void> {
    this.#watch = undefined;
    for (const id of before?.filters.values() ?? []) {
      const reply = await ask('eth_getFilterChanges', [id]);
      if (!('error' in reply) || reply.error.message !== 'filter not found')
        this.#complain(`filter ${id} of an earlier life was answered`);
    }
    if (await this.#isFull(ask)) return;
    const watch = new Watch(this.#node.lives, headNumber(chain));
    for (const [kind, method, params] of [
      ['blocks', 'eth_newBlockFilter', []],
      ['logs', 'eth_newFilter', [{}]],
      ['pending', 'eth_newPendingTransactionFilter', []],
      ['topical', 'eth_newFilter', [TOPICAL]],
      ['bounded', 'eth_newFilter', [boundedFrom(watch.start)]],
    ] as const)
      watch.filters.set(kind, String(await this.#result(ask, method, params)));
    await this.#endFilter(ask);
    await this.#findGenesis(ask, chain);
    await this.#subscribe(watch);
    const pool = (await this.#result(ask, 'txpool_content', [])) as Pool | undefined;
    const lanes = [pool?.pending ?? {}, pool?.queued ?? {}].flatMap((kind) => Object.values(kind));
    for (const { hash } of lanes.flatMap((lane) => Object.values(lane))) watch.pooled.add(hash);
    // A drive that is damaged may have ended this before.
    this.#watch = watch;
    this.watches.push(watch);
  }

  /** Whether others hold all the filters that a node has room for: then it is looked at later. */
  async #isFull(ask: EthAsk): Promise<boolean> {
    const made: unknown[] = [];
    for (let i = 0; i < FILTERS; i++) {
      const reply = await ask('eth_newBlockFilter', []);
      if ('result' in reply) made.push(reply.result);
      else if (!reply.error.message.includes('max limit'))
        this.#complain(`no filter: ${reply.error.message}`);
    }
    for (const id of made) await this.#result(ask, 'eth_uninstallFilter', [id]);
    return made.length < FILTERS;
  }

  /** Genesis is where its own number says. */
  async #findGenesis(ask: EthAsk, chain: ChainReader): Promise<void> {
    const { header, hash } = present(chain.ethBlock(0), 'genesis is kept');
    const told = (await this.#result(ask, 'eth_getBlockByNumber', [
      quantity(header.number),
      false,
    ])) as Block | null;
    if (told?.hash !== to0xHex(hash)) this.#complain(`block ${header.number} is ${told?.hash}, not genesis`);
  }

  /** A filter that is taken away is gone. */
  async #endFilter(ask: EthAsk): Promise<void> {
    const id = await this.#result(ask, 'eth_newBlockFilter', []);
    const ended = [
      await this.#result(ask, 'eth_uninstallFilter', [id]),
      await this.#result(ask, 'eth_uninstallFilter', [id]),
    ];
    const reply = await ask('eth_getFilterChanges', [id]);
    if (ended.join() !== 'true,false' || 'result' in reply)
      this.#complain(`a filter was taken away with the answers ${ended.join()}, and lives on`);
  }

  async #subscribe(watch: Watch): Promise<void> {
    this.#session?.closed();
    const rpc = present(this.#node.node?.rpc, 'a running node');
    const kinds = new Map<string, Kind>();
    const session = new EthSession(rpc, new WatchSocket((frame) => this.#read(watch, kinds, frame)));
    this.#session = session;
    for (const [id, kind] of SUBSCRIBED.entries()) {
      const criteria = { logs: {}, topical: TOPICAL, bounded: boundedFrom(watch.start) };
      const params = kind in criteria ? ['logs', criteria[kind as keyof typeof criteria]] : [kind];
      await session.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
    }
    // One is ended at once: nothing may come of it.
    const ending = { jsonrpc: '2.0', id: ENDING, method: 'eth_subscribe', params: ['newHeads'] };
    await session.receive(JSON.stringify(ending));
    await session.settled();
    const params = [this.#ending];
    await session.receive(JSON.stringify({ ...ending, id: ENDING + 1, method: 'eth_unsubscribe', params }));
    await session.settled();
  }

  #read(watch: Watch, kinds: Map<string, Kind>, { id, error, result, params }: Frame): void {
    if (error !== undefined) this.#complain(`was told ${error.message}`);
    if (id !== undefined && id >= ENDING) {
      if (id === ENDING) this.#ending = result;
      else if (result !== true) this.#complain('could not end its subscription');
    } else if (id !== undefined && typeof result === 'string')
      kinds.set(result, present(SUBSCRIBED[id], 'a kind'));
    if (params === undefined) return;
    const kind = kinds.get(params.subscription);
    if (kind === undefined)
      return this.#complain('was notified of what it had not subscribed to, or not any more');
    if (kind === 'newHeads') this.#onHead(watch, params.result as Fields);
    else if (kind === 'logs') watch.logs.push(textOf(params.result as Fields));
    else if (kind === 'transactionReceipts')
      watch.receipts.push(...(params.result as readonly Fields[]).map(textOf));
    else if (kind === 'topical') watch.topical.push(textOf(params.result as Fields));
    else if (kind === 'bounded') watch.bounded.push(textOf(params.result as Fields));
    else this.#onPending(watch, params.result as string);
    this.places.push(`${kind} ${this.places.length}`);
  }

  #onHead(watch: Watch, head: Fields): void {
    const durable = new ChainReads(this.#node.disk.kv).head();
    const number = Number(head['number']);
    if (number > durable) this.#complain(`was told of block ${number}, durable is ${durable}`);
    watch.heads.push(textOf(head));
  }

  #onPending(watch: Watch, hash: string): void {
    if (this.#isCommitted(hash)) this.#complain(`${hash} was called pending after its block`);
    watch.pending.push(hash);
  }

  #isCommitted(hash: string): boolean {
    return this.#node.node?.rpc?.chain.ethTxLocation(hex(hash.slice(2))) !== undefined;
  }

  async #result(ask: EthAsk, method: string, params: readonly unknown[]): Promise<unknown> {
    const reply = await ask(method, params);
    if ('result' in reply) return reply.result;
    this.#complain(`${method} was answered by ${reply.error.message}`);
    return undefined;
  }

  async #poll(ask: EthAsk, watch: Watch, chain: ChainReader): Promise<void> {
    const head = headNumber(chain);
    const changes = async <T>(kind: FilterKind): Promise<readonly T[]> =>
      ((await this.#result(ask, 'eth_getFilterChanges', [watch.filters.get(kind)])) ?? []) as readonly T[];
    watch.polledBlocks.push(...(await changes<string>('blocks')));
    watch.polledLogs.push(...(await changes<Fields>('logs')).map(textOf));
    watch.polledTopical.push(...(await changes<Fields>('topical')).map(textOf));
    watch.polledBounded.push(...(await changes<Fields>('bounded')).map(textOf));
    watch.polledPending.push(...(await changes<string>('pending')));
    const before = watch.polled;
    watch.polled = head;
    const put: Ask = (...question) => this.#result(ask, ...question);
    for (let height = Math.max(before + 1, head - ASKED_MAX + 1, chain.base()); height <= head; height++) {
      const block = present(chain.ethBlock(height), 'a kept block');
      const problem =
        (await wrongAnswer(put, chain, block)) ??
        (await wrongHistory(put, chain, block, this.#feeMarket)) ??
        (await wrongBlockAnswer(put, chain, block, this.#suite.keccak256)) ??
        (await wrongEstimate(ask, block)) ??
        (height === head ? await wrongPrice(put, chain, head, this.#feeMarket) : undefined);
      if (problem !== undefined) this.#complain(problem);
    }
    // What is past stays as it was, whatever came later.
    const past = head > before ? chain.ethBlock((chain.base() + head) >>> 1) : undefined;
    const lasting =
      past &&
      ((await wrongAnswer(put, chain, past)) ??
        (await wrongBlockAnswer(put, chain, past, this.#suite.keccak256)));
    if (lasting !== undefined) this.#complain(lasting);
    if (watch.polledPending.join() !== watch.pending.join())
      this.#complain('the filter and the subscription for pending transactions differ');
    if (watch.pending.join() !== watch.published.join())
      this.#complain('was told of other pending transactions than those the node spoke of');
    const latest = Number(await this.#result(ask, 'eth_blockNumber', []));
    const block = (await this.#result(ask, 'eth_getBlockByNumber', ['latest', false])) as Block | null;
    if (latest !== head || Number(block?.number) !== head)
      this.#complain(`eth_blockNumber is ${latest}, latest ${Number(block?.number)}, the head ${head}`);
  }

  #pendingBlock(ask: EthAsk): Promise<Block> {
    return this.#result(ask, 'eth_getBlockByNumber', ['pending', true]) as Promise<Block>;
  }

  /** What would be next stands on the head and is no older, holds nothing that is committed and nothing untold, and follows each sender's nonce. */
  async #lookAtPending(ask: EthAsk, watch: Watch, chain: ChainReader): Promise<void> {
    const pending = await this.#pendingBlock(ask);
    const head = present(chain.ethBlock(chain.head()), 'the head');
    if (Number(pending.number) !== head.header.number + 1 || pending.parentHash !== to0xHex(head.hash))
      this.#complain(`the pending block is ${Number(pending.number)} on ${pending.parentHash}`);
    if (Number(pending.timestamp) < head.header.timestamp)
      this.#complain(
        `the pending block is of ${Number(pending.timestamp)}, its parent of ${head.header.timestamp}`,
      );
    const told = new Set([...watch.pooled, ...watch.pending]);
    const untold = pending.transactions.map(({ hash }) => hash).filter((hash) => !told.has(hash));
    const late = untold.find((hash) => watch.untold.has(hash));
    if (late !== undefined) this.#complain(`${late} is pending, and nobody who listens was told`);
    const { isFull, isSlow } = this.#node.disk;
    watch.untold = new Set(isFull || isSlow ? [] : untold);
    const next = new Map<string, number>();
    for (const { hash, from, nonce } of pending.transactions) {
      if (this.#isCommitted(hash)) this.#complain(`${hash} is pending and in a block`);
      const wanted = next.get(from) ?? Number(chain.latest().account(hex(from.slice(2)))?.nonce ?? 0n);
      if (this.#isShared ? Number(nonce) < wanted : Number(nonce) !== wanted)
        this.#complain(`pending nonce of ${from} is ${nonce}, next is ${wanted}`);
      next.set(from, wanted + 1);
    }
    for (const [from, nonce] of next) {
      const count = Number(await this.#result(ask, 'eth_getTransactionCount', [from, 'pending']));
      if (count < nonce) this.#complain(`pending count of ${from} is ${count}, below ${nonce}`);
    }
  }

  async #lookAtSyncing(ask: EthAsk, chain: ChainReader): Promise<void> {
    const behind = this.#peerHeads.look(chain.head());
    if (behind !== undefined && (await this.#result(ask, 'eth_syncing', [])) === false)
      this.#complain(`the node says at ${chain.head()} that it has all, of ${behind} blocks and more`);
  }
}
