/** What a file, a peer or a user may make us read, at its bounds and one beyond. */
import { describe, expect, test } from 'vitest';
import { decodeBlock, encodeBlock } from '../../../core/codec/block.ts';
import { parseGenesis } from '../../../core/codec/genesis.ts';
import { validatorJson } from '../../../core/codec/json.ts';
import { JsonReader } from '../../../core/codec/jsonReader.ts';
import { blockIdFromJson, lightBlockFromJson } from '../../../core/codec/lightBlockJson.ts';
import {
  APP_HASH_BYTES_MAX,
  AUNTS_MAX,
  EXTENSION_BYTES_MAX,
  SIGNATURE_BYTES_MAX,
  TOTAL_POWER_MAX,
} from '../../../core/codec/limits.ts';
import { PartSet } from '../../../core/codec/partSet.ts';
import { validatePartBasic, validateVoteBasic } from '../../../core/codec/validate.ts';
import { type Bytes, EMPTY } from '../../../core/lib/bytes.ts';
import type { Part } from '../../../core/types/block.ts';
import type { Vote } from '../../../core/types/vote.ts';
import { blockOf, rpcFixture } from './vectors.ts';

const told = (result: { ok: boolean; error?: { message: string } }): string =>
  result.error?.message ?? 'accepted';
const of = (...lengths: readonly number[]): Bytes[] => lengths.map((length) => new Uint8Array(length));

describe('a file', () => {
  test('of genesis has an app hash of at most APP_HASH_BYTES_MAX bytes', () => {
    const { genesis } = rpcFixture('genesis');
    const parse = (bytes: number) =>
      parseGenesis(JSON.stringify({ ...genesis, app_hash: '00'.repeat(bytes) }));
    expect(told(parse(APP_HASH_BYTES_MAX))).toBe('accepted');
    expect(told(parse(APP_HASH_BYTES_MAX + 1))).toBe(`genesis app_hash: at most ${APP_HASH_BYTES_MAX} bytes`);
  });
});

describe('a light block in JSON', () => {
  test('has a part total that fits into 32 bits', () => {
    const read = (total: number): string => {
      const reader = new JsonReader();
      blockIdFromJson(reader, { hash: '', parts: { total, hash: '' } }, 'id');
      return reader.problem?.message ?? 'accepted';
    };
    expect([0, 2 ** 32 - 1].map(read)).toEqual(['accepted', 'accepted']);
    for (const beyond of [-1, 2 ** 32])
      expect(read(beyond)).toBe('id.parts.total: expected a number from 0 to 4294967295');
  });

  test('has validators with a total power of at most TOTAL_POWER_MAX', () => {
    const { signed_header } = rpcFixture('commit_at_height_10');
    const pubKey = { type: 'ed25519', bytes: new Uint8Array(32) } as const;
    const read = (...powers: readonly bigint[]): string => {
      const reader = new JsonReader();
      const validators = powers.map((power, i) =>
        validatorJson({ address: new Uint8Array(20).fill(i), pubKey, power, priority: 0n }),
      );
      const validator_set = { validators, proposer: validators[0] };
      lightBlockFromJson(reader, { signed_header, validator_set }, 'block');
      return reader.problem?.message ?? 'accepted';
    };
    expect(read(TOTAL_POWER_MAX - 1n, 1n)).toBe('accepted');
    expect(read(TOTAL_POWER_MAX, 1n)).toBe(
      `block.validator_set.validators: expected powers above 0 of at most ${TOTAL_POWER_MAX} in all`,
    );
  });
});

describe('a vote', () => {
  const hash = new Uint8Array(32).fill(1);
  const vote: Vote = {
    type: 'precommit',
    height: 1,
    round: 0,
    blockId: { hash, parts: { total: 1, hash } },
    timestamp: { seconds: 1, nanos: 0 },
    validatorAddress: new Uint8Array(20),
    validatorIndex: 0,
    signature: new Uint8Array(SIGNATURE_BYTES_MAX),
    extension: EMPTY,
    extensionSignature: EMPTY,
  };
  const check = (change: Partial<Vote>): string => told(validateVoteBasic({ ...vote, ...change }));

  test('has a signature of 1 to 64 bytes', () => {
    expect(
      of(0, 1, SIGNATURE_BYTES_MAX, SIGNATURE_BYTES_MAX + 1).map((signature) => check({ signature })),
    ).toEqual([
      'vote.signature: 0 bytes, expected 1 to 64',
      'accepted',
      'accepted',
      'vote.signature: 65 bytes, expected 1 to 64',
    ]);
  });

  test('has an extension of at most 1 MiB, with an extension signature of 1 to 64 bytes', () => {
    const { signature: extensionSignature } = vote;
    expect(
      of(EXTENSION_BYTES_MAX, EXTENSION_BYTES_MAX + 1).map((extension) =>
        check({ extension, extensionSignature }),
      ),
    ).toEqual(['accepted', 'vote.extension: at most 1048576 bytes']);
    expect(check({ extensionSignature: new Uint8Array(SIGNATURE_BYTES_MAX + 1) })).toBe(
      'vote.extension_signature: 65 bytes, expected 1 to 64',
    );
  });
});

test('the Merkle proof of a part has at most 100 aunts', () => {
  const part = PartSet.of(Uint8Array.of(1)).part(0) as Part;
  const check = (count: number): string => {
    const aunts = Array.from({ length: count }, () => part.proof.leafHash);
    return told(validatePartBasic({ ...part, proof: { ...part.proof, aunts } }));
  };
  expect(check(AUNTS_MAX)).toBe('accepted');
  expect(check(AUNTS_MAX + 1)).toBe('part.proof.aunts: 101, at most 100');
});

test('the decoder remembers the last block up to 64 KiB, and no larger one', () => {
  const block = blockOf(rpcFixture('block_at_height_10').block);
  const sized = (size: number): Bytes => {
    const filled = (bytes: number): Bytes => encodeBlock({ ...block, txs: [new Uint8Array(bytes)] });
    return filled(60_000 + size - filled(60_000).length);
  };
  const isRemembered = (size: number): boolean => {
    const bytes = sized(size);
    expect(bytes).toHaveLength(size);
    const [first, second] = [decodeBlock(bytes), decodeBlock(bytes)];
    return first === second;
  };
  expect([65_536, 65_537].map(isRemembered)).toEqual([true, false]);
});
