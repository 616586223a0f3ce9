import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { encodeList } from '../../state/rlp.ts';
import type { EthBlock, EthHeader, EthLog, EthReceipt, EthTx } from '../chain.ts';
import { logsBloom } from './bloom.ts';
import { completeEthTx, parseEthTx } from './ethTx.ts';
import { encodeHeader, headerOfFields } from './header.ts';
import { bigintToBytes, bytesToBigint } from './numbers.ts';
import { logFields } from './receipt.ts';
import { decodeRlp, encodedSize, encodeRlp, type RlpItem } from './rlp.ts';

type Keccak = (message: Bytes) => Bytes;

/** Size in bytes of the Ethereum block's RLP: header, transactions, no uncles, no withdrawals. */
export function ethBlockSize(header: EthHeader, transactions: readonly EthTx[]): number {
  // In the list of transactions, a legacy one is a nested list and a typed one a byte string (EIP-2718).
  let payload = 0;
  for (const tx of transactions) payload += tx.type === 0 ? tx.raw.length : encodedSize(tx.raw);
  const listSize = (size: number): number =>
    (size <= 55 ? 1 : size < 256 ? 2 : size < 65536 ? 3 : size < 16777216 ? 4 : 5) + size;
  return listSize(encodeHeader(header).length + listSize(payload) + 2);
}

const receiptFields = (r: EthReceipt): RlpItem => [
  r.status === 1 ? Uint8Array.of(1) : EMPTY,
  bigintToBytes(r.cumulativeGasUsed),
  bigintToBytes(r.gasUsed),
  bigintToBytes(r.effectiveGasPrice),
  r.contractAddress ?? EMPTY,
  r.logs.map(logFields),
];

/** The stored record of an Ethereum block. It includes senders and hashes, so reading it recovers no signature. */
export function encodeEthBlock(block: EthBlock): Bytes {
  return encodeList([
    encodeRlp(block.hash),
    encodeHeader(block.header),
    encodeRlp(block.transactions.map((tx) => [tx.raw, tx.from, tx.hash])),
    encodeRlp(block.receipts.map(receiptFields)),
  ]);
}

class MalformedRecord extends Error {
  override readonly name = 'MalformedRecord';
}

const bytesOf = (item: RlpItem | undefined): Bytes => {
  if (item instanceof Uint8Array) return item;
  throw new MalformedRecord('expected bytes');
};

const listOf = (item: RlpItem | undefined): readonly RlpItem[] => {
  if (item !== undefined && !(item instanceof Uint8Array)) return item;
  throw new MalformedRecord('expected a list');
};

function readTx(item: RlpItem): EthTx {
  const [raw, from, hash] = listOf(item);
  const parsed = parseEthTx(bytesOf(raw));
  if (!parsed.ok) throw new MalformedRecord(`transaction: ${parsed.error.code}`);
  return completeEthTx(parsed.value, bytesOf(from), bytesOf(hash));
}

const NO_LOGS_BLOOM = new Uint8Array(256);

function readReceipt(item: RlpItem, tx: EthTx, firstLogIndex: number, keccak256: Keccak): EthReceipt {
  const [status, cumulative, gasUsed, price, contract, logs] = listOf(item);
  const readLogs: readonly EthLog[] = listOf(logs).map((log, i) => {
    const [address, topics, data] = listOf(log);
    const topicBytes = listOf(topics).map(bytesOf);
    return {
      address: bytesOf(address),
      topics: topicBytes,
      data: bytesOf(data),
      logIndex: firstLogIndex + i,
    };
  });
  return {
    type: tx.type,
    status: bytesOf(status).length === 1 ? 1 : 0,
    cumulativeGasUsed: bytesToBigint(bytesOf(cumulative)),
    gasUsed: bytesToBigint(bytesOf(gasUsed)),
    effectiveGasPrice: bytesToBigint(bytesOf(price)),
    // The bloom is recomputed from the logs: storing it would cost 256 bytes per transaction.
    logsBloom: readLogs.length === 0 ? NO_LOGS_BLOOM : logsBloom(readLogs, keccak256),
    logs: readLogs,
    contractAddress: bytesOf(contract).length === 0 ? undefined : bytesOf(contract),
  };
}

function readRecord(item: RlpItem, keccak256: Keccak): EthBlock {
  const [hash, fields, txs, receipts] = listOf(item);
  const header = headerOfFields(listOf(fields));
  if (!header.ok) throw new MalformedRecord(header.error);
  const transactions = listOf(txs).map(readTx);
  const receiptItems = listOf(receipts);
  if (receiptItems.length !== transactions.length) throw new MalformedRecord('receipts do not match');
  let logIndex = 0;
  const readReceipts = transactions.map((tx, i) => {
    const receipt = readReceipt(receiptItems[i] as RlpItem, tx, logIndex, keccak256);
    logIndex += receipt.logs.length;
    return receipt;
  });
  const size = ethBlockSize(header.value, transactions);
  return { hash: bytesOf(hash), header: header.value, transactions, receipts: readReceipts, size };
}

/** Inverse of `encodeEthBlock`. The error says what is wrong with the record. */
export function decodeEthBlock(record: Bytes, keccak256: Keccak): Result<EthBlock, string> {
  const decoded = decodeRlp(record);
  if (!decoded.ok) return err(decoded.error.message);
  try {
    return ok(readRecord(decoded.value, keccak256));
  } catch (error) {
    if (error instanceof MalformedRecord) return err(error.message);
    throw error;
  }
}
