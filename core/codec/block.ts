import type { Bytes } from '../lib/bytes.ts';
import { RecentBytes } from '../lib/recentBytes.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Block, BlockMeta, Commit, Header } from '../types/block.ts';
import { COMMIT } from './commit.ts';
import { EVIDENCE_LIST, type EvidenceListWire } from './evidence.ts';
import { embed, int64, repeatedBytes } from './fields.ts';
import { BLOCK_ID, HEADER } from './header.ts';
import { TX_BYTES_MAX, TXS_MAX } from './limits.ts';
import { decode, encode, mapped, table } from './proto.ts';
import type { CodecError } from './wire.ts';

interface DataWire {
  readonly txs: readonly Bytes[];
}
interface BlockWire {
  readonly header: Header;
  readonly data: DataWire;
  readonly evidence: EvidenceListWire;
  readonly lastCommit: Commit;
}

export const DATA = table<DataWire>('Data', [repeatedBytes(1, 'txs', TX_BYTES_MAX, TXS_MAX)]);

const BLOCK_WIRE = table<BlockWire>('Block', [
  embed(1, 'header', HEADER),
  embed(2, 'data', DATA),
  embed(3, 'evidence', EVIDENCE_LIST),
  embed(4, 'lastCommit', COMMIT),
]);

export const BLOCK = mapped(
  BLOCK_WIRE,
  ({ header, txs, evidence, lastCommit }: Block): BlockWire => ({
    header,
    data: { txs },
    evidence: { evidence },
    lastCommit,
  }),
  ({ header, data, evidence, lastCommit }): Result<Block, string> =>
    ok({ header, txs: data.txs, evidence: evidence.evidence, lastCommit }),
);

export const BLOCK_META = table<BlockMeta>('BlockMeta', [
  embed(1, 'blockId', BLOCK_ID),
  int64(2, 'blockSize'),
  embed(3, 'header', HEADER),
  int64(4, 'numTxs'),
]);

export const encodeBlock = (block: Block): Bytes => encode(BLOCK, block);

/** Sync, the store and RPC decode the same block again. A cached one keeps the hashes computed for its checks. */
const recent = new RecentBytes<Result<Block, CodecError>>(4);
const RECENT_BYTES_MAX = 65_536;

export function decodeBlock(from: Bytes): Result<Block, CodecError> {
  const known = recent.find(from);
  if (known !== undefined) return known;
  const decoded = decode(BLOCK, from);
  if (decoded.ok && from.length <= RECENT_BYTES_MAX) recent.add(from, decoded);
  return decoded;
}
export const decodeBlockMeta = (from: Bytes): Result<BlockMeta, CodecError> => decode(BLOCK_META, from);
