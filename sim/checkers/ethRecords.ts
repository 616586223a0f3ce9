import type { ChainReader, EthBlock, EthReceipt } from '../../core/app/chain.ts';
import { orderedTrieRoot } from '../../core/app/evm/orderedTrie.ts';
import { encodeReceipt } from '../../core/app/evm/receipt.ts';
import { type Bytes, equalBytes, to0xHex } from '../../core/lib/bytes.ts';
import { receiptJson } from '../../core/rpc/eth/render.ts';
import { StorageFault } from '../../core/store/fault.ts';
import type { Checker, CheckerContext } from './checker.ts';

/**
 * REC: every correct node stores the same Ethereum block, receipts and logs for a height, and they are what the header
 * says: roots, bloom, gas, order of logs; the state under the header's root is there.
 */
export function ethRecords(context: CheckerContext): Checker {
  const name = 'records';
  const known = new Map<number, string>();
  const check = (who: string, chain: ChainReader): void => {
    for (let height = chain.base(); height <= chain.head(); height++) {
      const block = chain.ethBlock(height);
      const problem = block === undefined ? 'is missing' : problemOf(context, chain, block);
      if (problem !== undefined) context.fail(name, `block ${height} of ${who} ${problem}`);
      if (block === undefined) continue;
      const text = textOf(block);
      const other = known.get(height) ?? text;
      known.set(height, other);
      if (other !== text) context.fail(name, `block ${height} of ${who} has other receipts than elsewhere`);
    }
  };
  return {
    name,
    finish() {
      for (const node of context.correct) {
        const chain = node.node?.rpc?.chain;
        if (chain === undefined || node.state === 'halted') continue;
        try {
          check(node.name, chain);
        } catch (error) {
          if (!(error instanceof StorageFault) || !node.disk.isDamaged) throw error;
        }
      }
    },
  };
}

const textOf = (block: EthBlock): string =>
  JSON.stringify([
    to0xHex(block.hash),
    to0xHex(block.header.stateRoot),
    block.receipts.map((_, i) => receiptJson(block, i)),
  ]);

function problemOf(context: CheckerContext, chain: ChainReader, block: EthBlock): string | undefined {
  const { header, transactions, receipts } = block;
  const keccak = (message: Bytes): Bytes => context.suite.keccak256(message);
  if (receipts.length !== transactions.length) return 'has not one receipt a transaction';
  const root = orderedTrieRoot(receipts.map(encodeReceipt), keccak);
  if (!equalBytes(root, header.receiptsRoot)) return 'has a wrong receiptsRoot';
  if (!equalBytes(bloomOf(receipts, keccak), header.logsBloom)) return 'has a wrong bloom';
  if (header.gasUsed !== (receipts.at(-1)?.cumulativeGasUsed ?? 0n)) return 'has a wrong gasUsed';
  const parent = header.number === 0 ? undefined : chain.ethBlock(header.number - 1);
  if (parent !== undefined && !equalBytes(parent.hash, header.parentHash)) return 'has a wrong parentHash';
  const view = chain.view(header.number);
  if (view !== undefined && !equalBytes(view.stateRoot, header.stateRoot)) return 'has a wrong stateRoot';
  return receiptProblem(receipts);
}

function receiptProblem(receipts: readonly EthReceipt[]): string | undefined {
  let gas = 0n;
  let logs = 0;
  for (const receipt of receipts) {
    gas += receipt.gasUsed;
    if (receipt.cumulativeGasUsed !== gas) return 'has a wrong cumulativeGasUsed';
    if (receipt.status === 0 && receipt.logs.length > 0) return 'keeps logs of a failed transaction';
    for (const { logIndex } of receipt.logs) if (logIndex !== logs++) return 'counts its logs wrongly';
  }
  return undefined;
}

/** The yellow paper's M3:2048 a second time, by its own arithmetic. */
function bloomOf(receipts: readonly EthReceipt[], keccak: (message: Bytes) => Bytes): Bytes {
  const bloom = new Uint8Array(256);
  for (const { logs } of receipts) {
    for (const item of logs.flatMap((log) => [log.address, ...log.topics])) {
      const hash = keccak(item);
      for (const i of [0, 2, 4]) {
        const bit = (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) & 0x7ff;
        const at = 255 - (bit >>> 3);
        bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
      }
    }
  }
  return bloom;
}
