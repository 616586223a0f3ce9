/** The hashes in a header and the header's own, worked out again from CometBFT's specification without core/codec. */
import { sha256 } from '../../core/crypto/hash.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import type { BlockId, Commit, Header } from '../../core/types/block.ts';
import type { Timestamp } from '../../core/types/ids.ts';
import type { ConsensusParams } from '../../core/types/params.ts';
import type { TxResult } from '../../core/types/result.ts';
import type { Validator, ValidatorSet } from '../../core/types/validator.ts';
import { newest } from '../newest.ts';
import { protoFields } from './protoFields.ts';

const FLAGS = { absent: 1, commit: 2, nil: 3 } as const;
const KEYS = { ed25519: 1, secp256k1: 2 } as const;

/** Buffer for the bytes of one leaf or node of a tree, on their way into its hash. */
class Scratch {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** @param prefix tells leaves and nodes apart. */
  hash(prefix: number | undefined, write: (scratch: Scratch) => void): Bytes {
    this.#length = 0;
    if (prefix !== undefined) this.#byte(prefix);
    write(this);
    return sha256(this.#bytes.subarray(0, this.#length));
  }

  raw(value: Bytes): this {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  number(field: number, value: number | bigint): this {
    return value === 0 || value === 0n ? this : this.#byte(field << 3).#varint(value);
  }

  bytes(field: number, value: Bytes): this {
    if (value.length === 0) return this;
    return this.#byte((field << 3) | 2)
      .#varint(value.length)
      .raw(value);
  }

  /** An embedded message, which is written even when it is empty. */
  inner(field: number, write: (scratch: Scratch) => void): this {
    this.#byte((field << 3) | 2);
    const start = this.#length;
    write(this);
    const content = this.#bytes.slice(start, this.#length);
    this.#length = start;
    return this.#varint(content.length).raw(content);
  }

  time({ seconds, nanos }: Timestamp): this {
    return this.number(1, seconds).number(2, nanos);
  }

  #varint(value: number | bigint): this {
    if (value >= 0 && value < 128) return this.#byte(Number(value));
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) this.#byte(Number(rest & 127n) | 128);
    return this.#byte(Number(rest));
  }

  #byte(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const wider = new Uint8Array(2 * (this.#length + count));
    wider.set(this.#bytes);
    this.#bytes = wider;
  }
}

type Leaf = (scratch: Scratch) => void;

const scratch = new Scratch();

const leafOf =
  (value: Bytes): Leaf =>
  (into) =>
    into.raw(value);

/** RFC 6962: the left subtree is the largest perfect one. */
const rootOf = (leaves: readonly Leaf[]): Bytes =>
  leaves.length === 0
    ? scratch.hash(undefined, () => {})
    : nodeOf(
        leaves.map((leaf) => scratch.hash(0, leaf)),
        0,
        leaves.length,
      );

function nodeOf(hashes: readonly Bytes[], from: number, to: number): Bytes {
  if (to - from === 1) return hashes[from] as Bytes;
  let left = 1;
  while (2 * left < to - from) left *= 2;
  const [a, b] = [nodeOf(hashes, from, from + left), nodeOf(hashes, from + left, to)];
  return scratch.hash(1, (node) => node.raw(a).raw(b));
}

export const hashOfHeader = (header: Header): Bytes =>
  rootOf([
    (leaf) => leaf.number(1, header.version.block).number(2, header.version.app),
    (leaf) => leaf.bytes(1, encodeUtf8(header.chainId)),
    (leaf) => leaf.number(1, header.height),
    (leaf) => leaf.time(header.time),
    (leaf) => blockId(leaf, header.lastBlockId),
    ...[
      header.lastCommitHash,
      header.dataHash,
      header.validatorsHash,
      header.nextValidatorsHash,
      header.consensusHash,
      header.appHash,
      header.lastResultsHash,
      header.evidenceHash,
      header.proposerAddress,
    ].map((value) => (leaf: Scratch) => leaf.bytes(1, value)),
  ]);

const blockId = (into: Scratch, { hash, parts }: BlockId): Scratch =>
  into.bytes(1, hash).inner(2, () => into.number(1, parts.total).bytes(2, parts.hash));

export const hashOfTxs = (txs: readonly Bytes[]): Bytes => rootOf(txs.map((tx) => leafOf(sha256(tx))));

/** @param list as encoded in a block: each piece is a field that tells its kind, inside a field of the list. */
export const hashOfEvidence = (list: Bytes): Bytes =>
  rootOf(
    (protoFields(list) ?? [])
      .flatMap((one) => protoFields(one.bytes) ?? [])
      .map(({ bytes: piece }) => leafOf(piece)),
  );

export const hashOfCommit = ({ signatures }: Commit): Bytes =>
  rootOf(
    signatures.map(
      ({ flag, validatorAddress, timestamp, signature }) =>
        (leaf) =>
          leaf
            .number(1, FLAGS[flag])
            .bytes(2, validatorAddress)
            .inner(3, () => leaf.time(timestamp))
            .bytes(4, signature),
    ),
  );

/** The fields of a result that last_results_hash covers. */
export type HashedResult = Pick<TxResult, 'code' | 'data' | 'gasWanted' | 'gasUsed'>;

export const hashOfResults = (results: readonly HashedResult[]): Bytes =>
  rootOf(
    results.map(
      ({ code, data, gasWanted, gasUsed }) =>
        (leaf) =>
          leaf.number(1, code).bytes(2, data).number(5, gasWanted).number(6, gasUsed),
    ),
  );

export const hashOfValidators = ({ validators }: ValidatorSet): Bytes =>
  rootOfPowers(validators.map(({ pubKey, power }) => ({ pubKey, power })));

/** Cached, because they are usually the same from one block to the next. */
const rootOfPowers = newest((powers: readonly Pick<Validator, 'pubKey' | 'power'>[]) =>
  rootOf(
    powers.map(
      ({ pubKey, power }) =>
        (leaf) =>
          leaf.inner(1, () => leaf.bytes(KEYS[pubKey.type], pubKey.bytes)).number(2, power),
    ),
  ),
);

export const hashOfParams = ({ block }: ConsensusParams): Bytes =>
  scratch.hash(undefined, (into) => into.number(1, block.maxBytes).number(2, block.maxGas));
