import type { Bytes } from '../lib/bytes.ts';
import type { Roots } from '../store/roots.ts';
import type { Address, Hash, Height } from '../types/ids.ts';
import type { AccountState } from './account.ts';
import type { WorldState } from './worldState.ts';

/**
 * The state of a frozen height, without what only the application knows: it adds `auth`, which reads its modules'
 * records (`class AppView extends StateView implements View`).
 */
export class StateView implements Roots {
  readonly height: Height;
  /** For proofs, for ranges over the module store, and as the base of a call's writes. */
  readonly world: WorldState;

  constructor(height: Height, world: WorldState) {
    this.height = height;
    this.world = world;
  }

  get stateRoot(): Hash {
    return this.world.stateRoot;
  }

  get modulesRoot(): Hash {
    return this.world.modulesRoot;
  }

  account(address: Address): AccountState | undefined {
    return this.world.account(address);
  }

  code(address: Address): Bytes {
    return this.world.code(address);
  }

  storage(address: Address, slot: Bytes): Bytes {
    return this.world.storage(address, slot);
  }

  storageRange(address: Address, from: Hash, limitMax: number) {
    return this.world.storageRange(address, from, limitMax);
  }

  accountRange(from: Hash, limitMax: number) {
    return this.world.accountRange(from, limitMax);
  }

  changedSince(older: Roots): Iterable<Hash | undefined> {
    return this.world.changedSince(older);
  }

  /** The code with this hash. If it is missing, that is a storage fault. */
  codeOf(codeHash: Hash): Bytes {
    return this.world.db.code(codeHash);
  }

  module(key: Bytes): Bytes | undefined {
    return this.world.module(key);
  }

  proveAccount(address: Address): readonly Bytes[] {
    return this.world.proveAccount(address);
  }

  proveStorage(address: Address, slot: Bytes): readonly Bytes[] {
    return this.world.proveStorage(address, slot);
  }

  proveModule(key: Bytes): readonly Bytes[] {
    return this.world.proveModule(key);
  }
}
