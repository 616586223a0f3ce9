import type { FinalizeReply } from '../../../../core/types/app.ts';
import type { TxResult } from '../../../../core/types/result.ts';

/** The result of a successful transaction without effects. */
export const TX_RESULT: TxResult = {
  code: 0,
  data: new Uint8Array(0),
  log: '',
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  codespace: '',
};

/** The answer to finalize of a toy application, in which every transaction succeeds. */
export const executed = (txs: readonly Uint8Array[], appHash: Uint8Array): FinalizeReply => ({
  txResults: txs.map(() => TX_RESULT),
  events: [],
  validatorUpdates: [],
  paramUpdates: undefined,
  appHash,
});
