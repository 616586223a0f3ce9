import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM } from '@ethereumjs/evm';
import { Caches, MerkleStateManager } from '@ethereumjs/statemanager';
import { Account, Address } from '@ethereumjs/util';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bytes, concat, hex, toHex } from '../../../core/lib/bytes.ts';
import { EvmStateAdapter } from '../../../core/state/evmState.ts';
import { StateDb } from '../../../core/state/stateDb.ts';
import { WorldState } from '../../../core/state/worldState.ts';
import { BlockWriteSet } from '../../../core/state/writeSet.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { EMPTY_ROOTS, type Roots } from '../../../core/store/roots.ts';

const ADDRESSES = [1, 2, 3].map((n) => new Address(new Uint8Array(20).fill(n)));
const SLOTS = [0, 1, 2].map((n) => new Uint8Array(32).fill(n));

type Step =
  | { readonly kind: 'pay'; readonly who: number; readonly wei: bigint }
  | { readonly kind: 'nonce'; readonly who: number }
  | { readonly kind: 'store'; readonly who: number; readonly slot: number; readonly value: Bytes }
  | { readonly kind: 'code'; readonly who: number; readonly code: Bytes }
  | { readonly kind: 'clear'; readonly who: number }
  | { readonly kind: 'checkpoint' | 'commit' | 'revert' | 'endTx' | 'endBlock' };

const who = fc.nat({ max: ADDRESSES.length - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pay' as const), who, wei: fc.bigInt(0n, 1n << 70n) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('nonce' as const), who }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      who,
      slot: fc.nat({ max: SLOTS.length - 1 }),
      value: fc.oneof(fc.constant(new Uint8Array(0)), fc.uint8Array({ minLength: 1, maxLength: 32 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('code' as const), who, code: fc.uint8Array({ maxLength: 40 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), who }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'checkpoint' as const,
        'checkpoint' as const,
        'commit' as const,
        'revert' as const,
        'endTx' as const,
        'endBlock' as const,
      ),
    }),
  },
);

/** Our state over a database that lives through blocks. */
class Chain {
  readonly kv = new MemoryKv();
  readonly db = new StateDb(this.kv, keccak_256);
  roots: Roots = EMPTY_ROOTS;
  state = this.#fresh();

  #fresh(): EvmStateAdapter {
    return new EvmStateAdapter(new BlockWriteSet(WorldState.open(this.db, this.roots)));
  }

  endBlock(): string {
    const sealed = this.state.writes.seal();
    this.kv.apply(sealed.ops);
    this.roots = { stateRoot: sealed.stateRoot, modulesRoot: sealed.modulesRoot };
    this.state = this.#fresh();
    return toHex(this.roots.stateRoot);
  }
}

const newReference = (): MerkleStateManager => new MerkleStateManager({ caches: new Caches() });
type Both = readonly [EvmStateAdapter, MerkleStateManager];

/** Applies a step to both and answers what each said of the slot's original value, asked before the write as SSTORE does. */
async function applyStep(states: Both, done: Extract<Step, { who: number }>): Promise<Bytes[]> {
  const originals: Bytes[] = [];
  for (const state of states) {
    const address = ADDRESSES[done.who] as Address;
    const account = (await state.getAccount(address)) ?? new Account();
    if (done.kind === 'pay') account.balance = done.wei;
    if (done.kind === 'nonce') account.nonce += 1n;
    if (done.kind === 'pay' || done.kind === 'nonce' || done.kind === 'store')
      await state.putAccount(address, account);
    if (done.kind === 'store') {
      originals.push(await state.originalStorageCache.get(address, SLOTS[done.slot] as Bytes));
      await state.putStorage(address, SLOTS[done.slot] as Bytes, done.value);
    }
    // Code and cleared storage as the EVM uses them: on accounts that exist.
    if (done.kind === 'code' && (await state.getAccount(address)) !== undefined)
      await state.putCode(address, done.code);
    if (done.kind === 'clear' && (await state.getAccount(address)) !== undefined)
      await state.clearStorage(address);
  }
  return originals;
}

