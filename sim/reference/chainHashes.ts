/** The hashes that stand in a header, and its own, a second time from CometBFT's specification: no line of core/codec is used. */
import { sha256 } from '../../core/crypto/hash.ts';
import { type Bytes, concat } from '../../core/lib/bytes.ts';
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

function varint(value: number | bigint): Bytes {
  if (value >= 0 && value < 128) return Uint8Array.of(Number(value));
  const digits: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) digits.push(Number(rest & 127n) | 128);
  return Uint8Array.of(...digits, Number(rest));
}

const NOTHING = new Uint8Array(0);

const number = (field: number, value: number | bigint): Bytes =>
  BigInt(value) === 0n ? NOTHING : concat(Uint8Array.of(field << 3), varint(value));

/** A message within a message, which is there even when it is empty. */
const inner = (field: number, ...parts: readonly Bytes[]): Bytes => {
  const content = concat(...parts);
  return concat(Uint8Array.of((field << 3) | 2), varint(content.length), content);
};

const bytes = (field: number, value: Bytes): Bytes => (value.length === 0 ? NOTHING : inner(field, value));

const time = ({ seconds, nanos }: Timestamp): Bytes => concat(number(1, seconds), number(2, nanos));

const blockId = ({ hash, parts }: BlockId): Bytes =>
  concat(bytes(1, hash), inner(2, number(1, parts.total), bytes(2, parts.hash)));

/** RFC 6962: the left half of a tree is the largest whole one. */
function rootOf(leaves: readonly Bytes[]): Bytes {
  const [first] = leaves;
  if (first === undefined) return sha256(NOTHING);
  if (leaves.length === 1) return sha256(concat(Uint8Array.of(0), first));
  let left = 1;
  while (2 * left < leaves.length) left *= 2;
  return sha256(concat(Uint8Array.of(1), rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left))));
}

export const hashOfHeader = (header: Header): Bytes =>
  rootOf([
    concat(number(1, header.version.block), number(2, header.version.app)),
    bytes(1, encodeUtf8(header.chainId)),
    number(1, header.height),
    time(header.time),
    blockId(header.lastBlockId),
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
    ].map((value) => bytes(1, value)),
  ]);

export const hashOfTxs = (txs: readonly Bytes[]): Bytes => rootOf(txs.map((tx) => sha256(tx)));

/** @param list As it stands in a block: each piece within a field that tells its kind, within one of the list. */
export const hashOfEvidence = (list: Bytes): Bytes =>
  rootOf(
    (protoFields(list) ?? []).flatMap((one) => protoFields(one.bytes) ?? []).map(({ bytes: piece }) => piece),
  );

export const hashOfCommit = ({ signatures }: Commit): Bytes =>
  rootOf(
    signatures.map(({ flag, validatorAddress, timestamp, signature }) =>
      concat(
        number(1, FLAGS[flag]),
        bytes(2, validatorAddress),
        inner(3, time(timestamp)),
        bytes(4, signature),
      ),
    ),
  );

/** What a header says of a result. */
export type HashedResult = Pick<TxResult, 'code' | 'data' | 'gasWanted' | 'gasUsed'>;

export const hashOfResults = (results: readonly HashedResult[]): Bytes =>
  rootOf(
    results.map(({ code, data, gasWanted, gasUsed }) =>
      concat(number(1, code), bytes(2, data), number(5, gasWanted), number(6, gasUsed)),
    ),
  );

export const hashOfValidators = ({ validators }: ValidatorSet): Bytes =>
  rootOfPowers(validators.map(({ pubKey, power }) => ({ pubKey, power })));

/** From one block to the next they are the same, as a rule. */
const rootOfPowers = newest((powers: readonly Pick<Validator, 'pubKey' | 'power'>[]) =>
  rootOf(
    powers.map(({ pubKey, power }) =>
      concat(inner(1, bytes(KEYS[pubKey.type], pubKey.bytes)), number(2, power)),
    ),
  ),
);

export const hashOfParams = ({ block }: ConsensusParams): Bytes =>
  sha256(concat(number(1, block.maxBytes), number(2, block.maxGas)));
