import { compareBytes, toHex } from '../../lib/bytes.ts';
import { EvmStateAdapter } from '../../state/evmState.ts';
import type { BlockWriteSet } from '../../state/writeSet.ts';
import type { Address } from '../../types/ids.ts';

/**
 * The accounts that a transaction wrote, with their balances before it. From this follow, whatever the code did, which
 * accounts came into existence and how much of the native coin was destroyed.
 */
export class TouchLog {
  readonly #writes: BlockWriteSet;
  readonly #before = new Map<string, { readonly address: Address; readonly balance: bigint }>();

  constructor(writes: BlockWriteSet) {
    this.#writes = writes;
  }

  /** Must be called before an account's first change; later calls have no effect. */
  touch(address: Address): void {
    const key = toHex(address);
    if (this.#before.has(key)) return;
    this.#before.set(key, { address, balance: this.#writes.account(address)?.balance ?? 0n });
  }

  /** Touched accounts that exist now, in ascending order. */
  existing(): readonly Address[] {
    const addresses: Address[] = [];
    for (const { address } of this.#before.values()) {
      if (this.#writes.account(address) !== undefined) addresses.push(address);
    }
    return addresses.sort(compareBytes);
  }

  /** Sum of the touched balances now minus the sum before: the burned amount, as a negative number. */
  supplyChange(): bigint {
    let change = 0n;
    for (const { address, balance } of this.#before.values()) {
      change += (this.#writes.account(address)?.balance ?? 0n) - balance;
    }
    return change;
  }
}

/** The library's access to the write set. It logs each account that the library writes. */
export class LoggedState extends EvmStateAdapter {
  readonly #log: TouchLog;

  constructor(writes: BlockWriteSet, log: TouchLog) {
    super(writes);
    this.#log = log;
  }

  override putAccount(...args: Parameters<EvmStateAdapter['putAccount']>): Promise<void> {
    this.#log.touch(args[0].bytes);
    return super.putAccount(...args);
  }

  override deleteAccount(...args: Parameters<EvmStateAdapter['deleteAccount']>): Promise<void> {
    this.#log.touch(args[0].bytes);
    return super.deleteAccount(...args);
  }

  override modifyAccountFields(...args: Parameters<EvmStateAdapter['modifyAccountFields']>): Promise<void> {
    this.#log.touch(args[0].bytes);
    return super.modifyAccountFields(...args);
  }
}
