import type { ChainReader } from '../../../core/app/chain.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import { wrongLines } from '../../checkers/served/pool.ts';
import { wrongRound } from '../../checkers/served/round.ts';
import type { Cluster } from '../../cluster.ts';
import { Aftermath } from '../../machine/aftermath.ts';
import type { Process } from '../../machine/process.ts';
import type { WatcherSpec } from '../../scenario/clientSpecs.ts';
import type { World } from '../../world/world.ts';
import { type Ask, type Fields, quantity, textOf, wrongAnswer } from '../answers/answers.ts';
import { wrongBlockAnswer } from '../answers/blockAnswers.ts';
import { wrongEstimate, wrongHistory, wrongPrice } from '../answers/feeAnswers.ts';
import type { FeeMarket } from '../answers/feeMarket.ts';
import type { ClientCalls, EthAsk } from '../calls.ts';
import { PeerHeads } from './peerHeads.ts';
import { type BlockShown, isCommitted, type PoolTx, pendingProblems } from './pendingBlock.ts';
import { boundedFrom, Subscriptions, TOPICAL } from './subscriptions.ts';
import { type FilterKind, Watch } from './watch.ts';

const COMPLAINTS_MAX = 20;
/** Blocks asked about in one turn. Of a node that was far behind only the newest are. */
const ASKED_MAX = 4;
/** Filters that it has at once. */
const FILTERS = 6;
/** Transactions by sender and nonce. */
type Lanes = Readonly<Record<string, Readonly<Record<string, PoolTx>>>>;
interface Pool {
  readonly pending: Lanes;
  readonly queued: Lanes;
}

/** The head as JSON-RPC numbers it: before the first block it is genesis. */
const headNumber = (chain: ChainReader): number =>
  present(chain.ethBlock(chain.head()), 'the head').header.number;

/**
 * A client that follows one node's chain in every way at once: by filters for blocks, logs and pending transactions, by
 * subscriptions for the same, and by the pending block. It begins again after each restart of the node.
 */
