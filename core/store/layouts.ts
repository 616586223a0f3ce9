/** Encodings of our own small records. Blocks, commits, sets, params and results have their protobuf encodings. */
import { type Bytes, EMPTY, equalBytes } from '../lib/bytes.ts';
import type { Hash, Height } from '../types/ids.ts';
import type { ValidatorSet } from '../types/validator.ts';
import { putHeight, readHeight } from './keys.ts';
import type { Roots } from './roots.ts';

/** Location of a tx. `ethIndex` is its index among the block's Ethereum transactions; undefined for other kinds. */
export interface StoredLocation {
  readonly height: Height;
  readonly index: number;
  readonly ethIndex: number | undefined;
}

/** Identifies the newest height. It is the last record in every batch. */
export interface HeadPointer {
  readonly height: Height;
  /** Consensus block hash; empty for the genesis state. */
  readonly blockHash: Hash;
}

const NO_INDEX = 0xffffffff;

function putUint32(out: Bytes, at: number, value: number): void {
  for (let i = 0; i < 4; i++) out[at + i] = (value >>> (8 * (3 - i))) & 255;
}

function readUint32(bytes: Bytes, at: number): number {
  let value = 0;
  for (let i = 0; i < 4; i++) value = value * 256 + (bytes[at + i] as number);
  return value;
}

export function encodeHeight(height: Height): Bytes {
  const out = new Uint8Array(8);
  putHeight(out, 0, height);
  return out;
}

export const decodeHeight = (bytes: Bytes): Height | undefined =>
  bytes.length === 8 ? readHeight(bytes, 0) : undefined;

export function encodeLocation(location: StoredLocation): Bytes {
  const out = new Uint8Array(16);
  putHeight(out, 0, location.height);
  putUint32(out, 8, location.index);
  putUint32(out, 12, location.ethIndex ?? NO_INDEX);
  return out;
}

export function decodeLocation(bytes: Bytes): StoredLocation | undefined {
  if (bytes.length !== 16) return undefined;
  const ethIndex = readUint32(bytes, 12);
  return {
    height: readHeight(bytes, 0),
    index: readUint32(bytes, 8),
    ethIndex: ethIndex === NO_INDEX ? undefined : ethIndex,
  };
}

export function encodeHead(head: HeadPointer): Bytes {
  const out = new Uint8Array(8 + head.blockHash.length);
  putHeight(out, 0, head.height);
  out.set(head.blockHash, 8);
  return out;
}

export function decodeHead(bytes: Bytes): HeadPointer | undefined {
  if (bytes.length !== 8 && bytes.length !== 40) return undefined;
  return { height: readHeight(bytes, 0), blockHash: bytes.length === 8 ? EMPTY : bytes.slice(8) };
}

export function encodeRoots(roots: Roots): Bytes {
  const out = new Uint8Array(64);
  out.set(roots.stateRoot, 0);
  out.set(roots.modulesRoot, 32);
  return out;
}

export const decodeRoots = (bytes: Bytes): Roots | undefined =>
  bytes.length === 64 ? { stateRoot: bytes.slice(0, 32), modulesRoot: bytes.slice(32) } : undefined;

/** A set with the members and powers of the full set at `like`. Only the priorities differ. */
export interface SetPointer {
  readonly like: Height;
  readonly proposer: number;
  readonly priorities: readonly bigint[];
}

export const isSameMembers = (a: ValidatorSet, b: ValidatorSet): boolean =>
  a.validators.length === b.validators.length &&
  a.validators.every((one, i) => {
    const other = b.validators[i];
    return (
      other !== undefined &&
      one.power === other.power &&
      one.pubKey.type === other.pubKey.type &&
      equalBytes(one.pubKey.bytes, other.pubKey.bytes) &&
      equalBytes(one.address, other.address)
    );
  });

export const pointerOf = (like: Height, set: ValidatorSet): SetPointer => ({
  like,
  proposer: set.validators.findIndex((one) => equalBytes(one.address, set.proposer.address)),
  priorities: set.validators.map((one) => one.priority),
});

export function encodeSetPointer({ like, proposer, priorities }: SetPointer): Bytes {
  const out = new Uint8Array(12 + 8 * priorities.length);
  const view = new DataView(out.buffer);
  putHeight(out, 0, like);
  putUint32(out, 8, proposer);
  for (const [i, priority] of priorities.entries()) view.setBigInt64(12 + 8 * i, priority);
  return out;
}

export function decodeSetPointer(bytes: Bytes): SetPointer | undefined {
  if (bytes.length < 12 || (bytes.length - 12) % 8 !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const priorities: bigint[] = [];
  for (let at = 12; at < bytes.length; at += 8) priorities.push(view.getBigInt64(at));
  return { like: readHeight(bytes, 0), proposer: readUint32(bytes, 8), priorities };
}

/** The set that a pointer stands for; undefined if the pointer does not fit the full set. */
export function setOfPointer(full: ValidatorSet, pointer: SetPointer): ValidatorSet | undefined {
  if (full.validators.length !== pointer.priorities.length) return undefined;
  const validators = full.validators.map((one, i) => ({ ...one, priority: pointer.priorities[i] as bigint }));
  const proposer = validators[pointer.proposer];
  return proposer === undefined ? undefined : { validators, totalPower: full.totalPower, proposer };
}
