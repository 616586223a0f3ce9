import { expect, test } from 'vitest';
import type { ChainReads } from '../../../core/store/chainReads.ts';
import type { StoredState } from '../../../core/store/stateRecord.ts';
import { stateBefore } from '../../../core/store/undo.ts';
import type { FinalizeReply } from '../../../core/types/app.ts';

const NOW = {
  lastBlockHeight: 7,
  lastHeightValidatorsChanged: 9,
  lastHeightParamsChanged: 8,
} as StoredState;

/** Of a chain whose block 7 changed these. */
const before = (results: Partial<FinalizeReply>): StoredState | undefined =>
  stateBefore(
    {
      loadMeta: (height: number) =>
        ({ blockId: {}, header: { height, time: {} } }) as ReturnType<ChainReads['loadMeta']>,
      loadResults: () => ({ validatorUpdates: [], paramUpdates: undefined, ...results }) as FinalizeReply,
    } as unknown as ChainReads,
    NOW,
  );

test('a change that the block taken back made is still to come', () => {
  const update = { pubKey: { type: 'ed25519', bytes: new Uint8Array(32) }, power: 1n } as const;
  expect(before({ validatorUpdates: [update] })).toMatchObject({
    lastHeightValidatorsChanged: 7,
    lastHeightParamsChanged: 8,
  });
  expect(before({ paramUpdates: {} as NonNullable<FinalizeReply['paramUpdates']> })).toMatchObject({
    lastHeightValidatorsChanged: 9,
    lastHeightParamsChanged: 7,
  });
});

test('a change of an earlier block stays when it was', () => {
  expect(before({})).toMatchObject({ lastHeightValidatorsChanged: 9, lastHeightParamsChanged: 8 });
});
