import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EthTx } from '../../../../core/app/chain.ts';
import { createCommon, EnginePool } from '../../../../core/app/evm/engine.ts';
import { type ExecutionRules, executeTx } from '../../../../core/app/evm/execute.ts';
import { forkRules } from '../../../../core/app/evm/forks.ts';
import { TX_GAS } from '../../../../core/app/evm/intrinsicGas.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { toHex } from '../../../../core/lib/bytes.ts';
import { StateDb } from '../../../../core/state/stateDb.ts';
import { WorldState } from '../../../../core/state/worldState.ts';
import { BlockWriteSet } from '../../../../core/state/writeSet.ts';
import { MemoryKv } from '../../../../core/store/memoryKv.ts';
import { EMPTY_ROOTS } from '../../../../core/store/roots.ts';

const engines = new EnginePool(createCommon(9000n, 'osaka', nobleSuite));
const rules = (plainTransfers: 'short' | 'evm', collectBaseFee: boolean): ExecutionRules => ({
  evmChainId: 9000n,
  fork: forkRules('osaka'),
  collectBaseFee,
  engines,
  suite: nobleSuite,
  plainTransfers,
});

const addressOf = (id: number): Uint8Array => new Uint8Array(20).fill(id + 0x40);
const SENDER = addressOf(0);
const BASE_FEE = 7n;

interface Case {
  readonly to: number;
  readonly value: bigint;
  readonly tip: bigint;
  readonly spareGas: bigint;
  readonly dataBytes: number;
  readonly proposer: number;
  readonly collect: boolean;
}

async function run(c: Case, way: 'short' | 'evm') {
  const writes = new BlockWriteSet(
    WorldState.open(new StateDb(new MemoryKv(), nobleSuite.keccak256), EMPTY_ROOTS),
  );
  writes.putAccount(SENDER, { balance: 10n ** 12n });
  writes.putAccount(addressOf(1), { balance: 5n });
  writes.putAccount(addressOf(2), { nonce: 1n });
  const tx: EthTx = {
    type: 2,
    hash: new Uint8Array(32),
    raw: new Uint8Array(0),
    from: SENDER,
    to: addressOf(c.to),
    nonce: 0n,
    gasLimit: TX_GAS + 40n * BigInt(c.dataBytes) + c.spareGas,
    value: c.value,
    data: new Uint8Array(c.dataBytes).fill(1),
    chainId: 9000n,
    gasPrice: undefined,
    maxFeePerGas: BASE_FEE + c.tip,
    maxPriorityFeePerGas: c.tip,
    accessList: [],
    authorizationList: [],
    v: 0n,
    r: 1n,
    s: 1n,
  };
  const env = {
    number: 5,
    coinbase: addressOf(c.proposer),
    timestamp: 1,
    prevRandao: new Uint8Array(32),
    gasLimit: 40_000_000n,
    baseFee: BASE_FEE,
    blockHash: () => new Uint8Array(32),
  };
  const effects = await executeTx(
    writes,
    env,
    { tx, pubKey: new Uint8Array(33).fill(2) },
    rules(way, c.collect),
  );
  const { stateRoot, modulesRoot } = writes.seal();
  const { isPlain, ...visible } = effects;
  return { isPlain, visible, roots: [toHex(stateRoot), toHex(modulesRoot)] };
}

// Ids: 0 the sender, 1 rich, 2 empty balance, 3 and 4 not existing.
const cases: fc.Arbitrary<Case> = fc.record({
  to: fc.integer({ min: 0, max: 4 }),
  value: fc.oneof(fc.constant(0n), fc.bigInt(1n, 10n ** 9n)),
  tip: fc.oneof(fc.constant(0n), fc.bigInt(1n, 1000n)),
  spareGas: fc.bigInt(0n, 100_000n),
  dataBytes: fc.integer({ min: 0, max: 40 }),
  proposer: fc.integer({ min: 0, max: 4 }),
  collect: fc.boolean(),
});

test('a plain transfer leaves the same state, receipt and numbers with and without the EVM', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (c) => {
      const short = await run(c, 'short');
      const evm = await run(c, 'evm');
      expect(short.isPlain).toBe(true);
      expect(evm.isPlain).toBe(false);
      expect(short.visible).toEqual(evm.visible);
      expect(short.roots).toEqual(evm.roots);
    }),
    { numRuns: 60 },
  );
});

test('a precompile is never a plain receiver', async () => {
  const writes = new BlockWriteSet(
    WorldState.open(new StateDb(new MemoryKv(), nobleSuite.keccak256), EMPTY_ROOTS),
  );
  expect(writes.code(new Uint8Array(20)).length).toBe(0);
  const address = new Uint8Array(20);
  address[19] = 4;
  expect(engines.isPrecompile(toHex(address))).toBe(true);
});
