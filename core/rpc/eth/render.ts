/** Ethereum objects in the JSON of JSON-RPC, as geth writes them. Addresses and hashes are lower-case hex. */
import type {
  AccessListItem,
  Authorization,
  EthBlock,
  EthHeader,
  EthLog,
  EthReceipt,
  EthTx,
} from '../../app/chain.ts';
import { to0xHex } from '../../lib/bytes.ts';
import type { Hash } from '../../types/ids.ts';
import { quantity } from './goHex.ts';
import { type FilledTx, typeOf } from './signTx.ts';

/** Includes every field of the header's RLP, so a client can recompute `hash` = keccak256(RLP(header)). */
export function headerJson(header: EthHeader, hash: Hash) {
  return {
    number: quantity(header.number),
    hash: to0xHex(hash),
    parentHash: to0xHex(header.parentHash),
    nonce: to0xHex(header.nonce),
    mixHash: to0xHex(header.mixHash),
    sha3Uncles: to0xHex(header.unclesHash),
    logsBloom: to0xHex(header.logsBloom),
    stateRoot: to0xHex(header.stateRoot),
    miner: to0xHex(header.coinbase),
    difficulty: quantity(header.difficulty),
    extraData: to0xHex(header.extraData),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    transactionsRoot: to0xHex(header.transactionsRoot),
    receiptsRoot: to0xHex(header.receiptsRoot),
    baseFeePerGas: quantity(header.baseFeePerGas),
    withdrawalsRoot: to0xHex(header.withdrawalsRoot),
    blobGasUsed: quantity(header.blobGasUsed),
    excessBlobGas: quantity(header.excessBlobGas),
    parentBeaconBlockRoot: to0xHex(header.parentBeaconBlockRoot),
    requestsHash: to0xHex(header.requestsHash),
  };
}

export const blockJson = (block: EthBlock, full: boolean) => ({
  ...headerJson(block.header, block.hash),
  size: quantity(block.size),
  transactions: block.transactions.map((tx, i) => (full ? minedTxJson(block, i) : to0xHex(tx.hash))),
  uncles: [],
  withdrawals: [],
});

/** Members that a pending block cannot have yet (geth's three nulls). */
export const UNDECIDED = { hash: null, nonce: null, miner: null } as const;

/** The pending block. Its transactions appear like pooled ones, as no block contains them yet. */
export const pendingBlockJson = (block: EthBlock, full: boolean) => ({
  ...blockJson(block, false),
  ...UNDECIDED,
  transactions: block.transactions.map((tx) => (full ? pendingTxJson(tx) : to0xHex(tx.hash))),
});

export const accessListJson = (list: readonly AccessListItem[]) =>
  list.map(({ address, storageKeys }) => ({
    address: to0xHex(address),
    storageKeys: storageKeys.map(to0xHex),
  }));

const authorizationJson = (item: Authorization) => ({
  chainId: quantity(item.chainId),
  address: to0xHex(item.address),
  nonce: quantity(item.nonce),
  yParity: quantity(item.yParity),
  r: quantity(item.r),
  s: quantity(item.s),
});

interface Place {
  readonly block: EthBlock;
  readonly index: number;
}

/** min(tip + base fee, fee cap) once the base fee is known, the fee cap before that. */
const shownGasPrice = (tx: EthTx, baseFee: bigint | undefined): bigint => {
  if (tx.gasPrice !== undefined) return tx.gasPrice;
  if (baseFee === undefined) return tx.maxFeePerGas;
  const price = tx.maxPriorityFeePerGas + baseFee;
  return price < tx.maxFeePerGas ? price : tx.maxFeePerGas;
};

