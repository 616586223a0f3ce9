import { verifyMerkleProof } from '@ethereumjs/mpt';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bytes, hex, toHex } from '../../../core/lib/bytes.ts';
import { StorageFault } from '../../../core/lib/storageFault.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { decodeAccount, EMPTY_CODE_HASH, encodeAccount } from '../../../core/state/account.ts';
import { StateDb } from '../../../core/state/stateDb.ts';
import { StateView } from '../../../core/state/view.ts';
import { WorldState } from '../../../core/state/worldState.ts';
import { BlockWriteSet } from '../../../core/state/writeSet.ts';
import { codeKey } from '../../../core/store/keys.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { EMPTY_ROOT, EMPTY_ROOTS, type Roots } from '../../../core/store/roots.ts';

const ALICE = new Uint8Array(20).fill(0xa1);
const BOB = new Uint8Array(20).fill(0xb0);
const SLOT = new Uint8Array(32).fill(1);
const word = (n: number): Bytes => new Uint8Array(32).with(31, n);
const key = encodeUtf8('auth/alice');

class Chain {
  readonly kv = new MemoryKv();
  db = new StateDb(this.kv, keccak_256);
  roots: Roots = EMPTY_ROOTS;

  writes(): BlockWriteSet {
    return new BlockWriteSet(this.world());
  }

  world(): WorldState {
    return WorldState.open(this.db, this.roots);
  }

  block(write: (writes: BlockWriteSet) => void): Roots {
    const writes = this.writes();
    write(writes);
    const sealed = writes.seal();
    this.kv.apply(sealed.ops);
    this.roots = { stateRoot: sealed.stateRoot, modulesRoot: sealed.modulesRoot };
    return this.roots;
  }

  /** Forgets all caches: what is read comes from the database. */
  restart(): void {
    this.db = new StateDb(this.kv, keccak_256);
  }
}

test('an account whose removal is undone has all its storage again, looked at before or not', () => {
  const chain = new Chain();
  const before = chain.block((writes) => {
    writes.putAccount(ALICE, { balance: 5n });
    writes.putStorage(ALICE, SLOT, word(7));
    writes.putStorage(ALICE, word(2), word(8));
  });
  const after = chain.block((writes) => {
    expect(writes.storage(ALICE, SLOT)).toEqual(Uint8Array.of(7));
    writes.checkpoint();
    writes.deleteAccount(ALICE);
    writes.revert();
    expect(writes.storage(ALICE, SLOT)).toEqual(Uint8Array.of(7));
    expect(writes.storage(ALICE, word(2))).toEqual(Uint8Array.of(8));
  });
  expect(after).toEqual(before);
});

test('an account reads the same repeatedly, even after more accounts than the cache holds', () => {
  const chain = new Chain();
  const others = Array.from({ length: 5000 }, (_, i) => new Uint8Array(20).with(0, i >>> 8).with(1, i & 255));
  chain.block((writes) => {
    for (const [i, address] of others.entries()) writes.putAccount(address, { balance: BigInt(i + 1) });
  });
  const old = chain.world();
  for (let round = 0; round < 2; round++) {
    for (const [i, address] of others.entries()) expect(old.account(address)?.balance).toBe(BigInt(i + 1));
    expect(old.account(ALICE)).toBeUndefined();
  }
  chain.block((writes) => {
    writes.putAccount(ALICE, { balance: 5n });
    writes.deleteAccount(others[0] as Bytes);
  });
  expect(chain.world().account(ALICE)?.balance).toBe(5n);
  expect(chain.world().account(others[0] as Bytes)).toBeUndefined();
  expect(old.account(ALICE)).toBeUndefined();
  expect(old.account(others[0] as Bytes)?.balance).toBe(1n);
});

