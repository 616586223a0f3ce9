import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeEvidence, encodeEvidence } from '../../../core/codec/evidence.ts';
import { evidenceFromJson } from '../../../core/codec/evidenceJson.ts';
import { evidenceHash, headerHash, validatorsHash } from '../../../core/codec/hashes.ts';
import { evidenceJson } from '../../../core/codec/json.ts';
import { decodeEvidenceMessage, encodeEvidenceMessage } from '../../../core/codec/messages.ts';
import type { EvidenceError } from '../../../core/evidence/verify.ts';
import { hex, toUpperHex } from '../../../core/lib/bytes.ts';
import type { Result } from '../../../core/lib/result.ts';
import type { LightClientAttackEvidence } from '../../../core/types/evidence.ts';
import { addMillis } from '../../../core/types/ids.ts';
import { toMisbehavior } from '../../../core/types/misbehavior.ts';
import { keyedSuite, type Made, testNet } from '../consensus/harness/net.ts';
import {
  ALL,
  blocks,
  equivocation,
  evidenceOf,
  header,
  LIARS,
  lunatic,
  newPool,
  otherState,
  otherTxs,
  power,
  set,
  state,
} from './attacks.ts';
import { Marks } from './marks.ts';

const told = (result: Result<unknown, EvidenceError>): string =>
  result.ok ? String(result.value) : result.error.message;
const judged = (evidence: LightClientAttackEvidence): string => told(newPool().add(evidence));

describe('an attack on light clients', () => {
  test('with a state that never was accuses all of the common set who signed it', () => {
    expect(judged(lunatic)).toBe('added');
  });

  test('with another block of the same round accuses who signed both', () => {
    expect(judged(equivocation)).toBe('added');
    expect(
      judged(evidenceOf({ header: otherTxs, commonHeight: 2, signers: [0, 1, 2], accused: [0, 1, 2] })),
    ).toBe('added');
  });

  test('with a block of another round accuses nobody: the forgetful cannot be told from the honest', () => {
    const amnesia = { header: otherTxs, commonHeight: 2, round: 1 };
    expect(judged(evidenceOf({ ...amnesia, accused: [] }))).toBe('added');
    expect(judged(evidenceOf(amnesia))).toMatch(/other validators are accused/);
  });

  test('ahead of the chain is one only when its time lies before our newest block', () => {
    const ahead = { ...otherState, height: 40 };
    expect(judged(evidenceOf({ header: { ...ahead, time: header(4).time }, commonHeight: 1 }))).toBe('added');
    const later = { ...ahead, time: addMillis(header(4).time, 1) };
    expect(judged(evidenceOf({ header: later, commonHeight: 1 }))).toBe('not-yet');
  });

  test('in the round of a block whose commit is in no block yet waits for that block', () => {
    const newest = { ...header(4), dataHash: new Uint8Array(32).fill(7) };
    expect(judged(evidenceOf({ header: newest, commonHeight: 4 }))).toBe('not-yet');
  });

  test('goes over the wire, into a block once, and to the application, one validator each', () => {
    const wire = decodeEvidenceMessage(encodeEvidenceMessage([lunatic]));
    expect(wire).toEqual({ ok: true, value: [lunatic] });
    expect(decodeEvidence(encodeEvidence(lunatic))).toEqual({ ok: true, value: lunatic });
    const pool = newPool();
    expect(told(pool.add(lunatic))).toBe('added');
    expect(pool.pendingEvidence(100_000)).toEqual([lunatic]);
    const marks = new Marks();
    const other = newPool(marks.has);
    expect(other.checkBlockEvidence([lunatic], state).ok).toBe(true);
    expect(told(other.checkBlockEvidence([lunatic, lunatic], state))).toBe('duplicate evidence');
    marks.commit(other, { ...(blocks[3] as Made).block, evidence: [lunatic] }, state);
    expect(told(other.checkBlockEvidence([lunatic], state))).toBe('evidence was already committed');
    expect(told(other.add(lunatic))).toBe('known');
    expect(toMisbehavior(lunatic)).toEqual(
      LIARS.map((i) => ({
        kind: 'light-client-attack',
        validator: { address: set.validators[i]?.address, power: power(i) },
        height: 1,
        time: header(1).time,
        totalVotingPower: 100n,
      })),
    );
  });
});

