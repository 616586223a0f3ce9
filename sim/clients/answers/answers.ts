import type {
  AccessListItem,
  Authorization,
  ChainReader,
  EthBlock,
  EthLog,
} from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { type Bytes, equalBytes, to0xHex } from '../../../core/lib/bytes.ts';
import { differenceOf, placed } from '../../difference.ts';

/** keccak256(RLP([])), and SHA-256 of the empty string. */
const NO_UNCLES_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
const NO_REQUESTS_HASH = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Asks a node and returns its result. On an error it complains itself and returns undefined. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

export type Fields = Readonly<Record<string, unknown>>;

export const quantity = (value: number | bigint): string => `0x${value.toString(16)}`;

/** Root of an empty trie. */
const NOTHING_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

const ZEROS = new Uint8Array(32);

/**
 * A header as JSON-RPC must show it, in an answer or a notification. There is no mining, and there are no uncles, blobs
 * or requests.
 */
export const shownHead = ({ header, hash }: EthBlock): Fields => ({
  number: quantity(header.number),
  hash: to0xHex(hash),
  parentHash: to0xHex(header.parentHash),
  nonce: to0xHex(ZEROS.subarray(0, 8)),
  mixHash: to0xHex(header.mixHash),
  sha3Uncles: NO_UNCLES_HASH,
  logsBloom: to0xHex(header.logsBloom),
  stateRoot: to0xHex(header.stateRoot),
  miner: to0xHex(header.coinbase),
  difficulty: '0x0',
  extraData: to0xHex(header.extraData),
  gasLimit: quantity(header.gasLimit),
  gasUsed: quantity(header.gasUsed),
  timestamp: quantity(header.timestamp),
  transactionsRoot: to0xHex(header.transactionsRoot),
  receiptsRoot: to0xHex(header.receiptsRoot),
  baseFeePerGas: quantity(header.baseFeePerGas),
  withdrawalsRoot: NOTHING_ROOT,
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: to0xHex(ZEROS),
  requestsHash: NO_REQUESTS_HASH,
});