function txJson(tx: EthTx, place: Place | undefined): Record<string, unknown> {
  const header = place?.block.header;
  const dynamic = tx.type === 2 || tx.type === 4;
  return {
    blockHash: place === undefined ? null : to0xHex(place.block.hash),
    blockNumber: header === undefined ? null : quantity(header.number),
    blockTimestamp: header === undefined ? null : quantity(header.timestamp),
    from: to0xHex(tx.from),
    gas: quantity(tx.gasLimit),
    gasPrice: quantity(shownGasPrice(tx, header?.baseFeePerGas)),
    ...(dynamic
      ? { maxFeePerGas: quantity(tx.maxFeePerGas), maxPriorityFeePerGas: quantity(tx.maxPriorityFeePerGas) }
      : {}),
    hash: to0xHex(tx.hash),
    input: to0xHex(tx.data),
    nonce: quantity(tx.nonce),
    to: tx.to === undefined ? null : to0xHex(tx.to),
    transactionIndex: place === undefined ? null : quantity(place.index),
    value: quantity(tx.value),
    type: quantity(tx.type),
    ...(tx.type === 0 ? {} : { accessList: accessListJson(tx.accessList) }),
    ...(tx.chainId === undefined ? {} : { chainId: quantity(tx.chainId) }),
    ...(tx.type === 4 ? { authorizationList: tx.authorizationList.map(authorizationJson) } : {}),
    v: quantity(tx.v),
    r: quantity(tx.r),
    s: quantity(tx.s),
    ...(tx.type === 0 ? {} : { yParity: quantity(tx.v) }),
  };
}

/** null if the block has no transaction with this index. */
export const minedTxJson = (block: EthBlock, index: number): Record<string, unknown> | null => {
  const tx = block.transactions[index];
  return tx === undefined ? null : txJson(tx, { block, index });
};

export const pendingTxJson = (tx: EthTx): Record<string, unknown> => txJson(tx, undefined);

/** An unsigned transaction. `hash` is the hash of its bytes with an empty signature. */
export function unsignedTxJson(tx: FilledTx, hash: string): Record<string, unknown> {
  const type = typeOf(tx);
  const { fees } = tx;
  const prices =
    'gasPrice' in fees
      ? { gasPrice: quantity(fees.gasPrice) }
      : {
          gasPrice: quantity(fees.maxFeePerGas),
          maxFeePerGas: quantity(fees.maxFeePerGas),
          maxPriorityFeePerGas: quantity(fees.maxPriorityFeePerGas),
        };
  return {
    type: quantity(type),
    // A legacy transaction only has a chain id in its signature.
    ...(type === 0 ? {} : { chainId: quantity(tx.chainId) }),
    nonce: quantity(tx.nonce),
    to: tx.to === undefined ? null : to0xHex(tx.to),
    gas: quantity(tx.gas),
    ...prices,
    value: quantity(tx.value),
    input: to0xHex(tx.data),
    ...(type === 0 ? {} : { accessList: accessListJson(tx.accessList ?? []), yParity: '0x0' }),
    ...(type === 4 ? { authorizationList: tx.authorizationList.map(authorizationJson) } : {}),
    v: '0x0',
    r: '0x0',
    s: '0x0',
    hash,
  };
}

export const logJson = (block: EthBlock, txIndex: number, log: EthLog) => ({
  address: to0xHex(log.address),
  topics: log.topics.map(to0xHex),
  data: to0xHex(log.data),
  blockNumber: quantity(block.header.number),
  transactionHash: to0xHex((block.transactions[txIndex] as EthTx).hash),
  transactionIndex: quantity(txIndex),
  blockHash: to0xHex(block.hash),
  blockTimestamp: quantity(block.header.timestamp),
  logIndex: quantity(log.logIndex),
  removed: false,
});

/** null if the block has no transaction with this index. */
export function receiptJson(block: EthBlock, index: number) {
  const tx: EthTx | undefined = block.transactions[index];
  const receipt: EthReceipt | undefined = block.receipts[index];
  if (tx === undefined || receipt === undefined) return null;
  return {
    blockHash: to0xHex(block.hash),
    blockNumber: quantity(block.header.number),
    from: to0xHex(tx.from),
    gasUsed: quantity(receipt.gasUsed),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    contractAddress: receipt.contractAddress === undefined ? null : to0xHex(receipt.contractAddress),
    logs: receipt.logs.map((log) => logJson(block, index, log)),
    logsBloom: to0xHex(receipt.logsBloom),
    status: quantity(receipt.status),
    to: tx.to === undefined ? null : to0xHex(tx.to),
    transactionHash: to0xHex(tx.hash),
    transactionIndex: quantity(index),
    type: quantity(receipt.type),
  };
}
