import { type Bytes, hex } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { EthHeader } from '../chain.ts';
import { FieldReader } from './fieldReader.ts';
import { bigintToBytes } from './numbers.ts';
import { EMPTY_TRIE_ROOT } from './orderedTrie.ts';
import { encodeRlp, type RlpItem } from './rlp.ts';

/** keccak256(RLP([])). */
const EMPTY_UNCLES_HASH: Bytes = hex('1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347');
/** sha256 of the empty string: no EIP-7685 requests. */
const EMPTY_REQUESTS_HASH: Bytes = hex('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
export const ZERO_HASH: Bytes = new Uint8Array(32);

const ZERO_NONCE: Bytes = new Uint8Array(8);

/** The header fields that vary between this chain's blocks. */
export type OwnFields = Omit<
  EthHeader,
  | 'unclesHash'
  | 'difficulty'
  | 'nonce'
  | 'withdrawalsRoot'
  | 'blobGasUsed'
  | 'excessBlobGas'
  | 'parentBeaconBlockRoot'
  | 'requestsHash'
>;

/**
 * The header, with the fields that are the same in every block of this chain: no uncles, no proof of work, no
 * withdrawals, no blobs. It lists each field because a spread of this many takes longer than all hashes of a block.
 */
export const wholeHeader = (own: OwnFields): EthHeader => ({
  parentHash: own.parentHash,
  unclesHash: EMPTY_UNCLES_HASH,
  coinbase: own.coinbase,
  stateRoot: own.stateRoot,
  transactionsRoot: own.transactionsRoot,
  receiptsRoot: own.receiptsRoot,
  logsBloom: own.logsBloom,
  difficulty: 0n,
  number: own.number,
  gasLimit: own.gasLimit,
  gasUsed: own.gasUsed,
  timestamp: own.timestamp,
  extraData: own.extraData,
  mixHash: own.mixHash,
  nonce: ZERO_NONCE,
  baseFeePerGas: own.baseFeePerGas,
  withdrawalsRoot: EMPTY_TRIE_ROOT,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: ZERO_HASH,
  requestsHash: EMPTY_REQUESTS_HASH,
});

const FIELD_COUNT = 21;

// A header is immutable, and it is hashed, measured and stored: encode it once.
const encodings = new WeakMap<EthHeader, Bytes>();

/** RLP of the header. */
export function encodeHeader(header: EthHeader): Bytes {
  const known = encodings.get(header);
  if (known !== undefined) return known;
  const encoded = encodeRlp(headerFields(header));
  encodings.set(header, encoded);
  return encoded;
}

/** The header's fields in RLP order (Yellow Paper 4.3 with London, Shanghai, Cancun and Prague). */
export const headerFields = (h: EthHeader): readonly Bytes[] => [
  h.parentHash,
  h.unclesHash,
  h.coinbase,
  h.stateRoot,
  h.transactionsRoot,
  h.receiptsRoot,
  h.logsBloom,
  bigintToBytes(h.difficulty),
  bigintToBytes(BigInt(h.number)),
  bigintToBytes(h.gasLimit),
  bigintToBytes(h.gasUsed),
  bigintToBytes(BigInt(h.timestamp)),
  h.extraData,
  h.mixHash,
  h.nonce,
  bigintToBytes(h.baseFeePerGas),
  h.withdrawalsRoot,
  bigintToBytes(h.blobGasUsed),
  bigintToBytes(h.excessBlobGas),
  h.parentBeaconBlockRoot,
  h.requestsHash,
];

/** keccak256 of the RLP header: the block hash in all Ethereum APIs. */
export const headerHash = (header: EthHeader, keccak256: (message: Bytes) => Bytes): Bytes =>
  keccak256(encodeHeader(header));

/** Inverse of `headerFields`; the error is geth's. Numbers and times above MAX_SAFE_INTEGER are rounded. */
export function headerOfFields(items: readonly RlpItem[]): Result<EthHeader, string> {
  if (items.length !== FIELD_COUNT) return err(`header of ${items.length} fields`);
  const reader = new FieldReader(items, 'types.Header');
  const hash = (): Bytes => reader.fixed(32, 'common.Hash');
  // The reads must follow the order of the fields.
  const header: EthHeader = {
    parentHash: hash(),
    unclesHash: hash(),
    coinbase: reader.address(),
    stateRoot: hash(),
    transactionsRoot: hash(),
    receiptsRoot: hash(),
    logsBloom: reader.fixed(256, 'types.Bloom'),
    difficulty: reader.integer(32),
    number: Number(reader.integer(32)),
    gasLimit: reader.integer(8),
    gasUsed: reader.integer(8),
    timestamp: Number(reader.integer(8)),
    extraData: reader.bytes(),
    mixHash: hash(),
    nonce: reader.fixed(8, 'types.BlockNonce'),
    baseFeePerGas: reader.integer(32),
    withdrawalsRoot: hash(),
    blobGasUsed: reader.integer(8),
    excessBlobGas: reader.integer(8),
    parentBeaconBlockRoot: hash(),
    requestsHash: hash(),
  };
  return reader.failure === undefined ? ok(header) : err(`rlp: ${reader.failure}`);
}
