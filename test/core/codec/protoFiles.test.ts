import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { SIMPLE_VALIDATOR } from '../../../core/codec/hashes.ts';
import type { OneOf } from '../../../core/codec/oneOf.ts';
import { HASHED_PARAMS } from '../../../core/codec/params.ts';
import {
  type AnyField,
  encode,
  type MappedShape,
  type Shape,
  type Table,
} from '../../../core/codec/proto.ts';
import { canonicalVoteBytes, proposalSignBytes } from '../../../core/codec/signBytes.ts';
import { BitSet } from '../../../core/lib/bitset.ts';
import { isZeroBlockId } from '../../../core/types/block.ts';
import type { PublicKey } from '../../../core/types/validator.ts';
import * as any from './arbitraries.ts';
import { FROM_PEERS, type Row, STRICT } from './shapes.ts';
import type { Any } from './vectors.ts';

const folder = new URL('../../../proto/', import.meta.url);
const root = new protobuf.Root();
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  // The API's own files are held to the tables that serve it.
  if (name.endsWith('all.proto')) continue;
  if (!name.replaceAll('\\', '/').startsWith('tendermint/') || !name.endsWith('.proto')) continue;
  protobuf.parse(readFileSync(new URL(name.replaceAll('\\', '/'), folder), 'utf8'), root, { keepCase: true });
}
for (const name of ['timestamp', 'duration']) {
  const common = protobuf.common.get(`google/protobuf/${name}.proto`);
  if (common?.nested) root.addJSON(common.nested);
}
root.resolveAll();

const SCALARS: Record<string, string> = { int64Big: 'int64', uint64Big: 'uint64' };
/** Left out of our tables on purpose; peers may send them. */
const STEPPED_OVER = ['tendermint.blocksync.BlockResponse.ext_commit'];

const isTable = (shape: Shape<Any>): shape is Table<Any> => 'fields' in shape;
const isOneOf = (shape: Shape<Any>): shape is OneOf<Any> => 'cases' in shape;
const isMapped = (shape: Shape<Any>): shape is MappedShape<Any, Any> => 'wire' in shape;

const seen = new Set<string>();

function expectSameField(type: protobuf.Type, field: AnyField): void {
  const path = `${type.fullName}.${field.name}`;
  const declared = type.fields[field.name];
  expect(declared?.id, path).toBe(field.number);
  expect(declared?.repeated, path).toBe(field.presence === 'repeated');
  if (field.kind === 'message') {
    expectSame(declared?.resolvedType as protobuf.Type, field.shape as Shape<Any>);
  } else if (field.kind === 'enum') {
    const values = (declared?.resolvedType as protobuf.Enum | undefined)?.values ?? {};
    for (const [number, name] of field.names.entries()) {
      if (name === undefined) continue;
      const [declaredName] = Object.entries(values).find(([, value]) => value === number) ?? [];
      expect(declaredName?.endsWith(`_${name.toUpperCase()}`), `${path} = ${number}`).toBe(true);
    }
  } else {
    expect(declared?.type, path).toBe(SCALARS[field.kind] ?? field.kind);
  }
}

function expectSame(type: protobuf.Type, shape: Shape<Any>): void {
  if (isMapped(shape)) return expectSame(type, shape.wire);
  expect(type.name).toBe(shape.name);
  seen.add(type.fullName);
  if (isTable(shape)) {
    for (const field of shape.fields) expectSameField(type, field);
    const missing = type.fieldsArray.filter((one) => !shape.fields.some((field) => field.name === one.name));
    const paths = missing.map((one) => `${type.fullName}.${one.name}`.slice(1));
    expect(paths.filter((path) => !STEPPED_OVER.includes(path))).toEqual([]);
  } else if (isOneOf(shape)) {
    expect(type.oneofsArray).toHaveLength(1);
    expect(type.fieldsArray.map((field) => field.id)).toEqual(shape.cases.map(([number]) => number));
    for (const [number, , content] of shape.cases) {
      expectSame(type.fieldsById[number]?.resolvedType as protobuf.Type, content);
    }
  } else {
    // PublicKey and BitArray are written by hand; that their bytes agree is tested below.
    expect(['PublicKey', 'BitArray']).toContain(shape.name);
  }
}

const isDefault = (value: Any): boolean =>
  value === 0 ||
  value === 0n ||
  value === false ||
  value === '' ||
  (value instanceof Uint8Array && value.length === 0);

