import { describe, expect, test } from 'vitest';
import { putRecord } from '../../core/codec/record.ts';
import { type Bytes, EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import * as keys from '../../core/store/keys.ts';
import type { KvOp } from '../../core/store/kv.ts';
import * as layouts from '../../core/store/layouts.ts';
import type { CheckerContext } from '../../sim/checkers/checker.ts';
import { compareStores } from '../../sim/checkers/storage/compareStores.ts';
import { KvDisk } from '../../sim/disk/kvDisk.ts';

type Put = Extract<KvOp, { type: 'put' }>;

const hash = (height: number): Bytes => new Uint8Array(32).fill(height);
const mark = (kind: string, name: string): Put => putRecord(encodeUtf8(kind + name), EMPTY);
const headAt = (height: number): Put =>
  putRecord(keys.HEAD_KEY, layouts.encodeHead({ height, blockHash: hash(height) }));
const found = (at: number, height: number): Put =>
  putRecord(keys.txKey(hash(at)), layouts.encodeLocation({ height, index: 0, ethIndex: 0 }));
const indexed = (to: number): Put =>
  putRecord(
    keys.INDEX_KEY,
    Uint8Array.from({ length: 16 }, (_, i) => (i === 7 ? 1 : i === 15 ? to : 0)),
  );

/** What every node writes with the block of a height. */
const written = (height: number): readonly Put[] => [
  putRecord(keys.metaKey(height), EMPTY),
  putRecord(keys.partKey(height, 0), EMPTY),
  putRecord(keys.resultsKey(height), EMPTY),
  putRecord(keys.rootsKey(height), EMPTY),
  putRecord(keys.ethRecordKey(height), EMPTY),
  putRecord(keys.commitKey(height - 1), EMPTY),
  putRecord(keys.paramsKey(height + 1), EMPTY),
  putRecord(keys.validatorsKey(height + 2), EMPTY),
  putRecord(keys.blockHashKey(hash(height)), layouts.encodeHeight(height)),
  putRecord(keys.ethHashKey(hash(height)), layouts.encodeHeight(height)),
  putRecord(keys.ethTxKey(hash(height)), layouts.encodeLocation({ height, index: 0, ethIndex: 0 })),
  found(height, height),
  putRecord(keys.postingKey('Q', EMPTY, height), EMPTY),
  putRecord(keys.postingKey('W', EMPTY, height), EMPTY),
  putRecord(keys.postingKey('L', EMPTY, height), EMPTY),
  putRecord(keys.nodeKey(hash(height)), EMPTY),
  putRecord(keys.codeKey(hash(height)), EMPTY),
];

/** A chain of that many blocks. */
const chain = (head: number): readonly Put[] => [
  ...Array.from({ length: head }, (_, i) => written(i + 1)).flat(),
  indexed(head),
  headAt(head),
];

const without = (puts: readonly Put[], { key }: Put): readonly Put[] =>
  puts.filter((one) => !equalBytes(one.key, key));

/** What is said of the drives of nodes that all have stopped. */
function verdict(stores: readonly (readonly KvOp[])[], timeline: readonly unknown[] = []): readonly string[] {
  const said: string[] = [];
  const correct = stores.map((puts, i) => {
    const kv = new KvDisk();
    kv.apply(puts);
    return { name: `v${i}`, state: 'down', node: undefined, disk: { isDamaged: false, kv } };
  });
  const fail = (_: string, message: string): unknown => said.push(message);
  compareStores({ correct, scenario: { timeline }, fail } as unknown as CheckerContext, 'app_hash');
  return said;
}

const letterOf = ({ key }: Put): string => String.fromCharCode(key[0] as number);

describe('the databases of correct nodes', () => {
  test.each(written(2).map((record) => [letterOf(record), record] as const))(
    'differ where one lacks record %s of the last height that they share, or has another',
    (letter, record) => {
      const lacking = (head: number): readonly Put[] => without(chain(head), record);
      expect(verdict([lacking(2), chain(2)])).toHaveLength(1);
      expect(verdict([chain(2), lacking(2)])).toHaveLength(1);
      expect(verdict([chain(2), lacking(3)])).toHaveLength(1);
      expect(verdict([chain(2), chain(2), lacking(2)])).toHaveLength(1);
      // What says of which block something is must be whole before it is believed.
      const place = layouts.encodeLocation({ height: 1, index: 1, ethIndex: 1 });
      const other = putRecord(record.key, 'bhtx'.includes(letter) ? place : Uint8Array.of(1));
      expect(verdict([chain(2), [...chain(3), other]])).toHaveLength(1);
      expect(verdict([[...chain(2), other], chain(3)])).toHaveLength(1);
    },
  );

  test('are the same where each has what is due at its head, in this run or none', () => {
    expect(verdict([chain(3), chain(3)])).toEqual([]);
    expect(verdict([chain(2), chain(3), chain(1), []])).toEqual([]);
  });

  test('may hold votes and waiting evidence of their own', () => {
    const own = [putRecord(keys.seenCommitKey(1), EMPTY), putRecord(encodeUtf8('evidence/pending/a'), EMPTY)];
    expect(verdict([[...chain(2), ...own], chain(2)])).toEqual([]);
  });

  test('find a transaction in the newest block that has it', () => {
    expect(verdict([chain(2), [...chain(3), found(2, 3)]])).toEqual([]);
    expect(verdict([chain(3), [...chain(3), found(2, 3)]])).toHaveLength(1);
  });

  test('need index entries only of what their index covers', () => {
    const lacking = without(chain(3), putRecord(keys.postingKey('Q', EMPTY, 3), EMPTY));
    expect(verdict([[...lacking, indexed(2)], chain(3)])).toEqual([]);
    expect(verdict([lacking, chain(3)])).toHaveLength(1);
  });

  test('have the same marks of punished evidence at the same height', () => {
    for (const kind of ['evidence/committed/', 'punished/']) {
      const marked = [...chain(2), mark(kind, 'a')];
      expect(verdict([marked, chain(2)])).toHaveLength(1);
      expect(verdict([marked, chain(3)])).toEqual([]);
    }
  });

  test('may hold the block that was taken back, and after its second decision what only the first one left', () => {
    const taken = [...chain(3), putRecord(keys.UNDONE_KEY, layouts.encodeHeight(3)), headAt(2)];
    expect(verdict([taken, chain(2)])).toEqual([]);
    expect(verdict([taken, chain(3)])).toEqual([]);
    const left = [...chain(2), putRecord(keys.nodeKey(hash(9)), EMPTY)];
    expect(verdict([left, chain(2)])).toHaveLength(1);
    expect(verdict([left, chain(2)], [{ action: { kind: 'rollback', isHard: true } }])).toEqual([]);
  });
});
