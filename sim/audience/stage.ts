import type { ChainReader, EthBlock } from '../../core/app/chain.ts';
import { addressOfKey } from '../../core/app/evm/ethTx.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { EventHub } from '../../core/events/hub.ts';
import type { EventSearch } from '../../core/events/index/search.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, equalBytes, toHex } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import type { Hash } from '../../core/types/ids.ts';
import type { ChainState } from '../../core/types/state.ts';
import type { SubmitResult } from '../../core/types/submit.ts';

/** Blocks that are there at first, and the most that come after. */
const PAST = 3;
const FUTURE = 6;
/** The most transactions in these blocks. With more of them, fewer blocks are used. */
const TXS_MAX = 300;
/** Microtask turns after which all work is done. */
const IDLE_TURNS = 60;
/**
 * Empty reads after which nothing more comes. The node waits for a reader of past events at each block, even at an
 * empty one.
 */
export const IDLE_READS = PAST + FUTURE + 3;
/** Keys of accounts that the node signs for. */
const SECRETS: readonly Bytes[] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)];
/** No listener of events reads the state. */
const NO_STATE = {} as ChainState;

export const LIMITS = { clients: 3, perClient: 2, filters: 3, filterMs: 1_000, logs: 4 } as const;

/** Waits until all work is done, which takes only a few turns here. */
export async function settle(): Promise<void> {
  for (let i = 0; i < IDLE_TURNS; i++) await undefined;
}

interface Submit {
  readonly tx: Bytes;
  readonly resolve: (result: SubmitResult) => void;
}

/**
 * The end of a node's chain, replayed block by block to an audience of its own. The node and its clients notice
 * nothing.
 */
export class Stage {
  readonly ctx: RpcContext;
  /** Microseconds. */
  now = 1_000_000_000;
  head: number;
  /**
   * Called after each search of the event index for a height, before the result is returned, so that things happen
   * meanwhile.
   */
  onSearched: ((found: number | undefined) => void) | undefined;
  /** The newest announced block. */
  #told: number;
  readonly #last: number;
  readonly #chain: ChainReader;
  #submits: readonly Submit[] = [];
  /** The pool's next nonce for each account. */
  readonly #next = new Map<string, bigint>();
  readonly #alarms = new Set<() => void>();
  #ids = 0;

  /** @param suite The simulator's. */
  constructor(rpc: RpcContext, suite: CryptoSuite) {
    const { chain, limits, indexing } = rpc;
    this.#chain = chain;
    this.#last = chain.head();
    let [first, txs] = [this.#last, 0];
    while (first > Math.max(chain.base(), this.#last - PAST - FUTURE)) {
      txs += chain.block(first)?.txs.length ?? 0;
      if (txs > TXS_MAX) break;
      first--;
    }
    this.head = Math.min(this.#last, first + PAST);
    this.#told = this.head;
    this.ctx = {
      ...rpc,
      hub: new EventHub(),
      chain: grown(chain, () => this.head),
      ...(indexing?.kind === 'kv'
        ? { indexing: { ...indexing, search: slow(indexing.search, (found) => this.onSearched?.(found)) } }
        : {}),
      now: () => this.now,
      limits: {
        ...limits,
        filtersMax: LIMITS.filters,
        filterTimeoutMs: LIMITS.filterMs,
        logsMax: LIMITS.logs,
        comet: { subscriptionClientsMax: LIMITS.clients, subscriptionsPerClientMax: LIMITS.perClient },
      },
      randomId: () => Uint8Array.of(1, this.#ids >> 8, this.#ids++ & 255),
      submit: (tx) =>
        new Promise((resolve) => {
          this.#submits = [...this.#submits, { tx, resolve }];
        }),
      suite,
      keys: keysOf(suite),
      pool: { ...rpc.pool, pendingNonce: (sender) => this.#next.get(toHex(sender)) },
      after: (_ms, call) => {
        this.#alarms.add(call);
        return () => this.#alarms.delete(call);
      },
    };
  }

  get isOver(): boolean {
    return this.head >= this.#last;
  }

  /** The last height of the whole chain, whether it is reached yet or not. */
  get last(): number {
    return this.#last;
  }

  /** A block of the whole chain, whether reached or not. */
  ethBlock(height: number): EthBlock {
    return present(this.#chain.ethBlock(height), 'a kept block');
  }

  txsOf(height: number): readonly Uint8Array[] {
    return this.#chain.block(height)?.txs ?? [];
  }

  /** The newest block is stored and readable, but not announced. */
  get isUntold(): boolean {
    return this.#told < this.head;
  }

  /** Stores the next block. Announces it at once only at odd heights, so that clients may act in between. */
  grow(): void {
    this.tell();
    this.head++;
    if (this.head % 2 === 1) this.tell();
  }

  tell(): void {
    if (!this.isUntold) return;
    this.#told = this.head;
    const block = present(this.#chain.block(this.head), 'a kept block');
    const { blockId } = present(this.#chain.blockMeta(this.head), 'its meta');
    const results = present(this.#chain.results(this.head), 'its results');
    this.ctx.hub.publish({ kind: 'committed', block, blockId, results, state: NO_STATE });
  }

  /** Transactions that were submitted and wait for the pool's answer, in order. */
  get submitted(): readonly Bytes[] {
    return this.#submits.map(({ tx }) => tx);
  }

  /** The pool answers this transaction, or the first one that waits. */
  answerSubmit(result: SubmitResult, tx?: Bytes): void {
    const one = this.#submits.find((submit) => tx === undefined || submit.tx === tx);
    this.#submits = this.#submits.filter((submit) => submit !== one);
    one?.resolve(result);
  }

  /** From now on the pool has all nonces of the account below this one. */
  setNext(account: number, nonce: bigint): void {
    this.#next.set(toHex(present(this.ctx.keys.addresses[account], 'an account of the node')), nonce);
  }

  /** All pending timers fire. */
  ring(): void {
    for (const call of [...this.#alarms]) call();
  }
}

/** The chain as it was when `head` was its head. */
export const grown = (chain: ChainReader, head: () => number): ChainReader =>
  new Proxy(chain, {
    get(target, name) {
      if (name === 'head') return head;
      if (name === 'latest') return () => present(target.view(head()), 'the view of a kept block');
      if (name === 'ethTxLocation')
        return (hash: Hash) => {
          const location = target.ethTxLocation(hash);
          return location !== undefined && location.height <= head() ? location : undefined;
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** An index search during which other things happen. */
const slow = (search: EventSearch, onSearched: (found: number | undefined) => void): EventSearch =>
  new Proxy(search, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'nextHeightWith') return value.bind(target);
      return async (...asked: Parameters<EventSearch['nextHeightWith']>) => {
        const height = await target.nextHeightWith(...asked);
        onSearched(height);
        return height;
      };
    },
  });

function keysOf(suite: CryptoSuite): RpcContext['keys'] {
  const addresses = SECRETS.map((secret) => addressOfKey(suite.secp256k1PublicKey(secret, false), suite));
  return {
    addresses,
    secret: (address) => SECRETS[addresses.findIndex((own) => equalBytes(own, address))],
  };
}
