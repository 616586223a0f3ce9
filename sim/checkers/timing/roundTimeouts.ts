import type { ConsensusConfig } from '../../../core/consensus/contract.ts';

// Timeouts of a round in virtual µs, worked out apart from core/consensus/timeouts.ts (L21, L35, L48).
export const proposeMicros = (config: ConsensusConfig, round: number): number =>
  1000 * (config.timeoutProposeMs + config.timeoutProposeDeltaMs * round);
export const prevoteMicros = (config: ConsensusConfig, round: number): number =>
  1000 * (config.timeoutPrevoteMs + config.timeoutPrevoteDeltaMs * round);
export const precommitMicros = (config: ConsensusConfig, round: number): number =>
  1000 * (config.timeoutPrecommitMs + config.timeoutPrecommitDeltaMs * round);
