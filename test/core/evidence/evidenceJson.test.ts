import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEvidence, encodeEvidence } from '../../../core/codec/evidence.ts';
import { evidenceFromJson } from '../../../core/codec/evidenceJson.ts';
import { validateEvidenceBasic } from '../../../core/codec/validate.ts';
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
