import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../core/crypto/hash.ts';
import {
  innerHash,
  leafHash,
  merkleProofs,
  merkleRoot,
  rootOfProof,
  simpleMapLeaf,
  simpleMapProof,
  simpleMapRoot,
  splitPoint,
  verifyProof,
} from '../../../core/crypto/merkle.ts';
import { concat, hex, toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { type Any, cases, vectors } from '../codec/vectors.ts';

const file = vectors('cometbft/merkle.json');
const leaves = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 40 });

describe('the Merkle tree', () => {
  test.each(cases(file.roots, (one) => one.items.length))(
    'has the recorded root of %i items',
    (_n, one: Any) => {
      expect(toHex(merkleRoot(one.items.map(hex)))).toBe(one.root);
    },
  );

  test('prefixes leaves and inner nodes', () => {
    expect(toHex(leafHash(encodeUtf8('L123456')))).toBe(file.leaf_L123456);
    expect(toHex(sha256(concat(Uint8Array.of(1), encodeUtf8('N123'), encodeUtf8('N456'))))).toBe(
      file.inner_N123_N456,
    );
    const [left, right] = [leafHash(Uint8Array.of(1)), leafHash(Uint8Array.of(2))];
    expect(innerHash(left, right)).toEqual(sha256(concat(Uint8Array.of(1), left, right)));
  });

  test('splits at the largest power of two below the count', () => {
    for (const [count, split] of file.split_point) if (count > 1) expect(splitPoint(count)).toBe(split);
  });

  test.each(cases(file.proofs, (one) => one.items.length))(
    'has the recorded proofs of %i items',
    (_n, one: Any) => {
      const { root, proofs } = merkleProofs(one.items.map(hex));
      expect(toHex(root)).toBe(one.root);
      const rendered = proofs.map((proof) => ({
        total: proof.total,
        index: proof.index,
        leaf_hash: toHex(proof.leafHash),
        aunts: proof.aunts.map(toHex),
      }));
      expect(rendered).toEqual(one.proofs);
      for (const [i, proof] of proofs.entries())
        expect(verifyProof(proof, root, hex(one.items[i]))).toBe(true);
    },
  );

  test('proves every leaf and nothing else', () => {
    fc.assert(
      fc.property(leaves, fc.nat(), fc.nat(), (items, a, b) => {
        const { root, proofs } = merkleProofs(items);
        expect(root).toEqual(merkleRoot(items));
        const [i, j] = [a % items.length, b % items.length];
        const proof = proofs[i];
        if (proof === undefined) throw new Error('no proof');
        const leaf = items[i] as Uint8Array;
        expect(verifyProof(proof, root, leaf)).toBe(true);
        expect(verifyProof(proof, root, concat(leaf, Uint8Array.of(0)))).toBe(false);
        expect(verifyProof({ ...proof, aunts: [...proof.aunts, root] }, root, leaf)).toBe(false);
        if (proof.aunts.length > 0) {
          expect(verifyProof({ ...proof, aunts: proof.aunts.slice(1) }, root, leaf)).toBe(false);
          expect(verifyProof({ ...proof, aunts: [root, ...proof.aunts.slice(1)] }, root, leaf)).toBe(false);
        }
        if (toHex(items[j] as Uint8Array) !== toHex(leaf)) {
          expect(verifyProof(proof, root, items[j] as Uint8Array)).toBe(false);
        }
        expect(verifyProof({ ...proof, index: items.length }, root, leaf)).toBe(false);
        expect(verifyProof({ ...proof, index: -1 }, root, leaf)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test('refuses more aunts than the tree is high, totals below one and hashes that are not 32 bytes', () => {
    const hash = leafHash(Uint8Array.of(1));
    const proof = {
      total: Number.MAX_SAFE_INTEGER,
      index: 0,
      leafHash: hash,
      aunts: new Array(101).fill(hash),
    };
    expect(rootOfProof(proof)).toBeUndefined();
    expect(rootOfProof({ ...proof, aunts: [], total: 0 })).toBeUndefined();
    expect(rootOfProof({ total: 2, index: 0, leafHash: hash, aunts: [new Uint8Array(31)] })).toBeUndefined();
    expect(rootOfProof({ total: 1.5, index: 0, leafHash: hash, aunts: [hash] })).toBeUndefined();
  });
});

describe('the simple map', () => {
  const entries = [
    ['modules', Uint8Array.of(2)],
    ['ethereum', Uint8Array.of(1)],
  ] as const;

  test('sorts its names and hashes its values', () => {
    const leaf = concat(
      Uint8Array.of(8),
      encodeUtf8('ethereum'),
      Uint8Array.of(32),
      sha256(Uint8Array.of(1)),
    );
    expect(simpleMapLeaf('ethereum', Uint8Array.of(1))).toEqual(leaf);
    expect(simpleMapRoot(entries)).toEqual(merkleRoot([leaf, simpleMapLeaf('modules', Uint8Array.of(2))]));
    expect(simpleMapRoot([...entries].reverse())).toEqual(simpleMapRoot(entries));
  });

  test('proves an entry', () => {
    const proof = simpleMapProof(entries, 'modules');
    if (proof === undefined) throw new Error('no proof');
    expect(verifyProof(proof, simpleMapRoot(entries), simpleMapLeaf('modules', Uint8Array.of(2)))).toBe(true);
    expect(verifyProof(proof, simpleMapRoot(entries), simpleMapLeaf('modules', Uint8Array.of(3)))).toBe(
      false,
    );
    expect(simpleMapProof(entries, 'none')).toBeUndefined();
  });

  test('refuses a name given twice', () => {
    expect(() => simpleMapRoot([...entries, entries[0]])).toThrow('twice');
  });
});
