import type { Bytes } from '../../lib/bytes.ts';
import type { Hash } from '../../types/ids.ts';
import type { EthHeader, EthReceipt, EthTx } from '../chain.ts';
import { mergeBloom } from './bloom.ts';
import type { BlockEnv } from './engine.ts';
import { wholeHeader } from './header.ts';
import { orderedTrieRoot } from './orderedTrie.ts';
import { encodeReceipt } from './receipt.ts';

const NO_BLOOM = new Uint8Array(256);

/** What execution adds to the block's environment. */
export interface BlockOutcome {
  readonly parentHash: Hash;
  readonly stateRoot: Hash;
  readonly transactions: readonly EthTx[];
  readonly receipts: readonly EthReceipt[];
  readonly gasUsed: bigint;
  readonly extraData: Bytes;
}

/** The Ethereum header of an executed block (Yellow Paper 4.3). */
export function sealHeader(
  env: BlockEnv,
  outcome: BlockOutcome,
  keccak256: (message: Bytes) => Hash,
): EthHeader {
  const { parentHash, stateRoot, transactions, receipts, gasUsed, extraData } = outcome;
  const raws = transactions.map((tx) => tx.raw);
  return wholeHeader({
    parentHash,
    coinbase: env.coinbase,
    stateRoot,
    transactionsRoot: orderedTrieRoot(raws, keccak256),
    receiptsRoot: orderedTrieRoot(receipts.map(encodeReceipt), keccak256),
    logsBloom: bloomOf(receipts),
    number: env.number,
    gasLimit: env.gasLimit,
    gasUsed,
    timestamp: env.timestamp,
    extraData,
    mixHash: env.prevRandao,
    baseFeePerGas: env.baseFee,
  });
}

function bloomOf(receipts: readonly EthReceipt[]): Bytes {
  const logging = receipts.filter(({ logs }) => logs.length > 0);
  if (logging.length === 0) return NO_BLOOM;
  const bloom = new Uint8Array(256);
  for (const { logsBloom } of logging) mergeBloom(bloom, logsBloom);
  return bloom;
}
