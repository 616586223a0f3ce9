import { merkleProofs, verifyProof } from '../crypto/merkle.ts';
import { assert } from '../lib/assert.ts';
import { BitSet } from '../lib/bitset.ts';
import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Part, PartSetHeader } from '../types/block.ts';
import type { PartsReader } from '../types/roundState.ts';
import { BLOCK_PARTS_MAX, PART_BYTES } from './limits.ts';

export type PartError =
  | { readonly code: 'part-index'; readonly message: string; readonly index: number; readonly total: number }
  | { readonly code: 'part-proof'; readonly message: string; readonly index: number }
  | {
      readonly code: 'part-size';
      readonly message: string;
      readonly size: number;
      readonly expected: number;
    };

/** An encoded block in parts of 64 KiB. Each is provable against the part set header that validators vote on. */
export class PartSet implements PartsReader {
  readonly header: PartSetHeader;
  readonly #bits: BitSet;
  readonly #parts: (Part | undefined)[];
  #count = 0;

  private constructor(header: PartSetHeader) {
    assert(header.total > 0 && header.total <= BLOCK_PARTS_MAX, 'part total out of bounds');
    this.header = header;
    this.#bits = new BitSet(header.total);
    this.#parts = new Array(header.total).fill(undefined);
  }

  /** An empty set for the parts of a header. The caller has limited its total (`BLOCK_PARTS_MAX` or less). */
  static empty(header: PartSetHeader): PartSet {
    return new PartSet(header);
  }

  /** Cuts an encoded block into parts. */
  static of(blockBytes: Bytes): PartSet {
    assert(blockBytes.length > 0, 'a block of no bytes');
    const pieces: Bytes[] = [];
    for (let start = 0; start < blockBytes.length; start += PART_BYTES) {
      pieces.push(blockBytes.subarray(start, start + PART_BYTES));
    }
    const { root, proofs } = merkleProofs(pieces);
    const set = new PartSet({ total: pieces.length, hash: root });
    for (const [index, bytes] of pieces.entries()) {
      const proof = proofs[index];
      assert(proof !== undefined, 'piece without proof');
      set.#put({ index, bytes, proof });
    }
    return set;
  }

  get bits(): BitSet {
    return this.#bits;
  }

  get count(): number {
    return this.#count;
  }

  part(index: number): Part | undefined {
    return this.#parts[index];
  }

  isComplete(): boolean {
    return this.#count === this.header.total;
  }

  #put(part: Part): void {
    this.#parts[part.index] = part;
    this.#bits.add(part.index);
    this.#count++;
  }

  /** True if the part was added, false if it was already there; an error if it does not belong here. */
  add(part: Part): Result<boolean, PartError> {
    const { index, bytes, proof } = part;
    const { total, hash } = this.header;
    if (!Number.isInteger(index) || index < 0 || index >= total) {
      return err({ code: 'part-index', index, total, message: `part ${index} of a set of ${total}` });
    }
    if (this.#bits.has(index)) return ok(false);
    // ASA-2025-002: a proof for another index or total can verify, but the set would never become the block.
    if (proof.index !== index || proof.total !== total) {
      const message = `part ${index} of ${total} with a proof for ${proof.index} of ${proof.total}`;
      return err({ code: 'part-proof', index, message });
    }
    const isLast = index === total - 1;
    if (bytes.length > PART_BYTES || (!isLast && bytes.length !== PART_BYTES)) {
      const message = `part ${index} of ${total} has ${bytes.length} bytes, expected ${PART_BYTES}`;
      return err({ code: 'part-size', size: bytes.length, expected: PART_BYTES, message });
    }
    if (!verifyProof(proof, hash, bytes)) {
      return err({ code: 'part-proof', index, message: `part ${index} does not lead to the root` });
    }
    this.#put(part);
    return ok(true);
  }

  /** All parts in order. */
  parts(): readonly Part[] {
    return this.#parts.filter((part) => part !== undefined);
  }

  /** The encoded block. Call only when the set is complete. */
  bytes(): Bytes {
    assert(this.isComplete(), 'bytes of an incomplete part set');
    const parts = this.parts();
    if (parts.length === 1) return (parts[0] as Part).bytes;
    const out = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
    for (const part of parts) out.set(part.bytes, part.index * PART_BYTES);
    return out;
  }
}
