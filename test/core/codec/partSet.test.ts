import { describe, expect, test } from 'vitest';
import { PartSet } from '../../../core/codec/partSet.ts';
import { sha256 } from '../../../core/crypto/hash.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import type { Part } from '../../../core/types/block.ts';
import { vectors } from './vectors.ts';

const file = vectors('cometbft/part-set.json');
const data = new Uint8Array(file.data_length).map((_, i) => 7 * i + 13 * Math.floor(i / 65536) + 3);
const set = PartSet.of(data);
const part = (index: number): Part => set.part(index) as Part;
const code = (given: PartSet, one: Part): string => {
  const added = given.add(one);
  return added.ok ? String(added.value) : added.error.code;
};

describe('a part set', () => {
  test('has the recorded root, parts and proofs', () => {
    expect(toHex(sha256(data))).toBe(file.data_sha256);
    expect(set.header.total).toBe(file.total);
    expect(toHex(set.header.hash)).toBe(file.hash);
    expect(set.parts().map((one) => one.bytes.length)).toEqual(file.part_lengths);
    const proofs = set.parts().map(({ proof }) => ({
      total: proof.total,
      index: proof.index,
      leaf_hash: toHex(proof.leafHash),
      aunts: proof.aunts.map(toHex),
    }));
    expect(proofs).toEqual(file.proofs);
    expect(set.bytes()).toEqual(data);
  });

  test('is rebuilt from its parts in any order, each once', () => {
    const copy = PartSet.empty(set.header);
    expect([2, 0, 0, 1, 2].map((index) => code(copy, part(index)))).toEqual([
      'true',
      'true',
      'false',
      'true',
      'false',
    ]);
    expect(copy.isComplete()).toBe(true);
    expect(copy.count).toBe(3);
    expect(copy.bits.toString()).toBe('xxx');
    expect(copy.bytes()).toEqual(data);
  });

  test('refuses a part whose proof is for another place', () => {
    const copy = PartSet.empty(set.header);
    // ASA-2025-002: bytes and proof of part 1 under the index of part 0.
    expect(code(copy, { ...part(1), index: 0 })).toBe('part-proof');
    expect(code(copy, { ...part(0), proof: { ...part(0).proof, total: 4 } })).toBe('part-proof');
    expect(
      code(copy, { ...part(0), proof: { ...part(0).proof, total: 2, aunts: part(2).proof.aunts } }),
    ).toBe('part-proof');
    expect(copy.count).toBe(0);
  });

  test('refuses parts out of range, of wrong size and with changed bytes', () => {
    const copy = PartSet.empty(set.header);
    for (const index of [3, -1, 0.5]) expect(code(copy, { ...part(0), index })).toBe('part-index');
    expect(code(copy, { ...part(0), bytes: part(0).bytes.subarray(1) })).toBe('part-size');
    expect(code(copy, { ...part(2), bytes: new Uint8Array(65537) })).toBe('part-size');
    const changed = part(2).bytes.slice();
    changed[0] = 255;
    expect(code(copy, { ...part(2), bytes: changed })).toBe('part-proof');
    expect(code(copy, { ...part(0), proof: { ...part(0).proof, aunts: part(0).proof.aunts.slice(1) } })).toBe(
      'part-proof',
    );
    expect(copy.bits.isEmpty()).toBe(true);
  });

  test('of one part is that part', () => {
    const small = PartSet.of(Uint8Array.of(1, 2, 3));
    expect(small.header.total).toBe(1);
    expect(small.bytes()).toEqual(Uint8Array.of(1, 2, 3));
    expect(PartSet.of(new Uint8Array(65536)).header.total).toBe(1);
    expect(PartSet.of(new Uint8Array(65537)).header.total).toBe(2);
  });

  test('cannot be made for more parts than a block may have', () => {
    for (const total of [0, 1602]) expect(() => PartSet.empty({ ...set.header, total })).toThrow('total');
    expect(() => PartSet.empty(set.header).bytes()).toThrow('incomplete');
  });
});