test('what a block writes is read back from the database at its roots, and older heights stand', () => {
  const chain = new Chain();
  const code = hex('60016002');
  const first = chain.block((writes) => {
    writes.putAccount(ALICE, { balance: 5n });
    writes.putModule(key, encodeUtf8('one'));
  });
  chain.block((writes) => {
    writes.putAccount(ALICE, { nonce: 1n });
    writes.putCode(BOB, code);
    writes.putStorage(BOB, SLOT, word(7));
    writes.putModule(key, undefined);
  });
  chain.restart();
  const now = new StateView(2, chain.world());
  expect(now.account(ALICE)).toMatchObject({ nonce: 1n, balance: 5n, storageRoot: EMPTY_ROOT });
  expect(now.code(BOB)).toEqual(code);
  expect(now.storage(BOB, SLOT)).toEqual(word(7));
  expect(now.storage(BOB, word(2))).toEqual(word(0));
  expect(now.module(key)).toBeUndefined();
  expect(now.modulesRoot).toEqual(EMPTY_ROOT);
  const before = new StateView(1, WorldState.open(chain.db, first));
  expect(before.account(ALICE)?.nonce).toBe(0n);
  expect(before.account(BOB)).toBeUndefined();
  expect(before.storage(BOB, SLOT)).toEqual(word(0));
  expect(before.module(key)).toEqual(encodeUtf8('one'));
});

test('one checkpoint covers accounts, slots, code and the module store', () => {
  const chain = new Chain();
  chain.block((writes) => writes.putAccount(ALICE, { balance: 5n }));
  const writes = chain.writes();
  writes.checkpoint();
  writes.putAccount(ALICE, { balance: 1n });
  writes.putStorage(ALICE, SLOT, word(3));
  writes.checkpoint();
  writes.putCode(ALICE, hex('00'));
  writes.putModule(key, word(1));
  writes.deleteAccount(ALICE);
  expect(writes.account(ALICE)).toBeUndefined();
  expect(writes.storage(ALICE, SLOT)).toEqual(new Uint8Array(0));
  writes.revert();
  expect(writes.account(ALICE)).toMatchObject({ balance: 1n, codeHash: EMPTY_CODE_HASH });
  expect(writes.storage(ALICE, SLOT)).toEqual(hex('03'));
  expect(writes.module(key)).toBeUndefined();
  writes.revert();
  expect(writes.account(ALICE)?.balance).toBe(5n);
  expect(writes.storage(ALICE, SLOT)).toEqual(new Uint8Array(0));
  expect(writes.seal()).toEqual({ ...chain.roots, ops: [] });
});

test('checkpoints are open one in another as deep as calls go, and some more', () => {
  const writes = new Chain().writes();
  for (let depth = 1; depth <= 1100; depth++) {
    writes.checkpoint();
    writes.putAccount(ALICE, { nonce: BigInt(depth) });
  }
  for (let depth = 1099; depth >= 1; depth--) {
    writes.revert();
    expect(writes.account(ALICE)?.nonce).toBe(BigInt(depth));
  }
});

test('at most 2048 checkpoints may be open', () => {
  const writes = new Chain().writes();
  for (let depth = 0; depth < 2048; depth++) writes.checkpoint();
  expect(() => writes.checkpoint()).toThrow('too many open checkpoints');
  writes.commit();
  writes.checkpoint();
  expect(writes.depth).toBe(2048);
});

test('a key of the module store has up to 128 bytes', () => {
  const writes = new Chain().writes();
  writes.putModule(new Uint8Array(128), word(1));
  expect(writes.module(new Uint8Array(128))).toEqual(word(1));
  expect(() => writes.putModule(new Uint8Array(129), word(1))).toThrow('module key length');
  expect(() => writes.module(new Uint8Array(129))).toThrow('module key length');
});

test('ranges of accounts and slots begin with the first when asked from zero on', () => {
  const chain = new Chain();
  chain.block((writes) => {
    for (const who of [ALICE, BOB]) writes.putAccount(who, { balance: 5n });
    for (const n of [1, 2, 3]) writes.putStorage(ALICE, word(n), word(n));
  });
  const zero = new Uint8Array(32);
  const accounts = chain.world().accountRange(zero, 9);
  expect(accounts.map(({ keyHash }) => toHex(keyHash))).toEqual(
    [ALICE, BOB].map((who) => toHex(keccak_256(who))).toSorted(),
  );
  expect(chain.world().accountRange(accounts[1]?.keyHash as Bytes, 9)).toEqual(accounts.slice(1));
  const slots = chain.world().storageRange(ALICE, zero, 9);
  expect(slots).toHaveLength(3);
  expect(chain.world().storageRange(ALICE, slots[2]?.keyHash as Bytes, 9)).toEqual(slots.slice(2));
  // From a hash that ends in zeros on, as whoever divides the range asks: what lies just below is not in it.
  for (const [i, { keyHash }] of slots.entries()) {
    const from = new Uint8Array(32);
    from[0] = (keyHash[0] as number) + 1;
    expect(chain.world().storageRange(ALICE, from, 9)).toEqual(slots.slice(i + 1));
  }
});

