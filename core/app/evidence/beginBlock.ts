import { formatAddress } from '../../address/kinds.ts';
import { typedEvent } from '../../events/eventTable.ts';
import type { BlockContext } from '../../types/app.ts';
import type { AbciEvent } from '../../types/result.ts';
import type { ModuleStore } from '../moduleStore.ts';
import { recordMisbehavior } from './keeper.ts';

/** Records the misbehavior that the block proves, before its first transaction. Emits one event per offence. */
export const beginBlock = (
  store: ModuleStore,
  { height, misbehavior }: Pick<BlockContext, 'height' | 'misbehavior'>,
  hrp: string,
): readonly AbciEvent[] =>
  recordMisbehavior(store, height, misbehavior).map(({ validator, offence, count }) =>
    typedEvent('misbehavior', [
      ['type', offence.kind],
      ['validator', formatAddress('cons', hrp, validator)],
      ['height', offence.height.toString()],
      ['power', offence.power.toString()],
      ['count', count.toString()],
    ]),
  );
