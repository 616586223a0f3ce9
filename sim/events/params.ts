import type { ConsensusParams } from '../../core/types/params.ts';

/** Consensus parameters as CometBFT's JSON writes them. */
export const shownParams = (params: ConsensusParams): Readonly<Record<string, unknown>> => ({
  block: { max_bytes: String(params.block.maxBytes), max_gas: String(params.block.maxGas) },
  evidence: {
    max_age_num_blocks: String(params.evidence.maxAgeNumBlocks),
    max_age_duration: String(params.evidence.maxAgeDurationNs),
    max_bytes: String(params.evidence.maxBytes),
  },
  validator: { pub_key_types: params.validator.pubKeyTypes },
  version: { app: String(params.version.app) },
  abci: { vote_extensions_enable_height: String(params.abci.voteExtensionsEnableHeight) },
});
