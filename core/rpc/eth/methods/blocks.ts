/** Blocks, their transactions and receipts. An unknown block yields null, not an error. */
import { withBlock } from '../at.ts';
import { type BlockId, headNumber } from '../blockId.ts';

import { quantity } from '../goHex.ts';
import { type EthMethod, method, type Param } from '../method.ts';
import { BLOCK_HASH, BLOCK_NUMBER, BLOCK_REQUIRED, FULL_TRANSACTIONS, INDEX } from '../params.ts';
import {
  blockJson,
  headerJson,
  minedTxJson,
  pendingBlockJson,
  pendingTxJson,
  receiptJson,
  UNDECIDED,
} from '../render.ts';

/** The methods that exist both by number and by hash. */
function pair(by: 'Number' | 'Hash', param: Param<BlockId>): readonly EthMethod[] {
  return [
    method({
      method: `eth_getBlockBy${by}`,
      params: [param, FULL_TRANSACTIONS],
      result: 'block or null',
      doc: 'A block; its hash is keccak256 of the RLP of its header fields.',
      run: (call, id, full) =>
        withBlock(call, id, (block, isDraft) => {
          if (block === undefined) return null;
          return isDraft ? pendingBlockJson(block, full) : blockJson(block, full);
        }),
    }),
    method({
      method: `eth_getHeaderBy${by}`,
      params: [param],
      result: 'header or null',
      doc: 'A block header.',
      run: (call, id) =>
        withBlock(call, id, (block, isDraft) => {
          if (block === undefined) return null;
          const shown = headerJson(block.header, block.hash);
          return isDraft ? { ...shown, ...UNDECIDED } : shown;
        }),
    }),
    method({
      method: `eth_getBlockTransactionCountBy${by}`,
      params: [param],
      result: 'quantity or null',
      doc: 'How many Ethereum transactions a block has.',
      run: (call, id) =>
        withBlock(call, id, (block) => (block === undefined ? null : quantity(block.transactions.length))),
    }),
    method({
      method: `eth_getTransactionByBlock${by}AndIndex`,
      params: [param, INDEX],
      result: 'transaction or null',
      doc: 'A transaction by its place in a block.',
      run: (call, id, index) =>
        withBlock(call, id, (block, isDraft) => {
          const tx = block?.transactions[Number(index)];
          if (block === undefined || tx === undefined) return null;
          return isDraft ? pendingTxJson(tx) : minedTxJson(block, Number(index));
        }),
    }),
    method({
      method: `eth_getUncleCountByBlock${by}`,
      params: [param],
      result: 'quantity or null',
      doc: 'Always zero: there are no uncles.',
      run: (call, id) => withBlock(call, id, (block) => (block === undefined ? null : '0x0')),
    }),
    method({
      method: `eth_getUncleByBlock${by}AndIndex`,
      params: [param, INDEX],
      result: 'null',
      doc: 'Always null: there are no uncles.',
      run: () => null,
    }),
  ];
}

export const blockMethods: readonly EthMethod[] = [
  method({
    method: 'eth_blockNumber',
    params: [],
    result: 'quantity',
    doc: 'Height of the newest block that can be read.',
    run: ({ ctx }) => quantity(headNumber(ctx.chain)),
  }),
  ...pair('Number', BLOCK_NUMBER),
  ...pair('Hash', BLOCK_HASH),
  method({
    method: 'eth_getBlockReceipts',
    params: [BLOCK_REQUIRED],
    result: 'receipt[] or null',
    doc: 'All receipts of a block.',
    run: (call, id) =>
      withBlock(call, id, (block) =>
        block === undefined ? null : block.transactions.map((_, i) => receiptJson(block, i)),
      ),
  }),
];
