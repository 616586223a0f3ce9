import { type ConsensusConfig, DEFAULT_CONSENSUS_CONFIG } from '../../core/consensus/contract.ts';
import type { EngineSpec } from './chainSpecs.ts';
import type { Cursor } from './cursor.ts';
import { duration, positive } from './units.ts';

/** Time-outs by their names in the node's configuration. Round r waits for the first, plus r times its delta. */
const TIMEOUTS = {
  timeout_propose: 'timeoutProposeMs',
  timeout_propose_delta: 'timeoutProposeDeltaMs',
  timeout_prevote: 'timeoutPrevoteMs',
  timeout_prevote_delta: 'timeoutPrevoteDeltaMs',
  timeout_precommit: 'timeoutPrecommitMs',
  timeout_precommit_delta: 'timeoutPrecommitDeltaMs',
} as const satisfies Record<string, keyof ConsensusConfig>;
const TIMEOUT_KEYS = Object.keys(TIMEOUTS) as (keyof typeof TIMEOUTS)[];

const KEYS = [
  'crypto',
  'time_max',
  'block_time',
  'empty_blocks',
  'empty_blocks_interval',
  'skip_timeout_commit',
  'block_sync',
  'index',
  'block_gas',
  'pool_txs',
  'pool_bytes',
  'pool_lifetime',
  'pool_max_wait',
  'sizes_max',
  ...TIMEOUT_KEYS,
] as const;

type Fields = Partial<Record<(typeof KEYS)[number], Cursor>>;

const TIME_MAX = 24 * 3_600_000_000;
const DEFAULT_TIME_MAX = 600_000_000;

/** The section `engine`. What is left out has the node's default. */
export function engineOf(at: Cursor | undefined): EngineSpec {
  const fields: Fields = at?.fields(KEYS, 'engine: {crypto?, time_max?, …}') ?? {};
  const timeMax = fields.time_max === undefined ? DEFAULT_TIME_MAX : positive(fields.time_max);
  if (timeMax > TIME_MAX) fields.time_max?.fail('expected at most 24h');
  return {
    crypto: fields.crypto?.oneOf(['ed25519', 'keyed-hash'] as const, 'a signature scheme') ?? 'ed25519',
    timeMax,
    consensus: consensusOf(fields),
    blockSync: fields.block_sync?.boolean('block_sync') ?? false,
    isIndexed: fields.index?.boolean('index') ?? true,
    blockGas: fields.block_gas?.integer('gas', 21_000, 1_000_000_000),
    poolTxs: fields.pool_txs?.integer('a number of transactions', 1, 100_000),
    poolBytes: fields.pool_bytes?.integer('a number of bytes', 1_000, 1_000_000_000),
    poolLifetime: waitOf(fields.pool_lifetime),
    poolMaxWait: waitOf(fields.pool_max_wait),
    sizesMax: fields.sizes_max?.integer('a number', 1, 1_000),
  };
}

function waitOf(at: Cursor | undefined): number | undefined {
  const micros = at === undefined ? undefined : duration(at);
  if (micros !== undefined && micros < 1_000) at?.fail('expected at least 1ms');
  return micros;
}

function consensusOf(fields: Fields): ConsensusConfig {
  const millis = (at: Cursor | undefined, usual: number): number =>
    at === undefined ? usual : Math.floor(duration(at) / 1_000);
  const own = DEFAULT_CONSENSUS_CONFIG;
  const timeouts = TIMEOUT_KEYS.map((key) => {
    const value = millis(fields[key], own[TIMEOUTS[key]]);
    // If rounds never get longer, they may never be long enough.
    if (key.endsWith('_delta') && value === 0) fields[key]?.fail('expected at least 1ms');
    return [TIMEOUTS[key], value] as const;
  });
  return {
    ...own,
    ...Object.fromEntries(timeouts),
    timeoutCommitMs: millis(fields.block_time, own.timeoutCommitMs),
    skipTimeoutCommit: fields.skip_timeout_commit?.boolean('skip_timeout_commit') ?? own.skipTimeoutCommit,
    createEmptyBlocks: fields.empty_blocks?.boolean('empty_blocks') ?? own.createEmptyBlocks,
    createEmptyBlocksIntervalMs: millis(fields.empty_blocks_interval, own.createEmptyBlocksIntervalMs),
  };
}