async function expectSameReads([ours, theirs]: Both): Promise<void> {
  for (const address of ADDRESSES) {
    const [a, b] = [await ours.getAccount(address), await theirs.getAccount(address)];
    expect([a?.nonce, a?.balance, a && toHex(a.codeHash)]).toEqual([
      b?.nonce,
      b?.balance,
      b && toHex(b.codeHash),
    ]);
    expect(await ours.getCode(address)).toEqual(await theirs.getCode(address));
    expect(await ours.getCodeSize(address)).toBe(await theirs.getCodeSize(address));
    if (b === undefined) continue;
    for (const slot of SLOTS) {
      expect(await ours.getStorage(address, slot)).toEqual(await theirs.getStorage(address, slot));
    }
  }
}

describe('against MerkleStateManager', () => {
  test('any program of writes, checkpoints, txs and blocks reads the same and ends in the same roots', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 50 }), async (steps) => {
        const chain = new Chain();
        const theirs = newReference();
        // Both count a tx from its outermost checkpoint on.
        const begin = async (): Promise<void> => {
          await chain.state.checkpoint();
          await theirs.checkpoint();
          await expectSameReads([chain.state, theirs]);
        };
        const end = async (): Promise<void> => {
          while (chain.state.writes.depth > 0) await Promise.all([chain.state.commit(), theirs.commit()]);
          chain.state.originalStorageCache.clear();
          theirs.originalStorageCache.clear();
          cleared.clear();
        };
        const cleared = new Set<number>();
        await begin();
        for (const done of steps) {
          const both = [chain.state, theirs] as const;
          if ('who' in done) {
            // Storage is only cleared where a contract is made; theirs then still answers with older originals.
            if (done.kind === 'clear') cleared.add(done.who);
            const [a, b] = await applyStep(both, done);
            if (!cleared.has(done.who)) expect(a).toEqual(b);
          } else if (done.kind === 'checkpoint') for (const state of both) await state.checkpoint();
          else if (done.kind === 'endTx' || done.kind === 'endBlock') {
            await end();
            const root = done.kind === 'endTx' ? chain.state.getStateRoot().then(toHex) : chain.endBlock();
            expect(await root).toBe(toHex(await theirs.getStateRoot()));
            await begin();
          } else if (chain.state.writes.depth > 1) {
            for (const state of both) await (done.kind === 'commit' ? state.commit() : state.revert());
          }
          await expectSameReads([chain.state, theirs]);
        }
        await end();
        expect(chain.endBlock()).toBe(toHex(await theirs.getStateRoot()));
      }),
      { numRuns: 40 },
    );
  });
});

/** Opcodes that touch state, a few pushes to feed them, and enough control to fail now and then. */
const PUSH_SMALL = fc.integer({ min: 0, max: 3 }).map((n) => [0x60, n]);
const opcode = fc.oneof(
  { weight: 12, arbitrary: PUSH_SMALL },
  { weight: 6, arbitrary: fc.constant([0x55]) }, // SSTORE
  { weight: 3, arbitrary: fc.constant([0x54]) }, // SLOAD
  { weight: 1, arbitrary: fc.constant([0x30, 0x31]) }, // ADDRESS BALANCE
  { weight: 1, arbitrary: fc.constant([0x5c]) }, // TLOAD
  { weight: 1, arbitrary: fc.constant([0x5d]) }, // TSTORE
  // CALL the other contract with 1 wei: out, outSize, in, inSize, value, address, gas
  {
    weight: 3,
    arbitrary: fc.constant([0x5f, 0x5f, 0x5f, 0x5f, 0x60, 1, 0x73, ...new Array(20).fill(2), 0x5a, 0xf1]),
  },
  // DELEGATECALL it
  { weight: 2, arbitrary: fc.constant([0x5f, 0x5f, 0x5f, 0x5f, 0x73, ...new Array(20).fill(2), 0x5a, 0xf4]) },
  // CREATE with init code SSTORE(1, 1) and 2 wei: MSTORE(0, PUSH1 1 PUSH1 1 SSTORE), CREATE(2, 27, 5)
  {
    weight: 2,
    arbitrary: fc.constant([0x64, 0x60, 1, 0x60, 1, 0x55, 0x5f, 0x52, 0x60, 5, 0x60, 27, 0x60, 2, 0xf0]),
  },
  { weight: 1, arbitrary: fc.constant([0x73, ...new Array(20).fill(3), 0xff]) }, // SELFDESTRUCT to 3
  { weight: 1, arbitrary: fc.constant([0x5f, 0x5f, 0xfd]) }, // REVERT
  { weight: 1, arbitrary: fc.constant([0x00]) }, // STOP
);
const program = fc
  .array(opcode, { minLength: 4, maxLength: 40 })
  .map((parts) => Uint8Array.from(parts.flat()));