/** The value as protobufjs wants it; what proto3 does not write is left out. */
function plain(shape: Shape<Any>, value: Any): Record<string, Any> {
  if (isMapped(shape)) return plain(shape.wire, shape.toWire(value));
  if (shape.name === 'PublicKey') return { [(value as PublicKey).type]: value.bytes };
  if (value instanceof BitSet) {
    const words = value.words();
    const elems = Array.from({ length: Math.ceil(value.size / 64) }, (_, i) =>
      String(BigInt(words[2 * i] ?? 0) | (BigInt(words[2 * i + 1] ?? 0) << 32n)),
    );
    return value.size === 0 ? {} : { bits: value.size, elems };
  }
  const out: Record<string, Any> = {};
  if (isOneOf(shape)) {
    const [, kind, content] = shape.cases.find((one) => one[1] === value.kind) as OneOf<Any>['cases'][number];
    const snake = kind.replace(/[A-Z-]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('_-', '_');
    const name = /^(Packet|Pex)/.test(content.name)
      ? content.name.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
      : shape.name === 'Evidence'
        ? `${snake}_evidence`
        : snake;
    out[name] = plain(content, value);
    return out;
  }
  for (const field of (shape as Table<Any>).fields) {
    const given = value[field.key];
    if (given === undefined || (field.presence === 'implicit' && isDefault(given))) continue;
    const one = (item: Any): Any => {
      if (field.kind === 'message') return plain(field.shape as Shape<Any>, item);
      if (field.kind === 'enum') return field.names.indexOf(item);
      return field.kind.includes('64') ? String(item) : item;
    };
    out[field.name] = field.presence === 'repeated' ? given.map(one) : one(given);
  }
  return out;
}

const reference = (typeName: string, object: Record<string, Any>): Uint8Array => {
  const type = root.lookupType(typeName);
  return new Uint8Array(type.encode(type.fromObject(object)).finish());
};

const ROWS: readonly Row[] = [...STRICT, ...FROM_PEERS];

describe.each(ROWS)('%s', (protoName, shape, values) => {
  test('has the fields of its .proto file', () => {
    expectSame(root.lookupType(protoName), shape);
  });

  test('is encoded as protobufjs encodes it by that file', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(encode(shape, value)).toEqual(reference(protoName, plain(shape, value)));
      }),
      { numRuns: 40 },
    );
  });
});

test('every message of the files has a table, is written by hand or is stepped over', () => {
  expectSame(root.lookupType('tendermint.types.SimpleValidator'), SIMPLE_VALIDATOR);
  expectSame(root.lookupType('tendermint.types.HashedParams'), HASHED_PARAMS);
  const byHand = ['CanonicalPartSetHeader', 'CanonicalBlockID', 'CanonicalVote', 'CanonicalProposal'];
  const known = new Set([...byHand, 'CanonicalVoteExtension', 'ExtendedCommit', 'ExtendedCommitSig']);
  const unseen: string[] = [];
  const visit = (space: protobuf.NamespaceBase): void => {
    for (const item of space.nestedArray) {
      if (item instanceof protobuf.Type && !seen.has(item.fullName) && !known.has(item.name))
        unseen.push(item.fullName);
      if (item instanceof protobuf.Namespace) visit(item);
    }
  };
  visit(root.lookup('tendermint') as protobuf.Namespace);
  expect(unseen).toEqual([]);
});

describe('sign bytes are the canonical messages of their .proto file, with their length', () => {
  const delimited = (typeName: string, object: Record<string, Any>): Uint8Array => {
    const type = root.lookupType(typeName);
    return new Uint8Array(type.encodeDelimited(type.fromObject(object)).finish());
  };
  const set = (object: Record<string, Any>): Record<string, Any> =>
    Object.fromEntries(
      Object.entries(object).filter(([, value]) => value !== undefined && !isDefault(value)),
    );
  const canonicalId = (id: Any): Any =>
    isZeroBlockId(id) ? undefined : { ...set({ hash: id.hash }), part_set_header: set(id.parts) };
  const height = fc.maxSafeNat();
  const round = fc.nat(2 ** 31 - 1);

  test('of votes', () => {
    const type = fc.constantFrom(0 as const, 1 as const, 2 as const);
    const content = {
      chainId: fc.string(),
      type,
      height,
      round,
      blockId: any.blockId,
      timestamp: any.timestamp,
    };
    fc.assert(
      fc.property(fc.record(content), (vote) => {
        const object = set({
          type: vote.type,
          height: vote.height,
          round: vote.round,
          block_id: canonicalId(vote.blockId),
          timestamp: set(vote.timestamp),
          chain_id: vote.chainId,
        });
        expect(canonicalVoteBytes(vote)).toEqual(delimited('tendermint.types.CanonicalVote', object));
      }),
    );
  });

  test('of proposals', () => {
    const polRound = fc.integer({ min: -1, max: 5 });
    const content = { height, round, polRound, blockId: any.completeBlockId, timestamp: any.timestamp };
    fc.assert(
      fc.property(fc.string(), fc.record(content), (chainId, proposal) => {
        const object = set({
          type: 32,
          height: proposal.height,
          round: proposal.round,
          pol_round: proposal.polRound,
          block_id: canonicalId(proposal.blockId),
          timestamp: set(proposal.timestamp),
          chain_id: chainId,
        });
        expect(proposalSignBytes(chainId, proposal)).toEqual(
          delimited('tendermint.types.CanonicalProposal', object),
        );
      }),
    );
  });
});
