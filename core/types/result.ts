import type { Bytes } from '../lib/bytes.ts';

export interface EventAttribute {
  readonly key: string;
  readonly value: string;
  readonly index: boolean;
}

export interface AbciEvent {
  readonly type: string;
  readonly attributes: readonly EventAttribute[];
}

/** ABCI ExecTxResult; code, data, gasWanted and gasUsed enter LastResultsHash. */
export interface TxResult {
  readonly code: number;
  readonly data: Bytes;
  readonly log: string;
  readonly info: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly AbciEvent[];
  readonly codespace: string;
}