describe('original storage values', () => {
  test('are those of the start of the tx, through writes and reverts', () => {
    const chain = new Chain();
    chain.block((writes) => {
      writes.putAccount(ALICE, { balance: 1n });
      writes.putStorage(ALICE, SLOT, word(1));
    });
    const writes = chain.writes();
    writes.beginTx();
    writes.checkpoint();
    writes.putStorage(ALICE, SLOT, word(2));
    expect(writes.originalStorage(ALICE, SLOT)).toEqual(hex('01'));
    writes.revert();
    writes.putStorage(ALICE, SLOT, word(3));
    expect(writes.originalStorage(ALICE, SLOT)).toEqual(hex('01'));
    writes.beginTx();
    expect(writes.originalStorage(ALICE, SLOT)).toEqual(hex('03'));
    writes.putStorage(ALICE, SLOT, word(0));
    expect(writes.storage(ALICE, SLOT)).toEqual(new Uint8Array(0));
    expect(writes.originalStorage(ALICE, SLOT)).toEqual(hex('03'));
  });

  test('are empty once the storage was cleared', () => {
    const chain = new Chain();
    chain.block((writes) => {
      writes.putAccount(ALICE, { balance: 1n });
      writes.putStorage(ALICE, SLOT, word(1));
    });
    const writes = chain.writes();
    writes.clearStorage(ALICE);
    expect(writes.originalStorage(ALICE, SLOT)).toEqual(new Uint8Array(0));
    expect(writes.account(ALICE)?.storageRoot).toBe(EMPTY_ROOT);
  });
});

test('EIP-161: a touched account that is left empty goes, an undone touch does not count', () => {
  const chain = new Chain();
  chain.block((writes) => {
    writes.putAccount(ALICE, { balance: 0n });
    writes.putAccount(BOB, { balance: 0n });
  });
  expect(chain.world().account(BOB)).toBeDefined();
  const writes = chain.writes();
  writes.beginTx();
  writes.touch(ALICE);
  writes.checkpoint();
  writes.touch(BOB);
  writes.revert();
  writes.removeEmptyTouched();
  expect(writes.account(ALICE)).toBeUndefined();
  expect(writes.account(BOB)).toBeDefined();
});

test('an account made again after its deletion has none of its old storage', () => {
  const chain = new Chain();
  chain.block((writes) => {
    writes.putAccount(ALICE, { balance: 1n });
    writes.putStorage(ALICE, SLOT, word(1));
  });
  chain.block((writes) => {
    writes.deleteAccount(ALICE);
    writes.putAccount(ALICE, { balance: 2n });
    writes.putStorage(ALICE, word(9), word(9));
  });
  chain.restart();
  expect(chain.world().storage(ALICE, SLOT)).toEqual(word(0));
  expect(chain.world().storage(ALICE, word(9))).toEqual(word(9));
});

test('an account made again in the block that deleted it begins with nothing', () => {
  const chain = new Chain();
  chain.block((writes) => {
    writes.putAccount(ALICE, { nonce: 7n, balance: 100n });
    writes.putCode(ALICE, Uint8Array.of(1, 2, 3));
  });
  const writes = chain.writes();
  writes.deleteAccount(ALICE);
  writes.beginTx();
  writes.putAccount(ALICE, { balance: 5n });
  expect(writes.account(ALICE)).toMatchObject({ nonce: 0n, balance: 5n, codeHash: EMPTY_CODE_HASH });
  expect(writes.code(ALICE)).toHaveLength(0);
});

test('the order of writes does not matter to the roots', () => {
  const write = fc.record({
    address: fc.nat({ max: 9 }).map((n) => new Uint8Array(20).fill(n)),
    balance: fc.bigInt(1n, 1n << 90n),
    value: fc.integer({ min: 1, max: 4 }).map(word),
  });
  const distinct = fc.uniqueArray(write, { selector: ({ address }) => toHex(address), minLength: 1 });
  fc.assert(
    fc.property(distinct, (list) => {
      const rootOf = (order: typeof list): string => {
        const { stateRoot, modulesRoot } = new Chain().block((writes) => {
          for (const { address, balance, value } of order) {
            writes.putModule(address, value);
            writes.putAccount(address, { balance });
            writes.putStorage(address, value, word(1));
          }
        });
        return toHex(stateRoot) + toHex(modulesRoot);
      };
      expect(rootOf(list.toReversed())).toBe(rootOf(list));
    }),
    { numRuns: 50 },
  );
});

