import { expect, test } from 'vitest';
import { BitSet } from '../../../../core/lib/bitset.ts';
import { bitsText, powerText, voteTexts } from '../../../../core/rpc/comet/voteText.ts';
import type { VoteSetReader } from '../../../../core/types/roundState.ts';
import type { ValidatorSet } from '../../../../core/types/validator.ts';
import type { Vote } from '../../../../core/types/vote.ts';

const bytes = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);
const setOf = (...powers: readonly bigint[]): ValidatorSet =>
  ({
    validators: powers.map((power, i) => ({ address: bytes(20, i), power })),
    totalPower: powers.reduce((sum, power) => sum + power, 0n),
  }) as unknown as ValidatorSet;
const VOTE = {
  type: 'precommit',
  height: 12,
  round: 3,
  blockId: { hash: bytes(32, 0xab), parts: { total: 1, hash: bytes(32, 1) } },
  timestamp: { seconds: 1_700_000_000, nanos: 5_000_000 },
  validatorAddress: bytes(20, 0xcd),
  validatorIndex: 1,
  signature: bytes(64, 0xef),
  extension: bytes(3, 0x12),
  extensionSignature: bytes(0, 0),
} as unknown as Vote;

const votesOf = (size: number, vote: Vote): VoteSetReader => {
  const bits = new BitSet(size);
  bits.add(vote.validatorIndex);
  return {
    bits,
    vote: (index: number) => (index === vote.validatorIndex ? vote : undefined),
  } as VoteSetReader;
};

test("a vote is printed in CometBFT's form", () => {
  const validators = setOf(1n, 1n);
  expect(voteTexts(votesOf(2, VOTE), validators)).toEqual([
    'nil-Vote',
    'Vote{1:CDCDCDCDCDCD 12/03/SIGNED_MSG_TYPE_PRECOMMIT(Precommit) ABABABABABAB EFEFEFEFEFEF 121212000000 @ 2023-11-14T22:13:20.005Z}',
  ]);
  const nil = { ...VOTE, type: 'prevote', round: 11, extension: bytes(0, 0) } as Vote;
  const empty = { ...nil, blockId: { hash: bytes(0, 0), parts: { total: 0, hash: bytes(0, 0) } } };
  expect(voteTexts(votesOf(2, empty), validators)[1]).toBe(
    'Vote{1:CDCDCDCDCDCD 12/11/SIGNED_MSG_TYPE_PREVOTE(Prevote) 000000000000 EFEFEFEFEFEF 000000000000 @ 2023-11-14T22:13:20.005Z}',
  );
  expect(voteTexts(undefined, validators)).toEqual(['nil-Vote', 'nil-Vote']);
});

test.each([
  [[10n, 20n, 30n], 'BA{3:_x_} 20/60 = 0.33'],
  [[10n, 20n], 'BA{2:_x} 20/30 = 0.67'],
  [[0n, 7n], 'BA{2:_x} 7/7 = 1.00'],
  [[999n, 1n], 'BA{2:_x} 1/1000 = 0.00'],
  [[19n, 1n], 'BA{2:_x} 1/20 = 0.05'],
  // Go rounds the binary fraction, and what lies just between two of them to the even one.
  [[7n, 1n], 'BA{2:_x} 1/8 = 0.12'],
  [[5n, 3n], 'BA{2:_x} 3/8 = 0.38'],
  [[3n, 5n], 'BA{2:_x} 5/8 = 0.62'],
  [[1n, 7n], 'BA{2:_x} 7/8 = 0.88'],
  [[197n, 3n], 'BA{2:_x} 3/200 = 0.01'],
  [[199n, 1n], 'BA{2:_x} 1/200 = 0.01'],
])('powers %s: how much has voted', (powers, text) => {
  expect(powerText(votesOf(powers.length, VOTE), setOf(...powers))).toBe(text);
});

test('an empty vote set', () => {
  expect(powerText(undefined, setOf(5n, 5n))).toBe('BA{2:__} 0/10 = 0.00');
});

test('bits are printed in the order of validators', () => {
  const bits = new BitSet(5);
  for (const i of [0, 3]) bits.add(i);
  expect(bitsText(bits)).toBe('x__x_');
});
