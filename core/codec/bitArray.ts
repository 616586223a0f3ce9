import { BitSet } from '../lib/bitset.ts';
import type { Shape } from './proto.ts';

const BITS_TAG = 8;
const ELEMS_TAG = 18;

/**
 * tendermint.libs.bits.BitArray{1 bits int64, 2 elems packed uint64} of at most `bitsMax` bits. The number of elements
 * must be exactly what the bits need (GHSA-hrhf-2vcr-ghch). Bits beyond the last are cleared: Go's complement sets them.
 */
export const bitArray = (bitsMax: number): Shape<BitSet> => ({
  name: 'BitArray',
  write(writer, bits) {
    if (bits.size === 0) return;
    writer.uint32(BITS_TAG);
    writer.int64(bits.size);
    const words = bits.words();
    writer.uint32(ELEMS_TAG);
    const mark = writer.open();
    for (let i = 0; i < words.length; i += 2) writer.words(words[i] as number, words[i + 1] ?? 0);
    writer.close(mark);
  },
  read(reader) {
    let size = 0;
    if (reader.peekTag('BitArray') === BITS_TAG) {
      reader.uint32('BitArray.bits');
      size = reader.int64('BitArray.bits');
      if (size < 0 || size > bitsMax)
        reader.fail('BitArray.bits', `${size} bits, 0 to ${bitsMax} are allowed`, bitsMax);
      else if (size === 0) reader.fail('BitArray.bits', 'a default is written out');
    }
    const expected = Math.ceil(size / 64);
    const words: number[] = [];
    let count = 0;
    if (reader.peekTag('BitArray') === ELEMS_TAG) {
      reader.uint32('BitArray.elems');
      const outer = reader.enter('BitArray.elems', expected * 10);
      for (; reader.error === undefined && reader.at < reader.end; count++) {
        const [low, high] = reader.words('BitArray.elems');
        words.push(low, high);
      }
      reader.leave('BitArray.elems', outer);
      if (count === 0) reader.fail('BitArray.elems', 'a default is written out');
    }
    if (reader.at < reader.end) reader.fail('BitArray', 'unknown field, or one out of order');
    if (reader.error !== undefined) return new BitSet(0);
    if (count !== expected) {
      reader.fail('BitArray.elems', `${count} elements for ${size} bits, expected ${expected}`, expected);
    }
    return reader.error === undefined ? BitSet.fromWords(size, words) : new BitSet(0);
  },
});
