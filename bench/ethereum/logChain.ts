import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceleratedSuite } from '../../adapters/crypto/accelerated.ts';
import { LevelStore } from '../../adapters/disk/level.ts';
import { startJsonRpcServer } from '../../adapters/http/jsonRpcServer.ts';
import { slicedPause } from '../../adapters/system.ts';
import { AddressTexts } from '../../core/app/addressTexts.ts';
import { AppView } from '../../core/app/appView.ts';
import type { ChainReader, EthBlock, EthLog, EthTx } from '../../core/app/chain.ts';
import { ChainHead } from '../../core/app/chainHead.ts';
import { ethTxEvents } from '../../core/app/events.ts';
import { encodeEthBlock } from '../../core/app/evm/blockCodec.ts';
import { logsBloom } from '../../core/app/evm/bloom.ts';
import { decodeEthTx } from '../../core/app/evm/ethTx.ts';
import { headerHash, wholeHeader, ZERO_HASH } from '../../core/app/evm/header.ts';
import { encodeRecord } from '../../core/codec/record.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { fillIndex } from '../../core/events/index/indexer.ts';
import { EventSearch } from '../../core/events/index/search.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, hex } from '../../core/lib/bytes.ts';
import { DEFAULT_RPC_LIMITS } from '../../core/node/nodeConfig.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { handleEthRequest } from '../../core/rpc/eth/jsonrpc.ts';
import { StateDb } from '../../core/state/stateDb.ts';
import { WorldState } from '../../core/state/worldState.ts';
import { ChainReads } from '../../core/store/chainReads.ts';
import * as keys from '../../core/store/keys.ts';
import type { KvOp } from '../../core/store/kv.ts';
import * as layouts from '../../core/store/layouts.ts';
import { EMPTY_ROOTS } from '../../core/store/roots.ts';
import type { FinalizeReply } from '../../core/types/app.ts';
import { RpcClient } from './client.ts';
import { accountsOf } from './nodes.ts';

/** Every so many blocks there is a log that everybody writes, and one that hardly anybody writes. */
export const COMMON_EVERY = 10;
export const RARE_EVERY = 2_500;
export const EMITTER = 'c0'.repeat(20);
export const COMMON_TOPIC = 'ab'.repeat(32);
export const RARE_TOPIC = 'cd'.repeat(32);

const BLOCKS_PER_BATCH = 2_000;
/** Of longer chains only blocks with logs are written. */
const WHOLE_MAX = 100_000;

const put = (key: Bytes, payload: Bytes): KvOp => ({ type: 'put', key, value: encodeRecord(key, payload) });

const isCommonAt = (height: number): boolean => height % COMMON_EVERY === 0;
export const isRareAt = (height: number): boolean => height % RARE_EVERY === RARE_EVERY - 1;

/** A chain of blocks that were never agreed on, as the store and the index of a node keep them. */
class LogChain {
  readonly #suite: CryptoSuite;
  readonly #tx: EthTx;
  readonly #names = { denom: 'achain', texts: new AddressTexts('orr') };

  constructor(suite: CryptoSuite, tx: EthTx) {
    this.#suite = suite;
    this.#tx = tx;
  }

  static async make(suite: CryptoSuite): Promise<LogChain> {
    const [account] = accountsOf(1);
    const raw = await present(account, 'a dev account').signTransaction({
      type: 'eip1559',
      chainId: 9000,
      to: `0x${EMITTER}`,
      gas: 100_000n,
      maxFeePerGas: 1n,
    });
    const decoded = decodeEthTx(hex(raw), suite);
    return new LogChain(suite, present(decoded.ok ? decoded.value.tx : undefined, 'what viem signs decodes'));
  }

  logsAt(height: number): readonly EthLog[] {
    const topic = isCommonAt(height) ? COMMON_TOPIC : isRareAt(height) ? RARE_TOPIC : undefined;
    if (topic === undefined) return [];
    return [{ address: hex(EMITTER), topics: [hex(topic)], data: new Uint8Array(32), logIndex: 0 }];
  }