test('account, slot and module proofs lead to the roots', async () => {
  const chain = new Chain();
  chain.block((writes) => {
    for (let n = 0; n < 30; n++) {
      writes.putAccount(new Uint8Array(20).fill(n), { balance: BigInt(n + 1) });
      writes.putModule(Uint8Array.of(1, n), word(n + 1));
    }
    for (let n = 0; n < 30; n++) writes.putStorage(new Uint8Array(20).fill(3), word(n), word(n + 1));
  });
  const world = chain.world();
  const address = new Uint8Array(20).fill(3);
  const account = world.account(address);
  if (account === undefined) throw new Error('the account was written');
  expect(
    await verifyMerkleProof(keccak_256(address), world.proveAccount(address), { root: world.stateRoot }),
  ).toEqual(encodeAccount(account));
  const slotProof = world.proveStorage(address, word(5));
  expect(await verifyMerkleProof(keccak_256(word(5)), slotProof, { root: account.storageRoot })).toEqual(
    hex('06'),
  );
  const moduleKey = Uint8Array.of(1, 5);
  expect(
    await verifyMerkleProof(moduleKey, world.proveModule(moduleKey), { root: world.modulesRoot }),
  ).toEqual(word(6));
  expect(
    await verifyMerkleProof(keccak_256(ALICE), world.proveAccount(ALICE), { root: world.stateRoot }),
  ).toBeNull();
  expect(world.moduleEntries({ prefix: Uint8Array.of(1), limitMax: 2 }).map((entry) => entry.key)).toEqual([
    Uint8Array.of(1, 0),
    Uint8Array.of(1, 1),
  ]);
});

test('an account is read only from four items whose hashes have 32 bytes', () => {
  const account = { nonce: 1n, balance: 2n, storageRoot: EMPTY_ROOT, codeHash: EMPTY_CODE_HASH };
  expect(decodeAccount(encodeAccount(account))).toEqual(account);
  for (const change of [{ storageRoot: EMPTY_ROOT.slice(1) }, { codeHash: EMPTY_CODE_HASH.slice(1) }])
    expect(decodeAccount(encodeAccount({ ...account, ...change }))).toBeUndefined();
  expect(decodeAccount(hex('c3010203'))).toBeUndefined();
});

test('code that is missing or altered is a storage fault', () => {
  const chain = new Chain();
  const code = hex('6001600255');
  chain.block((writes) => writes.putCode(ALICE, code));
  const name = codeKey(keccak_256(code));
  chain.kv.apply([{ type: 'put', key: name, value: hex('6001600256') }]);
  chain.restart();
  expect(() => chain.world().code(ALICE)).toThrow(StorageFault);
  chain.kv.apply([{ type: 'del', key: name }]);
  expect(() => chain.world().code(ALICE)).toThrow('contract code missing');
});

test('a sealed write set takes no more writes, and a block ends outside of checkpoints', () => {
  const chain = new Chain();
  const writes = chain.writes();
  writes.checkpoint();
  expect(() => writes.seal()).toThrow('no open checkpoint');
  writes.commit();
  writes.seal();
  expect(() => writes.putModule(key, word(1))).toThrow('sealed');
  expect(() => writes.putAccount(ALICE, { balance: 1n })).toThrow('sealed');
  expect(() => writes.putStorage(ALICE, SLOT, word(1))).toThrow();
});

test('roots of now do not disturb the writes', () => {
  const chain = new Chain();
  const writes = chain.writes();
  writes.putAccount(ALICE, { balance: 1n });
  const now = writes.rootsNow();
  writes.putAccount(ALICE, { balance: 2n });
  expect(toHex(writes.rootsNow().stateRoot)).not.toBe(toHex(now.stateRoot));
  writes.putAccount(ALICE, { balance: 1n });
  expect(writes.seal().stateRoot).toEqual(now.stateRoot);
});
