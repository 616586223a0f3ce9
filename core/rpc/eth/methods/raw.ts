/** Transactions, headers, blocks and receipts as raw bytes, which hashes and tries are computed from. */
import type { EthBlock } from '../../../app/chain.ts';
import { headerFields } from '../../../app/evm/header.ts';
import { encodeReceipt } from '../../../app/evm/receipt.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../../../app/evm/rlp.ts';
import { present } from '../../../lib/assert.ts';
import { type Bytes, EMPTY, to0xHex } from '../../../lib/bytes.ts';
import type { RpcContext } from '../../context.ts';
import { withBlock, withKnownBlock } from '../at.ts';
import type { BlockId } from '../blockId.ts';
import { type EthMethod, method, type Param } from '../method.ts';
import { BLOCK_HASH, BLOCK_NUMBER, BLOCK_REQUIRED, HASH, INDEX } from '../params.ts';
import { minedTx } from '../transactions.ts';

/** The bytes of a committed or pooled transaction; empty if unknown. */
function rawTx(ctx: RpcContext, hash: Bytes): Bytes {
  const mined = minedTx(ctx, hash);
  const tx = mined === undefined ? ctx.pool.byEthHash(hash) : mined.block.transactions[mined.index];
  return tx?.raw ?? EMPTY;
}

function rawByIndex(by: 'Number' | 'Hash', param: Param<BlockId>): EthMethod {
  return method({
    method: `eth_getRawTransactionByBlock${by}AndIndex`,
    params: [param, INDEX],
    result: 'bytes',
    doc: 'EIP-2718 bytes of a transaction by its place in a block; `0x` when there is none.',
    run: (call, id, index) =>
      withBlock(call, id, (block) => to0xHex(block?.transactions[Number(index)]?.raw ?? EMPTY)),
  });
}

/** In a block's RLP, a legacy transaction is a nested list and a typed one a byte string (EIP-2718). */
function txItem(raw: Bytes): RlpItem {
  if ((raw[0] ?? 0) < 0xc0) return raw;
  const decoded = decodeRlp(raw);
  return present(decoded.ok ? decoded.value : undefined, 'stored transactions are RLP');
}

export const blockRlp = ({ header, transactions }: EthBlock): Bytes =>
  encodeRlp([headerFields(header), transactions.map(({ raw }) => txItem(raw)), [], []]);

export const rawMethods: readonly EthMethod[] = [
  method({
    method: 'eth_getRawTransactionByHash',
    params: [HASH],
    result: 'bytes',
    doc: 'EIP-2718 bytes of a transaction of the chain or the pool; `0x` when unknown.',
    run: ({ ctx }, hash) => to0xHex(rawTx(ctx, hash)),
  }),
  rawByIndex('Number', BLOCK_NUMBER),
  rawByIndex('Hash', BLOCK_HASH),
  method({
    method: 'debug_getRawTransaction',
    params: [HASH],
    result: 'bytes',
    doc: 'The same as eth_getRawTransactionByHash.',
    run: ({ ctx }, hash) => to0xHex(rawTx(ctx, hash)),
  }),
  method({
    method: 'debug_getRawHeader',
    params: [BLOCK_REQUIRED],
    result: 'bytes',
    doc: 'RLP of a header; its keccak256 is the block hash.',
    run: (call, id) => withKnownBlock(call, id, ({ header }) => to0xHex(encodeRlp(headerFields(header)))),
  }),
  method({
    method: 'debug_getRawBlock',
    params: [BLOCK_REQUIRED],
    result: 'bytes',
    doc: 'RLP of a block: header, transactions, no uncles, no withdrawals.',
    run: (call, id) => withKnownBlock(call, id, (block) => to0xHex(blockRlp(block))),
  }),
  method({
    method: 'debug_getRawReceipts',
    params: [BLOCK_REQUIRED],
    result: 'bytes[]',
    doc: "EIP-2718 bytes of a block's receipts, the values of its receipts trie.",
    run: (call, id) =>
      withKnownBlock(call, id, ({ receipts }) => receipts.map((one) => to0xHex(encodeReceipt(one)))),
  }),
  method({
    method: 'debug_getBadBlocks',
    params: [],
    result: 'empty array',
    doc: 'Always empty: a block is checked before it is decided, and a decided block is not bad.',
    run: () => [],
  }),
];
