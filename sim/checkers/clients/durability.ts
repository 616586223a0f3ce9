import type { ChainReader } from '../../../core/app/chain.ts';
import { type Bytes, parseHex, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import { baseFeeAfter, type FeeMarket, firstBaseFee } from '../../clients/answers/feeMarket.ts';
import type { Banker } from '../../clients/banker.ts';
import { durableHead } from '../../clients/durableHead.ts';
import type { SentTx, Submitted } from '../../clients/sentTx.ts';
import type { EvmClient } from '../../clients/workload.ts';
import { burnedAt, moneyOf } from '../../expr/money.ts';
import type { Process } from '../../machine/process.ts';
import type { Expectation } from '../../scenario/scenario.ts';
import { soundly } from '../../soundly.ts';
import { hearing } from '../../world/facts.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';
import { onlyAtTheEnd } from '../notJudged.ts';

/**
 * DUR: what a client was told stays true on every correct node. The block of each receipt stays, each transaction is in
 * the chain once, nonces have no gaps, and no coin is made or lost.
 */
export function durability(
  context: CheckerContext,
  clients: readonly EvmClient[],
  bankers: readonly Banker[] = [],
): Checker {
  const name = 'durability';
  return {
    name,
    ...hearing(['committed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { height } = fact.event.block.header;
      const head = durableHead(fact.node);
      if (head !== undefined && head < height)
        context.fail(name, `${fact.node.name} told of block ${height}, but its store ends at ${head}`);
    }),
    finish() {
      for (const client of [...clients, ...bankers]) {
        // If the only disks are lost, or the chain forks, a client may go on with another chain.
        for (const complaint of [...client.complaints, ...(isTolerable(context) ? client.surprises : [])])
          context.fail(name, `${client.spec.name} at ${client.spec.at}: ${complaint}`);
      }
      for (const node of context.correct) {
        const chain = node.node?.rpc?.chain;
        if (chain !== undefined && node.state !== 'halted')
          soundly(node, () => checkNode(context, name, node, context.past.of(node, chain), clients, bankers));
      }
    },
  };
}

function checkNode(
  context: CheckerContext,
  name: string,
  node: Process,
  chain: ChainReader,
  clients: readonly EvmClient[],
  bankers: readonly Banker[],
): void {
  // The node that told a client may be on the other side of a fork.
  const [toldBankers, toldClients] = isTolerable(context) ? [bankers, clients] : [[], []];
  for (const banker of toldBankers)
    for (const problem of bankProblems(chain, banker))
      context.fail(name, `${banker.spec.name}: on ${node.name} ${problem}`);
  for (const client of toldClients) {
    for (const tx of client.sent) {
      const problem = receiptProblem(chain, tx);
      if (problem !== undefined)
        context.fail(name, `${client.spec.name} was told of ${tx.hash}, but on ${node.name} ${problem}`);
    }
  }
  const authorities = clients.filter(({ spec }) => spec.script === 'authorities');
  // Byzantine nodes send all their transactions from the last account.
  const lying = context.scenario.byzantine.length > 0 ? context.cluster.accounts.slice(-1) : [];
  const shared = [...[...bankers, ...authorities].flatMap(({ accounts }) => accounts), ...lying].map(
    ({ address }) => toHex(address),
  );
  // A contract that sends its balance to itself and self-destructs in the transaction that created it burns that
  // balance. sim/reference accounts for this.
  const mayDestroy = clients.some(({ spec }) => spec.script === 'wild');
  const problem = chainProblem(chain, context.cluster.feeMarket, new Set(shared), mayDestroy);
  if (problem !== undefined) context.fail(name, `${node.name}: ${problem}`);
}

/** Each bank message is in the block that its wallet was told, and each account's sequence counts its transactions. */
function bankProblems(chain: ChainReader, { sent, accounts }: Banker): readonly string[] {
  const problems: string[] = [];
  const counts = new Map(accounts.map((account) => [account, 0]));
  for (const { hash, kind, height, from } of sent) {
    const bytes = parseHex(hash);
    const find = (name: Bytes) => (kind === 'bank' ? chain.txLocation(name) : chain.ethTxLocation(name));
    const at = bytes.ok ? find(bytes.value)?.height : undefined;
    if (at !== undefined) counts.set(from, (counts.get(from) ?? 0) + 1);
    const isDue = height !== undefined && chain.head() >= height;
    if (isDue && at !== height)
      problems.push(
        `${hash} is ${at === undefined ? 'missing' : `in block ${at}`}, should be in block ${height}`,
      );
  }
  for (const [{ address }, count] of counts) {
    const nonce = Number(chain.latest().account(address)?.nonce ?? 0n);
    if (nonce !== count)
      problems.push(
        `${toHex(address)} has sequence ${nonce}, should have ${count}, as many as its transactions in blocks`,
      );
  }
  return problems;
}

function receiptProblem(chain: ChainReader, tx: SentTx): string | undefined {
  const { receipt } = tx;
  if (receipt === undefined || chain.head() < receipt.blockNumber) return undefined;
  const hash = parseHex(tx.hash);
  const location = hash.ok ? chain.ethTxLocation(hash.value) : undefined;
  if (location === undefined) return 'the transaction is in no block';
  if (location.height !== receipt.blockNumber)
    return `the transaction is in block ${location.height}, should be in ${receipt.blockNumber}`;
  const block = chain.ethBlock(receipt.blockNumber);
  return block !== undefined && to0xHex(block.hash) === receipt.blockHash
    ? undefined
    : `block ${receipt.blockNumber} has another hash than the receipt`;
}

/**
 * Walks the chain once: no transaction is there twice, nonces are in order, and the supply adds up. Accounts in
 * `shared` also use nonces for other things than Ethereum transactions, so theirs may have gaps.
 */
function chainProblem(
  chain: ChainReader,
  market: FeeMarket,
  shared: ReadonlySet<string>,
  mayDestroy: boolean,
): string | undefined {
  const seen = new Set<string>();
  const nonces = new Map<string, bigint>();
  let burned = 0n;
  const first = chain.ethBlock(0)?.header.baseFeePerGas ?? firstBaseFee(market);
  if (first !== firstBaseFee(market)) return `the base fee of genesis is ${first}`;
  for (let height = chain.base(); height <= chain.head(); height++) {
    const block = chain.ethBlock(height);
    if (block === undefined) return `block ${height} is missing`;
    const feeProblem = baseFeeProblem(chain, height, market);
    if (feeProblem !== undefined) return feeProblem;
    burned += burnedAt(chain, height, market);
    for (const tx of block.transactions) {
      const hash = toHex(tx.hash);
      if (seen.has(hash)) return `transaction ${hash} is in the chain twice`;
      seen.add(hash);
      const from = toHex(tx.from);
      const next = nonces.get(from) ?? 0n;
      if (shared.has(from) ? tx.nonce < next : tx.nonce !== next)
        return `nonce ${tx.nonce} of ${from} follows ${next - 1n}`;
      nonces.set(from, next + 1n);
    }
  }
  return supplyProblem(chain, burned, market, mayDestroy);
}

/** The parent of the first block is stored under height 0, whatever its number. */
function baseFeeProblem(chain: ChainReader, height: number, market: FeeMarket): string | undefined {
  const before = height - 1 === chain.genesisNumber() ? 0 : height - 1;
  const [parent, header] = [before, height].map((one) => chain.ethBlock(one)?.header);
  if (parent === undefined || header === undefined) return undefined;
  const wanted = baseFeeAfter(parent, market);
  return header.baseFeePerGas === wanted
    ? undefined
    : `base fee of block ${height} is ${header.baseFeePerGas}, should be ${wanted}`;
}

/** The balances of all accounts plus what was burned equal the supply at genesis. */
function supplyProblem(
  chain: ChainReader,
  burned: bigint,
  market: FeeMarket,
  mayDestroy: boolean,
): string | undefined {
  const before = moneyOf(chain, 'genesis', market);
  const after = (moneyOf(chain, 'balances', market) ?? 0n) + burned;
  return before === undefined || before === after || (mayDestroy && after < before)
    ? undefined
    : `supply was ${before}, is ${after} with what was burned`;
}

/** A client gets receipts for at least so many of its transactions, each within the promised number of heights. */
export function receipts(
  context: CheckerContext,
  wallets: readonly EvmClient[],
  bankers: readonly Banker[],
  wanted: Extract<Expectation, { kind: 'receipts' }>,
): Checker {
  const name = 'receipt';
  return {
    name,
    ...onlyAtTheEnd,
    finish() {
      const wallet = wallets.find((one) => one.spec.name === wanted.client);
      const banker = bankers.find((one) => one.spec.name === wanted.client);
      const client = wallet ?? banker;
      const count = client?.confirmed.length ?? 0;
      if (count < wanted.atLeast) {
        context.fail(
          name,
          `${wanted.client} got ${count} receipts for ${client?.sent.length ?? 0} transactions, expected ${wanted.atLeast}`,
        );
      }
      const most = wanted.includedWithin;
      if (most === undefined) return;
      const start = context.scenario.genesis.initialHeight - 1;
      for (const tx of client?.submitted ?? []) {
        const waited = heightIn(context, tx) - Math.max(tx.sentHead, start);
        if (waited > most)
          context.fail(
            name,
            `${tx.hash} of ${wanted.client} waited ${waited} heights, expected at most ${most}`,
          );
      }
    },
  };
}

/**
 * The height of the transaction's block, or of the longest chain if that has no such block. The node of the client may
 * not know either.
 */
function heightIn({ correct }: CheckerContext, { hash, height }: Submitted): number {
  if (height !== undefined) return height;
  const bytes = parseHex(hash);
  let highest = 0;
  for (const node of correct) {
    const chain = node.node?.rpc?.chain;
    if (chain === undefined || !bytes.ok) continue;
    const place = soundly(node, () => chain.ethTxLocation(bytes.value) ?? chain.txLocation(bytes.value));
    if (place !== undefined) return place.height;
    highest = Math.max(highest, node.head);
  }
  return highest;
}