/** All fields of an object as one text that does not depend on their order. */
export const textOf = (told: Fields): string =>
  JSON.stringify(Object.entries(told).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Asks what a client asks about one block and compares each answer with the block. Describes the first wrong answer.
 */
export async function wrongAnswer(
  ask: Ask,
  chain: ChainReader,
  block: EthBlock,
): Promise<string | undefined> {
  const { hash } = block;
  const number = quantity(block.header.number);
  const head = shownHead(block);
  const byNumber = (await ask('eth_getBlockByNumber', [number, false])) as Fields | null;
  const byHash = (await ask('eth_getBlockByHash', [to0xHex(hash), true])) as Fields | null;
  const body = { size: quantity(block.size), withdrawals: [] };
  const hashes = block.transactions.map((tx) => to0xHex(tx.hash));
  const full = (byHash?.['transactions'] ?? []) as readonly Fields[];
  return (
    difference(`block ${number} by number`, byNumber, { ...head, ...body, transactions: hashes }) ??
    difference(`block ${number} by hash`, byHash, { ...head, ...body }) ??
    difference(`block ${number} by hash`, { hashes: full.map((tx) => tx['hash']) }, { hashes }) ??
    (await wrongTx(ask, block)) ??
    (await wrongLogs(ask, chain, block)) ??
    (await wrongCounts(ask, chain, block))
  );
}

/** Describes the first field that differs from the truth. */
export function difference(what: string, told: Fields | null | undefined, truth: Fields): string | undefined {
  if (told === null || told === undefined) return `${what} is not there`;
  for (const [field, value] of Object.entries(truth)) {
    const found = differenceOf(told[field], value);
    if (found !== undefined)
      return `${what} has ${field}${placed(found)} ${found.is}, should have ${found.should}`;
  }
  return undefined;
}

/** Describes the first difference of an answer from the truth. */
export function otherThan(what: string, told: unknown, truth: unknown): string | undefined {
  const found = differenceOf(told, truth);
  return found && `${what}${placed(found)} is ${found.is}, should be ${found.should}`;
}

const placeOf = (block: EthBlock, i: number): Fields => {
  const tx = present(block.transactions[i], 'a transaction');
  return {
    blockHash: to0xHex(block.hash),
    blockNumber: quantity(block.header.number),
    transactionIndex: quantity(i),
    from: to0xHex(tx.from),
    to: tx.to === undefined ? null : to0xHex(tx.to),
    type: quantity(tx.type),
  };
};

/** A receipt as JSON-RPC has to show it. */
export function shownReceipt(block: EthBlock, i: number): Fields {
  const receipt = present(block.receipts[i], 'a receipt for each transaction');
  const before = block.receipts.slice(0, i);
  const { contractAddress } = receipt;
  return {
    ...placeOf(block, i),
    transactionHash: to0xHex(present(block.transactions[i], 'its transaction').hash),
    gasUsed: quantity(receipt.gasUsed),
    cumulativeGasUsed: quantity(before.reduce((sum, { gasUsed }) => sum + gasUsed, receipt.gasUsed)),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    status: quantity(receipt.status),
    contractAddress: contractAddress === undefined ? null : to0xHex(contractAddress),
    logsBloom: to0xHex(receipt.logsBloom),
    logs: shownLogs(block).flatMap(({ txIndex, shown }) => (txIndex === i ? [shown] : [])),
  };
}

/**
 * A transaction of a block as JSON-RPC must show it. `gasPrice` is the price that was paid; both caps have their own
 * fields.
 */
function shownTx(block: EthBlock, i: number): Fields {
  const tx = present(block.transactions[i], 'a transaction');
  const isDynamic = tx.type === 2 || tx.type === 4;
  const price = present(block.receipts[i], 'its receipt').effectiveGasPrice;
  return {
    ...placeOf(block, i),
    hash: to0xHex(tx.hash),
    nonce: quantity(tx.nonce),
    value: quantity(tx.value),
    input: to0xHex(tx.data),
    gas: quantity(tx.gasLimit),
    gasPrice: quantity(price),
    ...(isDynamic
      ? { maxFeePerGas: quantity(tx.maxFeePerGas), maxPriorityFeePerGas: quantity(tx.maxPriorityFeePerGas) }
      : {}),
    ...(tx.type === 4 ? { authorizationList: tx.authorizationList.map(shownAuthorization) } : {}),
    // A legacy transaction has a chainId only if its signature covers one (EIP-155).
    chainId: tx.chainId === undefined ? undefined : quantity(tx.chainId),
    accessList: tx.type === 0 ? undefined : tx.accessList.map(shownAccess),
    yParity: tx.type === 0 ? undefined : quantity(tx.v),
    v: quantity(tx.v),
    r: quantity(tx.r),
    s: quantity(tx.s),
  };
}

const shownAccess = ({ address, storageKeys }: AccessListItem): Fields => ({
  address: to0xHex(address),
  storageKeys: storageKeys.map(to0xHex),
});

const shownAuthorization = ({ chainId, address, nonce, yParity, r, s }: Authorization): Fields => ({
  chainId: quantity(chainId),
  address: to0xHex(address),
  nonce: quantity(nonce),
  yParity: quantity(yParity),
  r: quantity(r),
  s: quantity(s),
});

async function wrongTx(ask: Ask, block: EthBlock): Promise<string | undefined> {
  for (const [i, tx] of block.transactions.entries()) {
    const hash = to0xHex(tx.hash);
    const toldReceipt = (await ask('eth_getTransactionReceipt', [hash])) as Fields | null;
    const toldTx = (await ask('eth_getTransactionByHash', [hash])) as Fields | null;
    const problem =
      difference(`receipt of ${hash}`, toldReceipt, shownReceipt(block, i)) ??
      difference(`transaction ${hash}`, toldTx, shownTx(block, i));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface ShownLog {
  readonly txIndex: number;
  readonly log: EthLog;
  readonly shown: Fields;
}

/** All logs of a block, in order. */
export function shownLogs(block: EthBlock): readonly ShownLog[] {
  const all: ShownLog[] = [];
  for (const [txIndex, { logs }] of block.receipts.entries())
    for (const log of logs) all.push({ txIndex, log, shown: shownLog(block, txIndex, log, all.length) });
  return all;
}

const shownLog = (block: EthBlock, txIndex: number, log: EthLog, logIndex: number): Fields => ({
  address: to0xHex(log.address),
  topics: log.topics.map(to0xHex),
  data: to0xHex(log.data),
  blockNumber: quantity(block.header.number),
  transactionHash: to0xHex(present(block.transactions[txIndex], 'its transaction').hash),
  transactionIndex: quantity(txIndex),
  blockHash: to0xHex(block.hash),
  blockTimestamp: quantity(block.header.timestamp),
  logIndex: quantity(logIndex),
  removed: false,
});

/**
 * Searches in each way that a client can: all logs, by contract, by topic at its position and at another, by several
 * values.
 */
async function wrongLogs(ask: Ask, chain: ChainReader, block: EthBlock): Promise<string | undefined> {
  const all = shownLogs(block);
  const number = quantity(block.header.number);
  const range = { fromBlock: number, toBlock: number };
  const has = (list: readonly Bytes[], item: Bytes | undefined): boolean =>
    item !== undefined && list.some((one) => equalBytes(one, item));
  const searches: (readonly [Fields, (log: EthLog) => boolean])[] = [
    [range, () => true],
    [{ blockHash: to0xHex(block.hash) }, () => true],
  ];
  const [first, last] = [all[0]?.log, all.at(-1)?.log];
  if (first !== undefined && last !== undefined) {
    const addresses = [first.address, last.address];
    searches.push([
      { ...range, address: to0xHex(last.address) },
      ({ address }) => equalBytes(address, last.address),
    ]);
    searches.push([{ ...range, address: addresses.map(to0xHex) }, ({ address }) => has(addresses, address)]);
  }
  const topic = all.map(({ log }) => log.topics[0]).find((one) => one !== undefined);
  if (topic !== undefined) {
    const either = [to0xHex(topic), number.padEnd(66, '0')];
    searches.push([{ ...range, topics: [to0xHex(topic)] }, ({ topics }) => has([topic], topics[0])]);
    searches.push([{ ...range, topics: [either] }, ({ topics }) => has([topic], topics[0])]);
    searches.push([{ ...range, topics: [null] }, ({ topics }) => topics.length > 0]);
  }
  // A topic matches at its own position only.
  const [one, two] = all.find(({ log }) => log.topics.length > 1)?.log.topics ?? [];
  if (one !== undefined && two !== undefined) {
    searches.push([{ ...range, topics: [null, to0xHex(one)] }, ({ topics }) => has([one], topics[1])]);
    searches.push([{ ...range, topics: [to0xHex(two)] }, ({ topics }) => has([two], topics[0])]);
    searches.push([{ ...range, topics: [null, to0xHex(two)] }, ({ topics }) => has([two], topics[1])]);
  }
  for (const [filter, isWanted] of searches) {
    const truth = all.filter(({ log }) => isWanted(log)).map(({ shown }) => shown);
    const problem = otherThan(
      `eth_getLogs ${JSON.stringify(filter)}`,
      await ask('eth_getLogs', [filter]),
      truth,
    );
    if (problem !== undefined) return problem;
  }
  if (block.header.number !== chain.head()) return undefined;
  // Without toBlock a search ends at the head.
  const told = await ask('eth_getLogs', [{ fromBlock: number }]);
  return otherThan(
    `eth_getLogs from ${number} on`,
    told,
    all.map(({ shown }) => shown),
  );
}

/**
 * From the parent to the block a sender's nonce rises by its Ethereum transactions, plus at most the other
 * transactions.
 */
async function wrongCounts(ask: Ask, chain: ChainReader, block: EthBlock): Promise<string | undefined> {
  const counts = new Map<string, number>();
  for (const { from } of block.transactions) counts.set(to0xHex(from), (counts.get(to0xHex(from)) ?? 0) + 1);
  const { number } = block.header;
  const others = (chain.block(number)?.txs.length ?? 0) - block.transactions.length;
  for (const [from, count] of counts) {
    const before = Number(await ask('eth_getTransactionCount', [from, quantity(number - 1)]));
    const after = Number(await ask('eth_getTransactionCount', [from, quantity(number)]));
    if (after < before + count || after > before + count + Math.max(0, others))
      return `${from} sent ${count} in block ${number}, its count went from ${before} to ${after}`;
  }
  return undefined;
}