test('any bytecode runs the same on it: result, gas, refund and root', async () => {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(program, program), { minLength: 1, maxLength: 3 }), async (blocks) => {
      const chain = new Chain();
      const theirs = newReference();
      for (const codes of blocks) {
        const outcomes: unknown[] = [];
        for (const stateManager of [chain.state, theirs]) {
          for (const [i, code] of codes.entries()) {
            const address = ADDRESSES[i] as Address;
            const account = (await stateManager.getAccount(address)) ?? new Account(1n, 1000n);
            await stateManager.putAccount(address, account);
            await stateManager.putCode(address, code);
          }
          const evm = await createEVM({ common, stateManager });
          for (const caller of [ADDRESSES[2] as Address, ADDRESSES[2] as Address]) {
            await stateManager.checkpoint();
            const { execResult } = await evm.runCall({
              caller,
              to: ADDRESSES[0] as Address,
              gasLimit: 300_000n,
              value: 0n,
            });
            for (const dead of execResult.selfdestruct?.keys() ?? []) {
              await evm.journal.deleteAccount(new Address(hex(dead)));
            }
            await evm.journal.cleanup();
            await stateManager.commit();
            stateManager.originalStorageCache.clear();
            outcomes.push([
              execResult.executionGasUsed,
              execResult.gasRefund,
              execResult.exceptionError?.error,
              toHex(execResult.returnValue),
            ]);
          }
        }
        expect(outcomes.slice(0, 2)).toEqual(outcomes.slice(2));
        expect(chain.endBlock()).toBe(toHex(await theirs.getStateRoot()));
      }
    }),
    { numRuns: 40 },
  );
});

test('a changed Account changes nothing until it is put back', async () => {
  const { state } = new Chain();
  const address = ADDRESSES[0] as Address;
  await state.putAccount(address, new Account(0n, 5n));
  const account = (await state.getAccount(address)) as Account;
  account.balance = 7n;
  expect((await state.getAccount(address))?.balance).toBe(5n);
});

test('the fields that are given are changed, and the others stay', async () => {
  const { state } = new Chain();
  const address = ADDRESSES[0] as Address;
  const [first, second] = [keccak_256(Uint8Array.of(1)), keccak_256(Uint8Array.of(2))];
  await state.modifyAccountFields(address, { nonce: 3n, balance: 4n, codeHash: first });
  expect(await state.getAccount(address)).toMatchObject({ nonce: 3n, balance: 4n, codeHash: first });
  await state.modifyAccountFields(address, { codeHash: second });
  expect(await state.getAccount(address)).toMatchObject({ nonce: 3n, balance: 4n, codeHash: second });
});

test('a shallow copy stands on the same frozen state without the writes', async () => {
  const chain = new Chain();
  const [first, second] = ADDRESSES as [Address, Address];
  await chain.state.putAccount(first, new Account(0n, 5n));
  chain.endBlock();
  await chain.state.putAccount(second, new Account(0n, 6n));
  const copy = chain.state.shallowCopy();
  expect((await copy.getAccount(first))?.balance).toBe(5n);
  expect(await copy.getAccount(second)).toBeUndefined();
  expect(await copy.hasStateRoot(chain.roots.stateRoot)).toBe(true);
  expect(await copy.hasStateRoot(EMPTY_ROOTS.stateRoot)).toBe(true);
  expect(await copy.hasStateRoot(keccak_256(concat(first.bytes)))).toBe(false);
  await copy.setStateRoot(chain.roots.stateRoot);
  await expect(copy.setStateRoot(EMPTY_ROOTS.stateRoot)).rejects.toThrow('cannot change its state');
});
