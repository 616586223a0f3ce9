/** The RPC over real parts: application, store, mempool and hub; only consensus is replaced by `commit()`. */

import type { ChainReader } from '../../../../core/app/chain.ts';
import type { GuardFactory } from '../../../../core/app/guard.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { EventHub } from '../../../../core/events/hub.ts';
import { EventSearch, searchReads } from '../../../../core/events/index/search.ts';
import { present } from '../../../../core/lib/assert.ts';
import { type Bytes, equalBytes, hex } from '../../../../core/lib/bytes.ts';
import { DEFAULT_MEMPOOL } from '../../../../core/mempool/config.ts';
import { Mempool } from '../../../../core/mempool/mempool.ts';
import type { MempoolOut } from '../../../../core/mempool/mempoolOut.ts';
import { DEFAULT_RPC_LIMITS } from '../../../../core/node/nodeConfig.ts';
import { poolReader } from '../../../../core/node/poolReader.ts';
import type { RpcContext, RpcLimits } from '../../../../core/rpc/context.ts';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import type { SharedTexts } from '../../../../core/rpc/httpAnswer.ts';
import type { Genesis } from '../../../../core/types/genesis.ts';
import type { NodeEvent } from '../../../../core/types/nodeEvent.ts';
import type { SubmitResult } from '../../../../core/types/submit.ts';
import { COIN, type Committed, TestChain, testGenesis, VALIDATOR } from '../../app/support/chain.ts';
import { type Wallet, wallet } from '../../app/support/wallet.ts';

/** Secret of the first well-known dev account. */
const DEV_SECRET = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const START_MICROS = 1_700_000_000_000_000;

// biome-ignore lint/suspicious/noExplicitAny: replies are read by tests that state their shape.
export type Loose = any;

export interface JsonReply {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: Loose;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class RpcWorld {
  readonly chain: TestChain;
  readonly hub = new EventHub();
  readonly ctx: RpcContext;
  readonly notes: string[] = [];
  readonly dev: Wallet = wallet(0);
  readonly other: Wallet = wallet(1);
  nowMicros = START_MICROS;
  #ids = 0;
  #calls = 0;
  readonly #mempool: Mempool;
  readonly #waiting = new Map<number, (result: SubmitResult) => void>();
  readonly #out: MempoolOut;

  private constructor(chain: TestChain, limits: Partial<RpcLimits>) {
    this.chain = chain;
    const mempool = new Mempool(DEFAULT_MEMPOOL, nobleSuite.sha256, () => ++this.#calls);
    mempool.setPrices(chain.reader.nextBaseFee(), chain.reader.gasLimit());
    this.#mempool = mempool;
    this.#out = {
      check: (call, ask) => {
        chain.app.checkTx(ask.tx, ask.recheck).then((result) => mempool.onChecked(call, result, this.#out));
      },
      reply: (call, result) => this.#waiting.get(call)?.(result),
      pending: (tx) => this.hub.publish({ kind: 'pendingTx', tx: tx.bytes, ethHash: tx.lane.ethHash }),
      gossip: () => {},
      heard: () => {},
      tickAfter: () => {},
    };
    this.hub.listen((event) => {
      if (event.kind === 'note') this.notes.push(event.text);
    });
    this.ctx = {
      chain: chain.reader,
      evm: chain.evm,
      pool: poolReader(mempool, chain.created.decoder),
      hub: this.hub,
      keys: {
        addresses: [this.dev.address],
        secret: (address) => (equalBytes(address, this.dev.address) ? DEV_SECRET : undefined),
      },
      identity: {
        nodeId: 'cf4a66aa29e5123abfdfbdf485da6788bb8e46d1',
        moniker: 'tester',
        version: '0.1.0',
        listenAddress: 'tcp://0.0.0.0:26656',
        rpcAddress: 'tcp://127.0.0.1:26657',
        validator: {
          address: VALIDATOR,
          pubKey: present(chain.genesis.validators[0], 'one validator').pubKey,
        },
      },
      genesis: chain.genesis,
      limits: { ...DEFAULT_RPC_LIMITS, ...limits },
      suite: nobleSuite,
      now: () => this.nowMicros,
      submit: (tx) =>
        new Promise((resolve) => {
          const call = ++this.#calls;
          this.#waiting.set(call, resolve);
          mempool.submit(tx, call, this.#out);
        }),
      randomId: () => {
        const id = new Uint8Array(16).fill(0x5a);
        new DataView(id.buffer).setUint32(12, ++this.#ids);
        return id;
      },
      indexing: {
        kind: 'kv',
        search: new EventSearch(chain.kv, searchReads(chain.reader)),
      },
      checkTx: (tx) => chain.app.checkTx(tx, false),
      simulate: (tx) => chain.app.simulate(tx),
      pause: () => new Promise((resolve) => setImmediate(resolve)),
      catchingUp: () => false,
    };
  }

  static async open(limits: Partial<RpcLimits> = {}): Promise<RpcWorld> {
    const accounts = [wallet(0), wallet(1)].map(({ address }) => ({ address, balance: 10_000n * COIN }));
    return RpcWorld.openOn(testGenesis({ accounts }), limits);
  }

  static async openOn(
    genesis: Genesis,
    limits: Partial<RpcLimits> = {},
    guard?: GuardFactory,
  ): Promise<RpcWorld> {
    return new RpcWorld(await TestChain.open(genesis, undefined, guard), limits);
  }

  /** Commits what the pool holds, then tells subscribers, as a node does. */
  async commit(): Promise<Committed> {
    const txs = this.#mempool.reap(4_000_000).map((tx) => tx.bytes);
    const committed = await this.chain.commit(txs);
    this.#mempool.onCommitted(this.nowMicros, txs, committed.commit, this.#out);
    const { block, blockId, reply } = committed;
    const event: NodeEvent = { kind: 'committed', block, blockId, results: reply, state: this.chain.state };
    this.hub.publish(event);
    return committed;
  }

  /** One JSON-RPC call over HTTP. */
  async rpc(method: string, ...params: readonly unknown[]): Promise<JsonReply> {
    const text = await this.text(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return JSON.parse(text ?? 'null') as JsonReply;
  }

  /** The result of a call that must succeed. */
  async get(method: string, ...params: readonly unknown[]): Promise<Loose> {
    const reply = await this.rpc(method, ...params);
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result;
  }

  text(body: string): Promise<string | undefined> {
    return handleEthRequest(this.ctx, body, 'http');
  }
}

/** A websocket's far end: what was sent, how much is unread, why it was closed. */
export class FakeSocket {
  readonly sent: string[] = [];
  unread = 0;
  closedWith: { readonly code: number; readonly reason: string } | undefined;

  send(text: string): void {
    this.sent.push(text);
  }

  sendShared(opening: string, { texts }: SharedTexts): void {
    for (const text of texts) this.send(opening + text);
  }

  buffered(): number {
    return this.unread;
  }

  close(code: number, reason: string): void {
    this.closedWith = { code, reason };
  }

  /** Everything received so far, parsed; the list starts anew. */
  take(): Loose[] {
    return this.sent.splice(0).map((text) => JSON.parse(text));
  }
}

/** A reader some of whose questions are answered otherwise. */
export const readerWith = (reader: ChainReader, answers: Partial<ChainReader>): ChainReader =>
  new Proxy(reader, {
    get(target, key) {
      const answer = Reflect.get(answers, key) ?? Reflect.get(target, key, target);
      return typeof answer === 'function' ? answer.bind(target) : answer;
    },
  });

export const bytesHex = (bytes: Bytes): string => `0x${Buffer.from(bytes).toString('hex')}`;
