import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  afterRounds,
  applyUpdates,
  averagePriority,
  incrementPriority,
  makeValidatorSet,
  proposerOf,
  type ValidatorChange,
} from '../../../core/consensus/priority.ts';
import { type Bytes, hex, toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { findByAddress, type ValidatorSet } from '../../../core/types/validator.ts';

type Pair = readonly [string, string];
const golden = JSON.parse(
  readFileSync(new URL('../../vectors/cometbft/proposer-priority.json', import.meta.url), 'utf8'),
);

const pubKey = { type: 'ed25519', bytes: new Uint8Array(32) } as const;
const named = ([name, power]: Pair): ValidatorChange => ({
  address: encodeUtf8(name),
  pubKey,
  power: BigInt(power),
});
const inHex = ([address, power]: Pair): ValidatorChange => ({
  address: hex(address),
  pubKey,
  power: BigInt(power),
});
const name = (address: Bytes): string => new TextDecoder().decode(address);

function setOf(changes: readonly ValidatorChange[]): ValidatorSet {
  const made = makeValidatorSet(changes);
  if (!made.ok) throw new Error(made.error.code);
  return made.value;
}

function proposers(set: ValidatorSet, count: number, show: (address: Bytes) => string): string[] {
  const list: string[] = [];
  let turn = set;
  for (let i = 0; i < count; i++) {
    list.push(show(turn.proposer.address));
    turn = incrementPriority(turn, 1);
  }
  return list;
}

/** A set whose priorities and powers are given, as Go's tests build it by hand. */
function bare(priorities: readonly string[], powers: readonly string[]): ValidatorSet {
  const validators = priorities.map((priority, i) => ({
    address: Uint8Array.of(i),
    pubKey,
    power: BigInt(powers[i] as string),
    priority: BigInt(priority),
  }));
  const totalPower = validators.reduce((sum, { power }) => sum + power, 0n);
  return { validators, totalPower, proposer: validators[0] as (typeof validators)[0] };
}

describe('golden vectors', () => {
  test('the first 99 proposers of foo, bar and baz', () => {
    const { validators, proposers_99 } = golden.selection_1;
    expect(proposers(setOf(validators.map(named)), 99, name)).toEqual(proposers_99);
  });

  test.each(golden.selection_2.slice(0, 3) as { validators_hex: Pair[]; proposers: string[] }[])(
    'proposers of a weighted set %#',
    ({ validators_hex, proposers: expected }) => {
      expect(proposers(setOf(validators_hex.map(inHex)), expected.length, toHex)).toEqual(expected);
    },
  );

  test('turns are taken in proportion to power', () => {
    const { validators_hex, rounds, proposer_counts } = golden.selection_2[3];
    const taken = proposers(setOf(validators_hex.map(inHex)), rounds, toHex);
    const counts = validators_hex.map(([address]: Pair) => taken.filter((one) => one === address).length);
    expect(counts).toEqual(proposer_counts);
  });

  test.each(
    golden.averaging_zero_power as {
      start_priorities: string[];
      powers: string[];
      times: number;
      end_priorities: string[];
    }[],
  )(
    'priorities are centred once, whatever the number of turns %#',
    ({ start_priorities, powers, times, end_priorities }) => {
      const after = incrementPriority(bare(start_priorities, powers), times);
      expect(after.validators.map(({ priority }) => String(priority))).toEqual(end_priorities);
    },
  );

  test.each(golden.averaging_powers_10_1_1 as { times: number; priorities: string[]; proposer: string }[])(
    'powers 10, 1, 1 after $times turns',
    ({ times, priorities, proposer }) => {
      const after = incrementPriority(bare(['0', '0', '0'], ['10', '1', '1']), times);
      expect(after.validators.map(({ priority }) => String(priority))).toEqual(priorities);
      expect(toHex(after.proposer.address)).toBe(proposer);
    },
  );

  test.each(golden.avg_priority as { priorities: string[]; avg: string }[])(
    'the mean is rounded toward minus infinity %#',
    ({ priorities, avg }) => {
      expect(String(averagePriority(priorities.map(BigInt)))).toBe(avg);
    },
  );

  test.each(
    golden.updates.cases as {
      start: Pair[];
      changes: Pair[];
      after: { address: string; power: string; priority: string }[];
      next_6_proposers_after_inc: string[];
    }[],
  )('changes of members %#', ({ start, changes, after, next_6_proposers_after_inc }) => {
    const updated = applyUpdates(setOf(start.map(named)), changes.map(named));
    if (!updated.ok) throw new Error(updated.error.code);
    const shown = updated.value.validators.map(({ address, power, priority }) => ({
      address: name(address),
      power: String(power),
      priority: String(priority),
    }));
    expect(shown).toEqual(after);
    expect(proposers(incrementPriority(updated.value, 1), 6, name)).toEqual(next_6_proposers_after_inc);
  });

  test.each(golden.update_errors as { case: string; start: Pair[]; changes: Pair[] }[])(
    'refused: $case',
    ({ start, changes }) => {
      expect(applyUpdates(setOf(start.map(named)), changes.map(named)).ok).toBe(false);
    },
  );
});

test('the proposer of round r is that of the set after r further rotations', () => {
  const set = setOf([named(['a', '5']), named(['b', '3']), named(['c', '1'])]);
  for (let round = 0; round < 9; round++) {
    expect(proposerOf(set, round)).toEqual(incrementPriority(set, round).proposer);
  }
});

test('skipping rounds gives the same set as going through them one by one, where a single combined rotation would differ', () => {
  const start = setOf(
    [
      ['a', '27'],
      ['b', '12'],
      ['c', '32'],
      ['d', '31'],
      ['e', '22'],
    ].map(([who = '', power = '']) => named([who, power])),
  );
  const updated = applyUpdates(incrementPriority(start, 3), [named(['a', '0']), named(['f', '1'])]);
  if (!updated.ok) throw new Error(updated.error.code);
  const set = incrementPriority(updated.value, 1);
  expect(proposers(set, 6, name)).toEqual(['b', 'c', 'd', 'c', 'e', 'd']);
  const asOne = [1, 2, 3, 4, 5].map((rounds) => name(incrementPriority(set, rounds).proposer.address));
  expect(asOne).toEqual(['c', 'd', 'e', 'c', 'd']);
  for (let rounds = 1; rounds <= 5; rounds++) {
    for (let first = 0; first <= rounds; first++) {
      expect(afterRounds(afterRounds(set, first), rounds - first)).toEqual(afterRounds(set, rounds));
    }
    expect(name(proposerOf(set, rounds).address)).toBe('bcdced'[rounds]);
  }
});

test('a validator is found by address, with its index', () => {
  const set = setOf([named(['a', '5']), named(['b', '3'])]);
  expect(findByAddress(set, encodeUtf8('b'))?.index).toBe(1);
  expect(findByAddress(set, encodeUtf8('x'))).toBeUndefined();
});
