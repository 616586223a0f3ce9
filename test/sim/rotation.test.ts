import fc from 'fast-check';
import { expect, test } from 'vitest';
import { incrementPriority, makeValidatorSet, proposerOf } from '../../core/consensus/priority.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { Rotation } from '../../sim/checkers/rotation.ts';

test("the observer's own rotation names the proposers that the core's does", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 7 }), (powers) => {
      const members = powers.map((power, i) => {
        const bytes = nobleSuite.sha256(Uint8Array.of(i));
        const pubKey = { type: 'ed25519', bytes } as const;
        return { address: bytes.slice(0, 20), pubKey, power: BigInt(power) };
      });
      const made = makeValidatorSet(members);
      if (!made.ok) throw new Error(made.error.code);
      const rotation = new Rotation(members, 1);
      let set = made.value;
      for (let height = 1; height <= 30; height++) {
        for (const round of [0, 1, 5])
          expect(rotation.proposer(height, round)).toEqual(proposerOf(set, round).address);
        set = incrementPriority(set, 1);
      }
      // Asked for an earlier height again, it begins anew.
      expect(rotation.proposer(1, 0)).toEqual(made.value.proposer.address);
    }),
    { numRuns: 12 },
  );
});