describe('what accuses wrongly is refused', () => {
  const spoiled = (index: number): LightClientAttackEvidence => {
    const { conflictingBlock } = lunatic;
    const signatures = conflictingBlock.commit.signatures.map((one, i) =>
      i === index ? { ...one, signature: one.signature.map((byte) => byte ^ 1) } : one,
    );
    const commit = { ...conflictingBlock.commit, signatures };
    return { ...lunatic, conflictingBlock: { ...conflictingBlock, commit } };
  };
  /** Signed by a validator that is no member of the common set. */
  const strangers = testNet([1n]).state.validators;

  test.each<[string, LightClientAttackEvidence, RegExp]>([
    ['a signature that is not the accused one’s', spoiled(1), /did not sign: commit-signature/],
    [
      'too few signatures',
      evidenceOf({ header: otherState, commonHeight: 1, signers: [0], accused: [0] }),
      /was not decided: commit-power/,
    ],
    [
      'less than a third of the common set',
      evidenceOf({ header: otherState, commonHeight: 1, signers: [3], accused: [3] }),
      /did not sign: commit-power/,
    ],
    [
      'the header of the chain itself',
      evidenceOf({ header: header(3), commonHeight: 1, signers: ALL, accused: ALL }),
      /is that of the chain/,
    ],
    [
      'another state at the common height',
      evidenceOf({ header: otherState, commonHeight: 3 }),
      /must be derived as ours/,
    ],
    [
      'one who signed nothing',
      evidenceOf({ header: otherState, commonHeight: 1, accused: [0, 1, 3] }),
      /other validators are accused/,
    ],
    [
      'one instead of another',
      evidenceOf({ header: otherState, commonHeight: 1, accused: [0, 2] }),
      /other validators are accused/,
    ],
    [
      'fewer than those who lied',
      evidenceOf({ header: otherState, commonHeight: 1, accused: [0] }),
      /other validators are accused/,
    ],
    [
      'them in another order',
      evidenceOf({ header: otherState, commonHeight: 1, accused: [1, 0] }),
      /other validators are accused/,
    ],
    ['a wrong total power', { ...lunatic, totalVotingPower: 99n }, /total voting power is wrong/],
    ['a wrong time', { ...lunatic, timestamp: addMillis(lunatic.timestamp, 1) }, /timestamp/],
    [
      'a wrong power',
      {
        ...lunatic,
        byzantineValidators: lunatic.byzantineValidators.map((one) => ({ ...one, power: one.power + 1n })),
      },
      /power of an accused/,
    ],
    [
      'a set that the header does not name',
      evidenceOf({ header: otherState, commonHeight: 1, validators: strangers }),
      /validator_set/,
    ],
    ['a common height above the block', { ...lunatic, commonHeight: 4 }, /above the conflicting block/],
  ])('%s', (_, evidence, reason) => {
    expect(judged(evidence)).toMatch(reason);
    expect(told(newPool().checkBlockEvidence([evidence], state))).toMatch(reason);
    // The true proof is known by the same name.
    const informed = newPool();
    expect(informed.add(lunatic)).toMatchObject({ ok: true, value: 'added' });
    expect(told(informed.checkBlockEvidence([evidence], state))).toMatch(reason);
  });

  test('a block that only strangers signed', () => {
    const theirs = { ...otherState, validatorsHash: validatorsHash(strangers) };
    const evidence = evidenceOf({
      header: theirs,
      commonHeight: 1,
      validators: strangers,
      signers: [],
      accused: [],
    });
    expect(judged(evidence)).toMatch(/did not sign: commit-power/);
  });
});

test('who answers to another’s address is not accused in that one’s place', () => {
  const [liar, honest] = [set.validators[0], set.validators[3]];
  if (liar === undefined || honest === undefined) throw new Error('four validators');
  const swapped = set.validators.map((one, i) =>
    i === 0 ? { ...one, address: honest.address } : i === 3 ? { ...one, address: liar.address } : one,
  );
  const validators = { ...set, validators: swapped };
  const framing = evidenceOf({ header: otherTxs, commonHeight: 2, validators });
  const signatures = framing.conflictingBlock.commit.signatures.map((one, i) =>
    i === 0 ? { ...one, validatorAddress: honest.address } : one,
  );
  const conflictingBlock = {
    ...framing.conflictingBlock,
    commit: { ...framing.conflictingBlock.commit, signatures },
  };
  const byzantineValidators = LIARS.map((i) => swapped[i] as (typeof swapped)[number]);
  expect(judged({ ...framing, conflictingBlock, byzantineValidators })).toMatch(/not of its key/);
});

test('is read from the JSON that light clients send', () => {
  for (const evidence of [lunatic, equivocation]) {
    const json = JSON.parse(JSON.stringify(evidenceJson(evidence)));
    expect(evidenceFromJson(json)).toEqual({ ok: true, value: evidence });
  }
  const wrong = JSON.parse(JSON.stringify(evidenceJson(lunatic)));
  wrong.value.ConflictingBlock.signed_header.commit.signatures[1].block_id_flag = 9;
  expect(evidenceFromJson(wrong)).toEqual({
    ok: false,
    error: 'ConflictingBlock.signed_header.commit.signatures[1].block_id_flag: expected 1, 2 or 3',
  });
});

test('its hash is CometBFT’s', () => {
  const { light_client_attack_hash: rows } = JSON.parse(
    readFileSync(new URL('../../vectors/cometbft/evidence.json', import.meta.url), 'utf8'),
  ) as {
    light_client_attack_hash: {
      conflicting_header_hash: string;
      common_height: string;
      preimage: string;
      hash: string;
    }[];
  };
  for (const row of rows) {
    expect(toUpperHex(keyedSuite.sha256(hex(row.preimage)))).toBe(row.hash);
  }
  const own = new Uint8Array(33);
  own.set(headerHash(otherState).subarray(0, 31));
  own[32] = 2; // zigzag of common height 1
  expect(evidenceHash(lunatic)).toEqual(keyedSuite.sha256(own));
});
