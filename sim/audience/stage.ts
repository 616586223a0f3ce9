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

/** Blocks that are there at first, and so many more at most that come. */
const PAST = 3;
const FUTURE = 6;
/** Transactions of these blocks: with more of them fewer blocks are told again. */
const TXS_MAX = 300;
/** Turns of microtasks after which nobody has more to say. */
const IDLE_TURNS = 60;
/** Reads in vain after which nothing comes: who is told the past waits for the reader at each of its blocks, empty ones too. */
export const IDLE_READS = PAST + FUTURE + 3;
/** Of accounts that the node signs for. */
const SECRETS: readonly Bytes[] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)];
/** Nobody who listens to news reads it. */
const NO_STATE = {} as ChainState;

export const LIMITS = { clients: 3, perClient: 2, filters: 3, filterMs: 1_000, logs: 4 } as const;

/** Waits until whoever is at work has done it: nothing here needs more than a few turns. */
export async function settle(): Promise<void> {
  for (let i = 0; i < IDLE_TURNS; i++) await undefined;
}

interface Submit {
  readonly tx: Bytes;
  readonly resolve: (result: SubmitResult) => void;
}

/** The end of a node's chain, told again block by block to an audience of its own: the node and its clients hear nothing of it. */
export class Stage {
  readonly ctx: RpcContext;
  /** Microseconds. */
  now = 1_000_000_000;
  head: number;
  /** Called whenever the event index has looked for a height, before it answers what it found: what happens then happens meanwhile. */
  onSearched: ((found: number | undefined) => void) | undefined;
  /** The newest block that was told. */
  #told: number;
  readonly #last: number;
  readonly #chain: ChainReader;
  #submits: readonly Submit[] = [];
  /** The nonce that the node's pool has next, by account. */
  readonly #next = new Map<string, bigint>();
  readonly #alarms = new Set<() => void>();
  #ids = 0;

  /** @param suite That of the simulator. */
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

  /** The height of the newest block, whether it is there yet or not. */
  get last(): number {
    return this.#last;
  }

  /** Of the chain, whether told or not yet. */
  ethBlock(height: number): EthBlock {
    return present(this.#chain.ethBlock(height), 'a kept block');
  }

  txsOf(height: number): readonly Uint8Array[] {
    return this.#chain.block(height)?.txs ?? [];
  }

  /** A block is stored and can be read, and nobody was told yet. */
  get isUntold(): boolean {
    return this.#told < this.head;
  }

  /** The next block is stored, and then told: of two only one at once, for somebody may come in between. */
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

  /** What was submitted and waits for the pool, in that order. */
  get submitted(): readonly Bytes[] {
    return this.#submits.map(({ tx }) => tx);
  }

  /** The pool has looked at this one, or at what was submitted first of all that waits. */
  answerSubmit(result: SubmitResult, tx?: Bytes): void {
    const one = this.#submits.find((submit) => tx === undefined || submit.tx === tx);
    this.#submits = this.#submits.filter((submit) => submit !== one);
    one?.resolve(result);
  }

  /** From now on the pool has all of an account of the node up to this nonce. */
  setNext(account: number, nonce: bigint): void {
    this.#next.set(toHex(present(this.ctx.keys.addresses[account], 'an account of the node')), nonce);
  }

  /** The time of all who wait is up. */
  ring(): void {
    for (const call of [...this.#alarms]) call();
  }
}

/** The chain as long as its newest blocks were not there. */
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

/** A search for the heights of the past during which other things happen. */
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