  blockAt(height: number): EthBlock {
    const logs = this.logsAt(height);
    const keccak256 = (message: Bytes): Bytes => this.#suite.keccak256(message);
    const bloom = logs.length === 0 ? new Uint8Array(256) : logsBloom(logs, keccak256);
    const header = wholeHeader({
      parentHash: ZERO_HASH,
      coinbase: new Uint8Array(20),
      stateRoot: ZERO_HASH,
      transactionsRoot: ZERO_HASH,
      receiptsRoot: ZERO_HASH,
      logsBloom: bloom,
      number: height,
      gasLimit: 40_000_000n,
      gasUsed: 0n,
      timestamp: height,
      extraData: ZERO_HASH,
      mixHash: ZERO_HASH,
      baseFeePerGas: 7n,
    });
    const receipt = {
      type: this.#tx.type,
      status: 1,
      cumulativeGasUsed: 30_000n,
      gasUsed: 30_000n,
      effectiveGasPrice: 7n,
      logsBloom: bloom,
      logs,
      contractAddress: undefined,
    } as const;
    const [transactions, receipts] = logs.length === 0 ? [[], []] : [[this.#tx], [receipt]];
    return { hash: headerHash(header, keccak256), header, transactions, receipts, size: 600 };
  }

  resultsAt(height: number): FinalizeReply {
    const logs = this.logsAt(height);
    const facts = {
      tx: this.#tx,
      hash: ZERO_HASH,
      height,
      ethIndex: 0,
      gasUsed: 30_000n,
      effectiveGasPrice: 7n,
      logs,
      vmError: undefined,
      contractAddress: undefined,
    };
    const txResults = logs.length === 0 ? [] : [{ events: ethTxEvents(facts, this.#names) }];
    return { events: [], txResults } as unknown as FinalizeReply;
  }

  async write(kv: LevelStore, count: number): Promise<void> {
    let ops: KvOp[] = [put(keys.BASE_KEY, layouts.encodeHeight(1))];
    for (let height = 1; height <= count; height++) {
      // A long chain would take hours to write; a search by the index never reads what has no logs.
      const isLeftOut = count > WHOLE_MAX && height < count && this.logsAt(height).length === 0;
      if (isLeftOut) continue;
      ops.push(put(keys.ethRecordKey(height), encodeEthBlock(this.blockAt(height))));
      if (ops.length < BLOCKS_PER_BATCH && height < count) continue;
      await kv.batch(ops);
      ops = [];
    }
    await kv.batch([put(keys.HEAD_KEY, layouts.encodeHead({ height: count, blockHash: ZERO_HASH }))]);
    const reads = { head: () => count, base: () => 1, results: (height: number) => this.resultsAt(height) };
    await fillIndex(kv, reads, async () => {});
  }
}

/** What a search asks of a node, over the production store and index. */
function contextOf(kv: LevelStore, suite: CryptoSuite, tip: EthBlock): RpcContext {
  const reads = new ChainReads(kv);
  const db = new StateDb(kv, (message) => suite.keccak256(message));
  const view = new AppView(tip.header.number, WorldState.open(db, EMPTY_ROOTS));
  const head = new ChainHead({ reads, db, initialHeight: 1, view, ethBlock: tip });
  const chain: Partial<ChainReader> = {
    head: () => tip.header.number,
    base: () => 1,
    latest: () => view,
    ethBlock: (height) => head.ethBlock(height),
  };
  const searchReads = { head: () => tip.header.number, base: () => 1, results: () => undefined };
  const nothing = { txCount: () => 0, txLocation: () => undefined };
  const context: Partial<RpcContext> = {
    chain: chain as ChainReader,
    suite,
    limits: DEFAULT_RPC_LIMITS,
    indexing: { kind: 'kv', search: new EventSearch(kv, { ...searchReads, ...nothing }) },
    pause: slicedPause(),
  };
  return context as RpcContext;
}

/** Writes `count` blocks and serves them at a free port. */
export async function withLogChain<T>(
  count: number,
  work: (client: RpcClient, builtMs: number) => Promise<T>,
): Promise<T> {
  const suite = await acceleratedSuite();
  const home = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const kv = await LevelStore.open(join(home, 'node.db'), home);
  try {
    const began = performance.now();
    const chain = await LogChain.make(suite);
    await chain.write(kv, count);
    const builtMs = performance.now() - began;
    const ctx = contextOf(kv, suite, chain.blockAt(count));
    const server = await startJsonRpcServer({
      listen: { host: '127.0.0.1', port: 0 },
      bodyBytesMax: 1_000_000,
      connectionsMax: 256,
      onError: (error) => process.stderr.write(`${String(error)}\n`),
      handle: async (body) => (await handleEthRequest(ctx, body, 'http')) ?? '',
    });
    const client = new RpcClient(server.address.port);
    try {
      return await work(client, builtMs);
    } finally {
      client.close();
      await server.close();
    }
  } finally {
    await kv.close();
    rmSync(home, { recursive: true, force: true });
  }
}
