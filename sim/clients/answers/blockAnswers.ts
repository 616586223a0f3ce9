import type { EthBlock, View } from '../../../core/app/chain.ts';
import { type Bytes, to0xHex } from '../../../core/lib/bytes.ts';
import type { Keccak } from '../../reference/trieRoot.ts';
import {
  type Ask,
  difference,
  type Fields,
  otherThan,
  quantity,
  shownLogs,
  shownReceipt,
} from './answers.ts';
import { wrongProof } from './proofAnswers.ts';

/** Blocks covered by a search over several blocks. */
const SEARCHED_BLOCKS = 4;
/** An account that never receives anything. */
const STRANGER = new Uint8Array(20).fill(0x5e);

/**
 * More questions about one block: transactions by index, all receipts at once, state, and traces of its first and last
 * transaction.
 */
export async function wrongBlockAnswer(
  ask: Ask,
  chain: { ethBlock(height: number): EthBlock | undefined; view(height: number): View | undefined },
  block: EthBlock,
  keccak: Keccak,
): Promise<string | undefined> {
  const view = chain.view(block.header.number);
  return (
    (await wrongPlaces(ask, block)) ??
    (await wrongRange(ask, chain, block)) ??
    (view === undefined ? undefined : await wrongState(ask, view, block, keccak)) ??
    (await wrongTraces(ask, block))
  );
}

async function wrongPlaces(ask: Ask, block: EthBlock): Promise<string | undefined> {
  const [number, hash] = [quantity(block.header.number), to0xHex(block.hash)];
  const count = quantity(block.transactions.length);
  const counts = [
    await ask('eth_getBlockTransactionCountByNumber', [number]),
    await ask('eth_getBlockTransactionCountByHash', [hash]),
  ];
  if (counts.some((told) => told !== count))
    return `block ${number} has ${counts.join(' and ')} transactions, not ${count}`;
  const byPlace = [
    ...(await Promise.all(
      block.transactions.map((_, i) => ask('eth_getTransactionByBlockNumberAndIndex', [number, quantity(i)])),
    )),
    await ask('eth_getTransactionByBlockHashAndIndex', [hash, count]),
  ] as readonly (Fields | null)[];
  const hashes = byPlace.map((told) => told?.['hash'] ?? null);
  const wanted = [...block.transactions.map((tx) => to0xHex(tx.hash)), null];
  if (hashes.join() !== wanted.join()) return `block ${number} has ${hashes.join()} at their places`;
  const told = (await ask('eth_getBlockReceipts', [number])) as readonly Fields[];
  const truth = block.receipts.map((_, i) => shownReceipt(block, i));
  if (told.length !== truth.length) return `block ${number} was told with ${told.length} receipts`;
  for (const [i, fields] of truth.entries()) {
    const problem = difference(`receipt ${i} of block ${number}`, told[i], fields);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Searches the logs of several blocks at once. Both ends of the range are included. */
async function wrongRange(
  ask: Ask,
  chain: { ethBlock(height: number): EthBlock | undefined },
  { header }: EthBlock,
): Promise<string | undefined> {
  const from = Math.max(0, header.number - SEARCHED_BLOCKS + 1);
  const wanted: Fields[] = [];
  for (let height = from; height <= header.number; height++) {
    // There are no blocks between genesis and an initial height above one.
    const one = chain.ethBlock(height);
    if (one !== undefined) wanted.push(...shownLogs(one).map(({ shown }) => shown));
  }
  const range = { fromBlock: quantity(from), toBlock: quantity(header.number) };
  return otherThan(`eth_getLogs ${JSON.stringify(range)}`, await ask('eth_getLogs', [range]), wanted);
}

/** The state of each account in the block's transactions, after the block. */
async function wrongState(
  ask: Ask,
  view: View,
  block: EthBlock,
  keccak: Keccak,
): Promise<string | undefined> {
  const number = quantity(block.header.number);
  const accounts = new Map<string, Bytes>();
  for (const { from, to } of block.transactions)
    for (const address of to === undefined ? [from] : [from, to]) accounts.set(to0xHex(address), address);
  for (const [text, address] of accounts) {
    const { balance = 0n, nonce = 0n } = view.account(address) ?? {};
    const slot = new Uint8Array(32);
    const questions: readonly (readonly [string, readonly unknown[], string])[] = [
      ['eth_getBalance', [text, number], quantity(balance)],
      ['eth_getTransactionCount', [text, { blockHash: to0xHex(block.hash) }], quantity(nonce)],
      ['eth_getCode', [text, number], to0xHex(view.code(address))],
      ['eth_getStorageAt', [text, '0x0', number], to0xHex(padded(view.storage(address, slot)))],
    ];
    for (const [method, params, wanted] of questions) {
      const told = await ask(method, params);
      if (told !== wanted) return `${method} of ${text} in block ${number} is ${told}, should be ${wanted}`;
    }
    const problem = await wrongProof(ask, block, address, keccak);
    if (problem !== undefined) return problem;
  }
  return wrongProof(ask, block, STRANGER, keccak);
}

function padded(value: Bytes): Bytes {
  const word = new Uint8Array(32);
  word.set(value, 32 - value.length);
  return word;
}

/** Traces the first and the last transaction at the same time: neither may disturb the other. */
async function wrongTraces(ask: Ask, block: EthBlock): Promise<string | undefined> {
  const last = block.transactions.length - 1;
  const problems = await Promise.all([wrongTrace(ask, block, 0), wrongTrace(ask, block, Math.max(1, last))]);
  return problems.find((problem) => problem !== undefined);
}

/** A trace has to use the same gas as the receipt, and to fail exactly when the receipt does. */
async function wrongTrace(ask: Ask, block: EthBlock, index: number): Promise<string | undefined> {
  const [tx, receipt] = [block.transactions[index], block.receipts[index]];
  if (tx === undefined || receipt === undefined) return undefined;
  const hash = to0xHex(tx.hash);
  const told = (await ask('debug_traceTransaction', [hash, { tracer: 'callTracer' }])) as Fields | undefined;
  const problem = difference(`the trace of ${hash}`, told, {
    from: to0xHex(tx.from),
    gas: quantity(tx.gasLimit),
    gasUsed: quantity(receipt.gasUsed),
    input: to0xHex(tx.data),
    value: quantity(tx.value),
  });
  const hasFailed = told?.['error'] !== undefined;
  return (
    problem ?? (hasFailed === (receipt.status === 0) ? undefined : `the trace of ${hash} has another end`)
  );
}
