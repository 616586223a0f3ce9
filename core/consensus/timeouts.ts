import type { Millis, Round } from '../types/ids.ts';
import type { ConsensusConfig } from './contract.ts';

/** Timeouts grow with the round until they exceed the actual network delay (paper §III, L21, L35, L48). */
export const proposeTimeoutMs = (config: ConsensusConfig, round: Round): Millis =>
  config.timeoutProposeMs + round * config.timeoutProposeDeltaMs;

export const prevoteTimeoutMs = (config: ConsensusConfig, round: Round): Millis =>
  config.timeoutPrevoteMs + round * config.timeoutPrevoteDeltaMs;

export const precommitTimeoutMs = (config: ConsensusConfig, round: Round): Millis =>
  config.timeoutPrecommitMs + round * config.timeoutPrecommitDeltaMs;

/** Whether round 0 waits for something to propose. */
export const waitsForTxs = (config: ConsensusConfig): boolean =>
  !config.createEmptyBlocks || config.createEmptyBlocksIntervalMs > 0;
