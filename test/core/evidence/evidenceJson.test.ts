import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEvidence, encodeEvidence } from '../../../core/codec/evidence.ts';
import { evidenceFromJson } from '../../../core/codec/evidenceJson.ts';
import { evidenceJson } from '../../../core/codec/json.ts';
import { validateEvidenceBasic } from '../../../core/codec/validate.ts';
import { EMPTY } from '../../../core/lib/bytes.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import * as any from '../codec/arbitraries.ts';
import { lunaticJson } from './attacks.ts';

type Node = { [key: string]: unknown };

const { duplicate_vote } = JSON.parse(
  readFileSync(new URL('../../vectors/cometbft/evidence.json', import.meta.url), 'utf8'),
) as { duplicate_vote: { json: Node } };
const doubleVoteJson = { type: 'tendermint/DuplicateVoteEvidence', value: duplicate_vote.json };

const junk = fc.oneof(
  fc.constantFrom(null, '', '-1', -1, 0, '9223372036854775807', 2 ** 53, 2 ** 31, 'AA', [], {}, true),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.string({ maxLength: 8 }),
);

function pathsOf(node: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof node !== 'object' || node === null) return [path];
  return [path, ...Object.entries(node).flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}

test.each([
  ['a double vote', doubleVoteJson],
  ['an attack on light clients', lunaticJson],
])(
  'whatever is wrong in the JSON of %s is an error, or a value that can be judged and passed on',
  (_, good) => {
    expect(evidenceFromJson(good).ok).toBe(true);
    const paths = pathsOf(good.value).slice(1);
    fc.assert(
      fc.property(fc.constantFrom(...paths), junk, (path, value) => {
        const json = structuredClone(good);
        let node = json.value as Node;
        for (const key of path.slice(0, -1)) node = node[key] as Node;
        node[path.at(-1) as string] = value;
        const read = evidenceFromJson(json);
        if (!read.ok || !validateEvidenceBasic(read.value).ok) return;
        expect(decodeEvidence(encodeEvidence(read.value))).toEqual(read);
      }),
      { numRuns: 1000 },
    );
  },
);

/** What the JSON form carries: no vote extensions, no numbers below zero, and a signature under each vote. */
const said = any.evidence.filter((one) => {
  if (one.kind === 'duplicate-vote')
    return [one.voteA, one.voteB].every(
      (vote) => vote.height >= 0 && vote.round >= 0 && vote.validatorIndex >= 0 && vote.signature.length > 0,
    );
  const { header, commit, validators } = one.conflictingBlock;
  const numbers = [one.commonHeight, header.height, commit.height, commit.round];
  return numbers.every((number) => number >= 0) && validators.validators.every(({ power }) => power > 0n);
});
const withoutExtensions = (one: Evidence): Evidence =>
  one.kind === 'duplicate-vote' ? { ...one, voteA: bare(one.voteA), voteB: bare(one.voteB) } : one;
const bare = <T>(vote: T): T => ({ ...vote, extension: EMPTY, extensionSignature: EMPTY });

/** Members of evidence by the names of the other line of 0.38. */
const snake = (json: Node): Node => ({
  ...json,
  value: Object.fromEntries(
    Object.entries(json['value'] as Node).map(([name, value]) => [
      name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
      value,
    ]),
  ),
});

test('evidence is read back as it was written, under the names of either line', () => {
  fc.assert(
    fc.property(said, (evidence) => {
      const json = evidenceJson(evidence);
      const read = { ok: true, value: withoutExtensions(evidence) };
      expect(evidenceFromJson(json)).toEqual(read);
      expect(evidenceFromJson(snake(json))).toEqual(read);
    }),
    { numRuns: 300 },
  );
});

/** The JSON with the value at the path changed. */
function changed(good: { value: unknown }, path: string, value: unknown): unknown {
  const json = structuredClone(good);
  const names = path.split('.');
  let node = json.value as Node;
  for (const name of names.slice(0, -1)) node = node[name] as Node;
  node[names.at(-1) as string] = value;
  return json;
}

test.each<readonly [string, unknown, string]>([
  ['vote_a.type', 0, 'vote_a.type: expected 1 or 2'],
  ['vote_a.type', 3, 'vote_a.type: expected 1 or 2'],
  ['vote_b.validator_index', 2 ** 31, `vote_b.validator_index: expected a number from 0 to ${2 ** 31 - 1}`],
  [
    'vote_b.block_id.parts.total',
    2 ** 32,
    `vote_b.block_id.parts.total: expected a number from 0 to ${2 ** 32 - 1}`,
  ],
])('a double vote whose %s is %j is refused', (path, value, message) => {
  expect(evidenceFromJson(changed(doubleVoteJson, path, value))).toEqual({ ok: false, error: message });
});

const SET = 'ConflictingBlock.validator_set';
test.each<readonly [string, unknown, string]>([
  [`${SET}.proposer.address`, '00'.repeat(20), `${SET}.proposer: expected one of the validators`],
  [
    `${SET}.validators.0.voting_power`,
    '0',
    `${SET}.validators: expected powers above 0 of at most 1152921504606846975 in all`,
  ],
  [
    `${SET}.validators.0.voting_power`,
    '1152921504606846976',
    `${SET}.validators: expected powers above 0 of at most 1152921504606846975 in all`,
  ],
  [
    `${SET}.validators.0.pub_key.type`,
    'tendermint/PubKeySr25519',
    `${SET}.validators[0].pub_key.type: expected`,
  ],
  ['CommonHeight', '-1', `CommonHeight: expected a number from 0 to ${Number.MAX_SAFE_INTEGER}`],
])('an attack on light clients whose %s is %j is refused', (path, value, message) => {
  const read = evidenceFromJson(changed(lunaticJson, path, value));
  expect(read.ok ? 'accepted' : read.error).toContain(message);
});
