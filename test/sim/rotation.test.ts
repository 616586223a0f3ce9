import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyUpdates,
  incrementPriority,
  makeValidatorSet,
  proposerOf,
} from '../../core/consensus/priority.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { toHex } from '../../core/lib/bytes.ts';
import type { ValidatorSet } from '../../core/types/validator.ts';
import { Rotation } from '../../sim/checkers/consensus/rotation.ts';

function memberOf(i: number, power: bigint) {
  const bytes = nobleSuite.sha256(Uint8Array.of(i));
  return { address: bytes.slice(0, 20), pubKey: { type: 'ed25519', bytes } as const, power };
}

function must(made: ReturnType<typeof makeValidatorSet>): ValidatorSet {
  if (!made.ok) throw new Error(made.error.code);
  return made.value;
}

test("the observer's own rotation names the proposers that the core's does", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 7 }), (powers) => {
      const members = powers.map((power, i) => memberOf(i, BigInt(power)));
      const first = must(makeValidatorSet(members));
      const rotation = new Rotation(members, 1);
      let set = first;
      for (let height = 1; height <= 30; height++) {
        for (const round of [0, 1, 5])
          expect(rotation.proposer(height, round)).toEqual(proposerOf(set, round).address);
        set = incrementPriority(set, 1);
      }
      // Asked for an earlier height again, it goes back.
      expect(rotation.proposer(1, 0)).toEqual(first.proposer.address);
    }),
    { numRuns: 12 },
  );
});

/** What blocks change: by slot a power, 0 to take away; those who are not there cannot go. */
const changesArb = fc.array(
  fc.dictionary(
    fc.integer({ min: 0, max: 5 }).map(String),
    fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000 })),
    { maxKeys: 3 },
  ),
  { minLength: 100, maxLength: 100 },
);

test('with members that come and go it gives everyone the very credit that the core gives', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 }),
      changesArb,
      (powers, wanted) => {
        const now = new Map(powers.map((power, i) => [i, power]));
        // Of a hundred heights every third changes something.
        const byHeight = wanted.map((changes, height) => {
          if (height === 0 || height % 3 > 0) return [];
          return Object.entries(changes).flatMap(([slot, power]) => {
            const i = Number(slot);
            const isLast = now.size === 1 && now.has(i);
            if (power === 0 && (isLast || !now.has(i))) return [];
            if (power === 0) now.delete(i);
            else now.set(i, power);
            return [memberOf(i, BigInt(power))];
          });
        });
        const members = powers.map((power, i) => memberOf(i, BigInt(power)));
        const rotation = new Rotation(members, 1, (height) => byHeight[height] ?? []);
        let set = must(makeValidatorSet(members));
        let next = incrementPriority(set, 1);
        const told = (height: number): string[] =>
          rotation.seats(height).map(({ address, power, credit }) => `${toHex(address)} ${power} ${credit}`);
        const rightly = ({ validators }: ValidatorSet): string[] =>
          validators.map(({ address, power, priority }) => `${toHex(address)} ${power} ${priority}`);
        for (let height = 1; height <= 100; height++) {
          expect(told(height).sort()).toEqual(rightly(set).sort());
          expect(rotation.proposer(height, 3)).toEqual(proposerOf(set, 3).address);
          const updated = applyUpdates(next, byHeight[height] ?? []);
          set = next;
          next = incrementPriority(must(updated), 1);
        }
        const before = told(40);
        told(100);
        expect(told(40)).toEqual(before);
      },
    ),
    { numRuns: 30 },
  );
});
