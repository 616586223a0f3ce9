import { expect, test } from 'vitest';
import { voteSignBytes } from '../../core/codec/signBytes.ts';
import { verifyVote } from '../../core/codec/verifySignature.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import type { PublicKey } from '../../core/types/validator.ts';
import type { Vote } from '../../core/types/vote.ts';
import { keyedHashSuite } from '../../sim/keyedHash.ts';
import { verifyingOnce } from '../../sim/machine/verifying.ts';

const suite = keyedHashSuite(nobleSuite);
const [seed, otherSeed] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)];
const keyOf = (of: Uint8Array): PublicKey => ({ type: 'ed25519', bytes: suite.ed25519PublicKey(of) });

const unsigned: Vote = {
  type: 'prevote',
  height: 3,
  round: 0,
  blockId: { hash: new Uint8Array(32).fill(1), parts: { total: 1, hash: new Uint8Array(32).fill(2) } },
  timestamp: { seconds: 1, nanos: 2 },
  validatorAddress: new Uint8Array(20),
  validatorIndex: 0,
  signature: new Uint8Array(64),
  extension: new Uint8Array(),
  extensionSignature: new Uint8Array(),
};
const vote: Vote = { ...unsigned, signature: suite.ed25519Sign(seed, voteSignBytes('chain', unsigned)) };

test('a vote is judged as the core judges it, by whatever key and on whatever chain, also when it is known', () => {
  const verify = verifyingOnce();
  for (let i = 0; i < 2; i++)
    for (const one of [vote, unsigned])
      for (const key of [keyOf(seed), keyOf(otherSeed)])
        for (const chainId of ['chain', 'other'])
          expect(verify(suite, key, chainId, one)).toBe(verifyVote(suite, key, chainId, one));
  expect(verify(suite, keyOf(seed), 'chain', vote)).toBe(true);
});

test('the same vote is verified once', () => {
  let asked = 0;
  const counting = {
    ...suite,
    ed25519Verify: () => {
      asked++;
      return true;
    },
  };
  const verify = verifyingOnce();
  for (let i = 0; i < 5; i++) verify(counting, keyOf(seed), 'chain', vote);
  expect(asked).toBe(1);
});