export class Watcher {
  readonly spec: WatcherSpec;
  hasActed = false;
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
  /** The same, as if that clock had never been set back. */
  #lookedOnwardAt = 0;
  readonly #aftermath: Aftermath;
  readonly #peerHeads: PeerHeads;
  #subscriptions: Subscriptions | undefined;

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
    this.#aftermath = new Aftermath(world);
    this.#peerHeads = new PeerHeads(world, this.#node);
  }

  start(): void {
    this.#world.observe(['pendingTx'], (fact) => {
      if (fact.node !== this.#node) return;
      const { ethHash } = fact.event;
      if (ethHash === undefined || this.#watch === undefined) return;
      const hash = to0xHex(ethHash);
      // Judged when it is said: a client may read it after the block, because the node writes in turns.
      if (isCommitted(this.#node, hash)) this.#complain(`${hash} was called pending after its block`);
      this.#watch.published.push(hash);
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
    this.hasActed = true;
    const rpc = present(this.#node.node?.rpc, 'a node that answers');
    const { chain, limits } = rpc;
    const before = this.#watch;
    const { clock, lives } = this.#node;
    const [now, onward] = [clock.now(this.#world.now), clock.onward(this.#world.now)];
    const patience = limits.filterTimeoutMs * 1_000;
    // A clock that jumps ahead makes filters look expired.
    const isForgotten = before?.life !== lives || now - this.#lookedAt > patience;
    // So does one that is set back and then ahead, if the node has looked at it in between, for whichever client.
    const mayBeForgotten = onward - this.#lookedOnwardAt > patience;
    [this.#lookedAt, this.#lookedOnwardAt] = [now, onward];
    if (isForgotten || mayBeForgotten) await this.#begin(ask, chain, before, isForgotten);
    const watch = this.#watch;
    if (watch === undefined || this.#subscriptions?.isCutOff === true) return;
    await this.#poll(ask, watch, chain);
    await this.#lookAtPending(ask, watch);
    await this.#lookAtSyncing(ask, chain);
    const problem = (await wrongRound(rpc)) ?? (await wrongLines(rpc));
    if (problem !== undefined) this.#complain(problem);
  }

  async #begin(
    ask: EthAsk,
    chain: ChainReader,
    before: Watch | undefined,
    isForgotten: boolean,
  ): Promise<void> {
    this.#watch = undefined;
    for (const id of before?.filters.values() ?? []) {
      const reply = await ask('eth_getFilterChanges', [id]);
      if (isForgotten && (!('error' in reply) || reply.error.message !== 'filter not found'))
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
    this.#subscriptions?.end();
    this.#subscriptions = new Subscriptions(this.#node, watch, {
      complain: (text) => this.#complain(text),
      arrived: (kind) => this.places.push(`${kind} ${this.places.length}`),
    });
    await this.#subscriptions.begin();
    const pool = (await this.#result(ask, 'txpool_content', [])) as Pool | undefined;
    const lanes = [pool?.pending ?? {}, pool?.queued ?? {}].flatMap((kind) => Object.values(kind));
    for (const { hash } of lanes.flatMap((lane) => Object.values(lane))) watch.pooled.add(hash);
    // Only now: a damaged disk may have ended this work at an earlier question.
    this.#watch = watch;
    this.watches.push(watch);
  }

  /** Whether other clients hold all the filters that a node has room for. The watcher then begins later. */
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

  /** Genesis is found under its own number. */
  async #findGenesis(ask: EthAsk, chain: ChainReader): Promise<void> {
    const { header, hash } = present(chain.ethBlock(0), 'genesis is kept');
    const told = (await this.#result(ask, 'eth_getBlockByNumber', [
      quantity(header.number),
      false,
    ])) as BlockShown | null;
    if (told?.hash !== to0xHex(hash)) this.#complain(`block ${header.number} is ${told?.hash}, not genesis`);
  }

  /** A filter that was uninstalled no longer exists. */
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
    // An old block is answered as before, whatever came later.
    const past = head > before ? chain.ethBlock(Math.floor((chain.base() + head) / 2)) : undefined;
    const lasting =
      past &&
      ((await wrongAnswer(put, chain, past)) ??
        (await wrongBlockAnswer(put, chain, past, this.#suite.keccak256)));
    if (lasting !== undefined) this.#complain(lasting);
    if (watch.polledPending.join() !== watch.published.join())
      this.#complain('the filter has other pending transactions than those the node spoke of');
    if (!isToldInTime(watch))
      this.#complain('was told of other pending transactions than those the node spoke of');
    watch.due = watch.published.length;
    const latest = Number(await this.#result(ask, 'eth_blockNumber', []));
    const block = (await this.#result(ask, 'eth_getBlockByNumber', ['latest', false])) as BlockShown | null;
    if (latest !== head || Number(block?.number) !== head)
      this.#complain(`eth_blockNumber is ${latest}, latest ${Number(block?.number)}, the head ${head}`);
  }

  async #lookAtPending(ask: EthAsk, watch: Watch): Promise<void> {
    const put: Ask = (...question) => this.#result(ask, ...question);
    const isHeldUp = this.#aftermath.lasts(this.#node);
    const { now } = this.#world;
    for (const problem of await pendingProblems(put, this.#node, watch, this.#isShared, isHeldUp, now))
      this.#complain(problem);
  }

  async #lookAtSyncing(ask: EthAsk, chain: ChainReader): Promise<void> {
    const behind = this.#peerHeads.look(chain.head());
    if (behind !== undefined && (await this.#result(ask, 'eth_syncing', [])) === false)
      this.#complain(`the node says at ${chain.head()} that it has all, of ${behind} blocks and more`);
  }
}

/** It was told what the node announced, in that order. The last of it may still be on its way. */
const isToldInTime = ({ pending, published, due }: Watch): boolean =>
  pending.length >= due && pending.every((hash, i) => hash === published[i]);
