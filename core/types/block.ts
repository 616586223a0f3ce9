import type { Bytes } from '../lib/bytes.ts';
import { EMPTY, equalBytes } from '../lib/bytes.ts';
import type { Evidence } from './evidence.ts';
import type { Address, Hash, Height, Round, Timestamp } from './ids.ts';

export interface PartSetHeader {
  readonly total: number;
  readonly hash: Hash;
}

/** Identifies a block: header hash and part set. All empty ("zero") in nil votes and before the first block. */
export interface BlockId {
  readonly hash: Hash;
  readonly parts: PartSetHeader;
}

export const ZERO_BLOCK_ID: BlockId = { hash: EMPTY, parts: { total: 0, hash: EMPTY } };

export const isZeroBlockId = (id: BlockId): boolean =>
  id.hash.length === 0 && id.parts.total === 0 && id.parts.hash.length === 0;

export const isCompleteBlockId = (id: BlockId): boolean =>
  id.hash.length === 32 && id.parts.total > 0 && id.parts.hash.length === 32;

export const equalPartSetHeader = (a: PartSetHeader, b: PartSetHeader): boolean =>
  a.total === b.total && equalBytes(a.hash, b.hash);

export const equalBlockId = (a: BlockId, b: BlockId): boolean =>
  a === b || (equalBytes(a.hash, b.hash) && equalPartSetHeader(a.parts, b.parts));

export interface Header {
  /** Block protocol 11; `app` is a uint64 set by consensus params. */
  readonly version: { readonly block: number; readonly app: number };
  readonly chainId: string;
  readonly height: Height;
  readonly time: Timestamp;
  readonly lastBlockId: BlockId;
  readonly lastCommitHash: Hash;
  readonly dataHash: Hash;
  readonly validatorsHash: Hash;
  readonly nextValidatorsHash: Hash;
  readonly consensusHash: Hash;
  /** Result of the previous height; opaque length. */
  readonly appHash: Bytes;
  readonly lastResultsHash: Hash;
  readonly evidenceHash: Hash;
  readonly proposerAddress: Address;
}

export type BlockIdFlag = 'absent' | 'commit' | 'nil';

export interface CommitSig {
  readonly flag: BlockIdFlag;
  /** Empty when absent. */
  readonly validatorAddress: Address;
  /** ZERO_TIME when absent. */
  readonly timestamp: Timestamp;
  /** Empty when absent. */
  readonly signature: Bytes;
}

export interface Commit {
  readonly height: Height;
  readonly round: Round;
  readonly blockId: BlockId;
  /** One entry per validator, in validator-set order. */
  readonly signatures: readonly CommitSig[];
}

/** LastCommit of the initial block: present and empty. */
export const EMPTY_COMMIT: Commit = { height: 0, round: 0, blockId: ZERO_BLOCK_ID, signatures: [] };

export interface Block {
  readonly header: Header;
  readonly txs: readonly Bytes[];
  readonly evidence: readonly Evidence[];
  readonly lastCommit: Commit;
}

/** Merkle proof as in RFC 6962; `aunts` run from the leaf's sibling up to the root's child. */
export interface Proof {
  readonly total: number;
  readonly index: number;
  readonly leafHash: Hash;
  readonly aunts: readonly Hash[];
}

export interface Part {
  readonly index: number;
  readonly bytes: Bytes;
  readonly proof: Proof;
}

/** What the block store keeps in addition to the parts. */
export interface BlockMeta {
  readonly blockId: BlockId;
  /** Encoded size of the block in bytes. */
  readonly blockSize: number;
  readonly header: Header;
  readonly numTxs: number;
}
