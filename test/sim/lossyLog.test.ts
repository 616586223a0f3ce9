import { expect, test } from 'vitest';
import { runUnasked } from '../support/runUnasked.ts';

/** Two of four stop after they have signed in height 5, and the middle of v1's log is damaged. */
const TEXT = `name: lossy-log
engine: {index: false}
timeline:
  - {when: {height: 5, round: 0, step: precommit}, on: v1, do: {crash: v1, power_loss: none}}
  - {when: {height: 5, round: 0, step: precommit}, on: v2, do: {crash: v2, power_loss: none}}
  - {at: 15s, do: {disk: {target: v1, fault: flip, file: wal, at: any_record}}}
  - {at: 16s, do: {crash: v1, point: batch}, for: 1s}
  - {at: 20s, do: {upgrade: v1, to: '2.0.0', index: true}, for: 1s}
  - {at: 40s, do: {restart: v2}}
expect:
  - {eventually: "node(v1).lives == 3"}
  - {never: "block.height == 5 and decidedAt(5) < 40s"}
until: {height: 7}
`;

// With other seeds it may be the last record, which tears nothing else off.
test.each(['1', '2', '4'])(
  'a start that dies leaves to the next that the log lost records (seed %s)',
  async (seed) => {
    const result = await runUnasked(TEXT, { seed, crypto: 'keyed-hash' });
    expect(result.ok && result.value.failures).toEqual([]);
  },
);
