import type { Bytes } from '../../lib/bytes.ts';
import type { EthBlock } from '../chain.ts';
import { ethBlockSize } from './blockCodec.ts';
import { headerHash, wholeHeader, ZERO_HASH } from './header.ts';
import { EMPTY_TRIE_ROOT } from './orderedTrie.ts';

/** The block before the first one: number `initialHeight - 1`, no parent, no proposer, with the genesis state. */
export function genesisEthBlock(
  genesis: {
    readonly number: number;
    readonly stateRoot: Bytes;
    readonly gasLimit: bigint;
    readonly timestamp: number;
    readonly baseFee: bigint;
  },
  keccak256: (message: Bytes) => Bytes,
): EthBlock {
  const header = wholeHeader({
    parentHash: ZERO_HASH,
    coinbase: new Uint8Array(20),
    stateRoot: genesis.stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    number: genesis.number,
    gasLimit: genesis.gasLimit,
    gasUsed: 0n,
    timestamp: genesis.timestamp,
    extraData: new Uint8Array(0),
    mixHash: ZERO_HASH,
    baseFeePerGas: genesis.baseFee,
  });
  return {
    hash: headerHash(header, keccak256),
    header,
    transactions: [],
    receipts: [],
    size: ethBlockSize(header, []),
  };
}
