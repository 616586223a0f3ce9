import type { ChainReader, EthTx } from '../../../core/app/chain.ts';
import { TX_BODY, TX_RAW } from '../../../core/app/tx/tables.ts';
import { decode, decodeWordy } from '../../../core/codec/proto.ts';
import { present } from '../../../core/lib/assert.ts';
import { type Bytes, equalBytes, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import type { PooledSender, RpcContext } from '../../../core/rpc/context.ts';
import { baseFeeAfter, type FeeMarket } from '../../clients/answers/feeMarket.ts';
import { blockRoom } from '../../clients/blockRoom.ts';
import { settledPool } from '../../clients/settledPool.ts';
import { poolOf } from '../../machine/coreNode.ts';
import type { Process } from '../../machine/process.ts';
import { remembered } from '../../remembered.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { QueueLimits } from './queueLimits.ts';
import { txHashOf } from './txHashes.ts';
import { sizeInBlock, txSelectionProblem } from './txSelection.ts';

/** Objects found right at a height, which stay right until the next: a pool is examined several times a block. */
class FoundRight {
  #chain: ChainReader | undefined;
  #head = 0;
  #right = new Set<object>();

  at(chain: ChainReader): Set<object> {
    const head = chain.head();
    if (chain !== this.#chain || head !== this.#head) this.#right = new Set();
    this.#chain = chain;
    this.#head = head;
    return this.#right;
  }
}

/**
 * POOL: what a correct node's pool says of itself. Each sender's transactions are in the order of their nonces, each
 * nonce once and none of them used; those that may run next have no gap. Each can be paid for. Counts of transactions
 * and bytes are right and within the limits, also those for queued transactions. All that can pay for the next block
 * are offered for it, the best price first. A transaction that may run next is announced once.
 */
export function poolContents(context: CheckerContext): Checker {
  const name = 'records';
  const { world, scenario } = context;
  const { feeMarket } = context.cluster;
  const { txsMax, bytesMax } = poolOf(scenario.engine);
  // Cosmos transactions are in the pool, too, and use nonces of their senders.
  const isMixed = (scenario.bankers ?? []).length > 0;
  const looked = new Map<Process, number>();
  /** Transactions that were announced. One that comes back later is another object. */
  const told = new WeakSet<Bytes>();
  const found = new Map<Process, FoundRight>();
  const queues = new Map<Process, QueueLimits>();
  const problemOf = (rpc: RpcContext, right: Set<object>): string | undefined => {
    const { pending, queued, bytes } = rpc.pool.stats();
    const list = rpc.pool.list?.(Number.MAX_SAFE_INTEGER) ?? [];
    const held = list.length;
    if (pending + queued !== held)
      return `says that it holds ${pending} pending and ${queued} queued transactions, holds ${held}`;
    const size = sum(list, ({ length }) => length);
    if (size !== bytes) return `says that it holds ${bytes} bytes, holds ${size}`;
    if (held > txsMax) return `holds ${held} transactions, expected at most ${txsMax}`;
    if (bytes > bytesMax) return `holds ${bytes} bytes, expected at most ${bytesMax}`;
    if (held === 0) return undefined;
    const fresh = isMixed ? list.filter((tx) => !right.has(tx)) : [];
    if (fresh.some((tx) => rpc.chain.txLocation(txHashOf(tx, context.suite)) !== undefined))
      return 'holds a transaction that is in a block';
    if (fresh.some((tx) => lastHeightOf(tx) <= rpc.chain.head()))
      return 'holds a transaction that is too late for any block, by its timeout_height';
    const room = blockRoom(rpc.chain);
    if (list.some((tx) => sizeInBlock(tx) > room))
      return `holds a transaction that is larger than the room in a block, ${room} bytes`;
    for (const tx of fresh) right.add(tx);
    const content = rpc.pool.content();
    const shown = [sum(content, (one) => one.pending.length), sum(content, (one) => one.queued.length)];
    if (!isMixed && (shown[0] !== pending || shown[1] !== queued))
      return `says that it holds ${pending} pending and ${queued} queued transactions, shows ${shown.join(' and ')}`;
    const head = present(rpc.chain.ethBlock(rpc.chain.head()), 'the head').header;
    const next = { price: baseFeeAfter(head, feeMarket), gas: head.gasLimit };
    const disorder = isMixed ? undefined : txSelectionProblem(rpc, content, list, next);
    if (disorder !== undefined) return disorder;
    for (const one of content) {
      const problem =
        (right.has(one) ? undefined : senderProblem(rpc, one, isMixed, feeMarket)) ??
        (isMixed ? undefined : nextProblem(rpc, one));
      if (problem !== undefined) return `holds of sender ${to0xHex(one.sender)} ${problem}`;
      right.add(one);
    }
    return undefined;
  };
  const queuesOf = (node: Process): QueueLimits => {
    const own = queues.get(node) ?? new QueueLimits(poolOf(scenario.engine));
    queues.set(node, own);
    return own;
  };
  return {
    name,
    ...hearing(['pendingTx'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { tx, ethHash } = fact.event;
      const own = ethHash === undefined ? undefined : fact.node.node?.rpc?.pool.byEthHash(ethHash);
      if (own !== undefined) queuesOf(fact.node).onPending(own);
      if (told.has(tx))
        context.fail(
          name,
          `${fact.node.name} says twice that transaction ${ethHash === undefined ? toHex(txHashOf(tx, context.suite)) : to0xHex(ethHash)} is pending`,
        );
      told.add(tx);
    }),
    look(node) {
      const rpc = node.isCorrect ? settledPool(node, world.now - (looked.get(node) ?? 0)) : undefined;
      if (rpc === undefined) return;
      looked.set(node, world.now);
      const known = found.get(node) ?? new FoundRight();
      found.set(node, known);
      const problem = problemOf(rpc, known.at(rpc.chain)) ?? queuesOf(node).problemOf(rpc.pool.content());
      if (problem !== undefined) context.fail(name, `the pool of ${node.name} ${problem}`);
    },
  };
}

const sum = <T>(list: readonly T[], countOf: (one: T) => number): number =>
  list.reduce((total, one) => total + countOf(one), 0);

/** The last height whose block may hold the transaction. Undecodable bytes have no such limit. */
export const lastHeightOf = remembered((tx: Bytes): number => {
  const raw = decode(TX_RAW, tx);
  const body = raw.ok ? decodeWordy(TX_BODY, raw.value.bodyBytes) : undefined;
  const { timeoutHeight } = body?.ok === true ? body.value : { timeoutHeight: 0n };
  return timeoutHeight === 0n ? Number.POSITIVE_INFINITY : Number(timeoutHeight);
});

function senderProblem(
  { chain }: RpcContext,
  { sender, pending, queued }: PooledSender,
  isMixed: boolean,
  { minGasPrice }: FeeMarket,
): string | undefined {
  const view = chain.latest();
  const { nonce = 0n, balance = 0n } = view.account(sender) ?? {};
  const all: readonly EthTx[] = [...pending, ...queued];
  let least = nonce;
  for (const [i, tx] of all.entries()) {
    if (tx.nonce < least) return `nonce ${tx.nonce}, should be at least ${least}`;
    if (!isMixed && i < pending.length && tx.nonce !== nonce + BigInt(i))
      return `pending nonce ${tx.nonce}, should be ${nonce + BigInt(i)}: the account has nonce ${nonce}`;
    least = tx.nonce + 1n;
    if (!equalBytes(tx.from, sender)) return `a transaction of ${to0xHex(tx.from)}`;
    const cost = tx.value + tx.gasLimit * tx.maxFeePerGas;
    if (tx.maxFeePerGas < minGasPrice)
      return `nonce ${tx.nonce}, which offers ${tx.maxFeePerGas} for a unit of gas, less than the least price ${minGasPrice}`;
    if (cost > balance) return `nonce ${tx.nonce}, which may cost ${cost}, of a balance of ${balance}`;
    if (chain.ethTxLocation(tx.hash) !== undefined) return `nonce ${tx.nonce}, which is in a block`;
  }
  return undefined;
}

function nextProblem({ chain, pool }: RpcContext, { sender, pending }: PooledSender): string | undefined {
  const next = (chain.latest().account(sender)?.nonce ?? 0n) + BigInt(pending.length);
  if (pool.pendingNonce(sender) === next) return undefined;
  return `nonces below ${next}, says that ${pool.pendingNonce(sender)} is the next`;
}
