/** Blocks, their transactions and receipts. An unknown block is null, never an error. */
import type { BlockId } from '../blockId.ts';
import { blockOf } from '../blockId.ts';
import { quantity } from '../goHex.ts';
import { type EthMethod, method, type Param } from '../method.ts';
import { BLOCK_HASH, BLOCK_NUMBER, BLOCK_REQUIRED, FULL_TRANSACTIONS, INDEX } from '../params.ts';
import { blockJson, headerJson, minedTxJson, receiptJson } from '../render.ts';

/** The rows that exist once by number and once by hash. */
function pair(by: 'Number' | 'Hash', param: Param<BlockId>): readonly EthMethod[] {
  return [
    method({
      method: `eth_getBlockBy${by}`,
      params: [param, FULL_TRANSACTIONS],
      result: 'block or null',
      doc: 'A block; its hash is keccak256 of the RLP of its header fields.',
      run: ({ ctx }, id, full) => {
        const block = blockOf(ctx.chain, id);
        return block === undefined ? null : blockJson(block, full);
      },
    }),
    method({
      method: `eth_getHeaderBy${by}`,
      params: [param],
      result: 'header or null',
      doc: 'A block header.',
      run: ({ ctx }, id) => {
        const block = blockOf(ctx.chain, id);
        return block === undefined ? null : headerJson(block.header, block.hash);
      },
    }),
    method({
      method: `eth_getBlockTransactionCountBy${by}`,
      params: [param],
      result: 'quantity or null',
      doc: 'How many Ethereum transactions a block has.',
      run: ({ ctx }, id) => {
        const block = blockOf(ctx.chain, id);
        return block === undefined ? null : quantity(block.transactions.length);
      },
    }),
    method({
      method: `eth_getTransactionByBlock${by}AndIndex`,
      params: [param, INDEX],
      result: 'transaction or null',
      doc: 'A transaction by its place in a block.',
      run: ({ ctx }, id, index) => {
        const block = blockOf(ctx.chain, id);
        const fits = block !== undefined && index < BigInt(block.transactions.length);
        return fits ? minedTxJson(block, Number(index)) : null;
      },
    }),
    method({
      method: `eth_getUncleCountByBlock${by}`,
      params: [param],
      result: 'quantity or null',
      doc: 'Always zero: there are no uncles.',
      run: ({ ctx }, id) => (blockOf(ctx.chain, id) === undefined ? null : '0x0'),
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
    run: ({ ctx }) => quantity(ctx.chain.latest().height),
  }),
  ...pair('Number', BLOCK_NUMBER),
  ...pair('Hash', BLOCK_HASH),
  method({
    method: 'eth_getBlockReceipts',
    params: [BLOCK_REQUIRED],
    result: 'receipt[] or null',
    doc: 'All receipts of a block.',
    run: ({ ctx }, id) => {
      const block = blockOf(ctx.chain, id);
      return block === undefined ? null : block.transactions.map((_, i) => receiptJson(block, i));
    },
  }),
];
