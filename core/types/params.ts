import type { Height } from './ids.ts';

export interface ConsensusParams {
  readonly block: { readonly maxBytes: number; readonly maxGas: number };
  readonly evidence: {
    readonly maxAgeNumBlocks: number;
    /** Nanoseconds, as CometBFT counts durations. */
    readonly maxAgeDurationNs: bigint;
    readonly maxBytes: number;
  };
  readonly validator: { readonly pubKeyTypes: readonly string[] };
  readonly version: { readonly app: number };
  readonly abci: { readonly voteExtensionsEnableHeight: Height };
}

export const DEFAULT_PARAMS: ConsensusParams = {
  block: { maxBytes: 22020096, maxGas: -1 },
  evidence: { maxAgeNumBlocks: 100000, maxAgeDurationNs: 172800000000000n, maxBytes: 1048576 },
  validator: { pubKeyTypes: ['ed25519'] },
  version: { app: 0 },
  abci: { voteExtensionsEnableHeight: 0 },
};
