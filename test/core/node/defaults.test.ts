import { expect, test } from 'vitest';
import { DEFAULT_CONSENSUS_CONFIG } from '../../../core/consensus/contract.ts';
import { DEFAULT_MEMPOOL } from '../../../core/mempool/config.ts';
import { DEFAULT_RPC_LIMITS } from '../../../core/node/nodeConfig.ts';
import { DEFAULT_PARAMS } from '../../../core/types/params.ts';

test("default params and timeouts are CometBFT's", () => {
  expect(DEFAULT_PARAMS).toEqual({
    block: { maxBytes: 21 * 2 ** 20, maxGas: -1 },
    evidence: { maxAgeNumBlocks: 100_000, maxAgeDurationNs: 48n * 3600n * 10n ** 9n, maxBytes: 2 ** 20 },
    validator: { pubKeyTypes: ['ed25519'] },
    version: { app: 0 },
    abci: { voteExtensionsEnableHeight: 0 },
  });
  expect(DEFAULT_CONSENSUS_CONFIG).toEqual({
    timeoutProposeMs: 3000,
    timeoutProposeDeltaMs: 500,
    timeoutPrevoteMs: 1000,
    timeoutPrevoteDeltaMs: 500,
    timeoutPrecommitMs: 1000,
    timeoutPrecommitDeltaMs: 500,
    timeoutCommitMs: 1000,
    skipTimeoutCommit: false,
    createEmptyBlocks: true,
    createEmptyBlocksIntervalMs: 0,
  });
});

test("default mempool limits are CometBFT's, and the slots geth's", () => {
  expect(DEFAULT_MEMPOOL).toEqual({
    txsMax: 5000,
    bytesMax: 2 ** 30,
    txBytesMax: 2 ** 20,
    cacheMax: 10_000,
    laneSlots: 16,
    laneQueuedMax: 64,
    queuedMax: 1024,
    queuedLifetimeMs: 3 * 3600 * 1000,
    priceBumpPercent: 10,
    maxWaitMs: 0,
  });
});

test("default RPC limits are geth's, or those that Cosmos EVM chains share", () => {
  expect(DEFAULT_RPC_LIMITS).toMatchObject({
    gasCap: 50_000_000n,
    txFeeCapWei: 10n ** 18n,
    logsMax: 10_000,
    blockRangeMax: 10_000,
    feeHistoryMax: 1024,
    batchMax: 1000,
    batchResponseBytesMax: 25_000_000,
    bodyBytesMax: 5 * 2 ** 20,
    filtersMax: 10_000,
    filterTimeoutMs: 300_000,
    allowUnprotectedTxs: false,
  });
});
