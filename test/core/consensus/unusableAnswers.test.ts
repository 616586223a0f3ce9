/** What the application may not answer to a block: a node stops there, stores nothing and says why. */
import { expect, test } from 'vitest';
import { TOTAL_POWER_MAX } from '../../../core/codec/limits.ts';
import { checkParamUpdate } from '../../../core/consensus/params.ts';
import { present } from '../../../core/lib/assert.ts';
import type { FinalizeReply } from '../../../core/types/app.ts';
import { DEFAULT_PARAMS } from '../../../core/types/params.ts';
import { TX_RESULT } from './harness/executed.ts';
import { testKey, testNet } from './harness/net.ts';
import { Solo } from './harness/solo.ts';

const net = testNet([10n, 10n, 10n, 10n]);
const own = present(net.keys[0], 'a key');
const fresh = testKey('somebody new').pubKey;
const withExtensions = (height: number) => ({
  ...DEFAULT_PARAMS,
  abci: { voteExtensionsEnableHeight: height },
});
const removed = (count: number) => net.keys.slice(0, count).map(({ pubKey }) => ({ pubKey, power: 0n }));

/** A node that has decided its first block, and has this answer to it. */
function answered(change: Partial<FinalizeReply>): Solo {
  const v3 = new Solo({ net, self: 3, hold: ['finalize'] }).start();
  const made = v3.block(0);
  v3.feed(...v3.proposal(made, 0)).feed(...v3.vote('precommit', 0, [0, 1, 2], made.blockId));
  const open = v3.effects.findLast((effect) => effect.kind === 'app');
  if (open?.kind !== 'app') throw new Error('no question is open');
  const reply = v3.reply(open);
  if (reply.kind !== 'finalized') throw new Error('the question is another');
  return v3.feed({
    kind: 'app',
    call: open.call,
    reply: { ...reply, result: { ...reply.result, ...change } },
  });
}

const UNUSABLE: readonly (readonly [string, Partial<FinalizeReply>, string])[] = [
  [
    'a key of a type that is not allowed',
    { validatorUpdates: [{ pubKey: { ...fresh, type: 'secp256k1' }, power: 1n }] },
    'key-type',
  ],
  [
    'one validator twice',
    { validatorUpdates: [1n, 2n].map((power) => ({ pubKey: fresh, power })) },
    'duplicate-address',
  ],
  ['a negative power', { validatorUpdates: [{ pubKey: fresh, power: -1n }] }, 'negative-power'],
  [
    'too much power for one',
    { validatorUpdates: [{ pubKey: fresh, power: TOTAL_POWER_MAX + 1n }] },
    'power-too-large',
  ],
  [
    'too much power for all',
    { validatorUpdates: [{ pubKey: fresh, power: TOTAL_POWER_MAX }] },
    'total-power-too-large',
  ],
  [
    'that somebody goes who is not there',
    { validatorUpdates: [{ pubKey: fresh, power: 0n }] },
    'remove-unknown',
  ],
  ['that everybody goes', { validatorUpdates: removed(4) }, 'empty-set'],
  [
    'results of more transactions than there are',
    {
      txResults: [TX_RESULT],
    },
    'result-count',
  ],
  [
    'blocks without room',
    { paramUpdates: { ...DEFAULT_PARAMS, block: { ...DEFAULT_PARAMS.block, maxBytes: 0 } } },
    'params',
  ],
  ['vote extensions from a height that is over', { paramUpdates: withExtensions(1) }, 'params'],
];

test.each(UNUSABLE)('%s', (_what, change, code) => {
  const v3 = answered(change);
  expect(v3.effects.at(-1)).toMatchObject({ kind: 'halt', reason: expect.stringContaining(code) });
  expect(v3.asks).not.toContain('commit');
  expect(v3.rs.height).toBe(1);
});

const USABLE: readonly (readonly [string, Partial<FinalizeReply>])[] = [
  ['a new validator', { validatorUpdates: [{ pubKey: fresh, power: 1n }] }],
  [
    'as much power as there may be',
    { validatorUpdates: [{ pubKey: own.pubKey, power: TOTAL_POWER_MAX - 30n }] },
  ],
  ['that all but one go', { validatorUpdates: removed(3) }],
  ['vote extensions from a height to come', { paramUpdates: withExtensions(2) }],
];

test.each(USABLE)('but %s is taken', (_what, change) => {
  expect(answered(change).rs.height).toBe(2);
});

test('vote extensions are never switched off again', () => {
  const checked = checkParamUpdate(withExtensions(5), withExtensions(0), 1);
  expect(checked).toMatchObject({ ok: false, error: { code: 'params' } });
});
