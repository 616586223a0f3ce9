import type { AccessListItem, CallArgs, CallOptions, View } from '../../app/chain.ts';
import { bigintToFixed } from '../../app/evm/numbers.ts';
import { addressOfWord } from '../../app/evm/refusedFrame.ts';
import { type Bytes, hex, to0xHex, toHex } from '../../lib/bytes.ts';
import type { Step, TraceHooks, TxStart } from '../../types/trace.ts';
import type { RpcContext } from '../context.ts';
import { serverError } from '../rpcError.ts';
import { encodeUnsigned, type FilledTx } from './signTx.ts';

const STORAGE_LIKE = new Set([0x54, 0x55]);
const TOP_ADDRESS = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]);
const CALL_LIKE = new Set([0xf1, 0xf2, 0xf4, 0xfa]);
/**
 * Runs until the list no longer changes, but at most this often: a contract that reads its gas could change it for
 * ever.
 */
const ROUNDS_MAX = 10;

/** Collects the addresses and slots that an execution touches (geth's AccessListTracer). */
class Touched implements TraceHooks {
  readonly slots = new Map<string, Set<string>>();
  readonly #isFree: (addressHex: string) => boolean;
  readonly #warm = new Set<string>();

  constructor(list: readonly AccessListItem[], isFree: (addressHex: string) => boolean) {
    this.#isFree = isFree;
    for (const { address, storageKeys } of list) {
      if (isFree(toHex(address))) continue;
      const slots = this.#entry(toHex(address));
      for (const key of storageKeys) slots.add(toHex(key));
    }
  }

  /**
   * Removes addresses that are warm anyway, even those of the call's own list: they return only with slots that the run
   * touches.
   */
  start({ from, to, authorities }: TxStart): void {
    for (const address of [from, to, ...authorities]) {
      const key = toHex(address);
      this.#warm.add(key);
      this.slots.delete(key);
    }
  }

  step({ code, stack, address }: Step): void {
    const top = stack.at(-1);
    if (top === undefined) return;
    if (STORAGE_LIKE.has(code)) this.#entry(toHex(address)).add(toHex(bigintToFixed(top, 32)));
    else if (TOP_ADDRESS.has(code)) this.#address(addressOfWord(top));
    else if (CALL_LIKE.has(code) && stack.length >= 5) this.#address(addressOfWord(stack.at(-2) as bigint));
  }

  #address(address: Bytes): void {
    const key = toHex(address);
    if (!this.#warm.has(key) && !this.#isFree(key)) this.#entry(key);
  }

  #entry(key: string): Set<string> {
    const slots = this.slots.get(key) ?? new Set();
    this.slots.set(key, slots);
    return slots;
  }

  /** Sorted by address and by slot. */
  list(): readonly AccessListItem[] {
    return [...this.slots.keys()].sort().map((address) => ({
      address: hex(address),
      storageKeys: [...(this.slots.get(address) ?? [])].sort().map((slot) => hex(slot)),
    }));
  }
}

const textOf = (list: readonly AccessListItem[]): string =>
  list.map(({ address, storageKeys }) => [toHex(address), ...storageKeys.map(toHex)].join()).join(';');

/** The unsigned transaction, whose hash geth's error names when it cannot run. */
function unsignedOf(ctx: RpcContext, view: View, args: CallArgs): FilledTx {
  const { gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, gas = 0n, from, nonce } = args;
  return {
    ...args,
    chainId: ctx.chain.evmChainId,
    gas,
    nonce: nonce ?? (from && view.account(from)?.nonce) ?? 0n,
    fees: gasPrice === undefined ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice },
  };
}

/**
 * The addresses and slots that the call touches beyond those that are warm anyway, and its gas with that list. All
 * rounds share the time of one execution. Throws RpcError.
 */
export async function createAccessList(ctx: RpcContext, view: View, args: CallArgs, options: CallOptions) {
  let { accessList } = args;
  const guard = ctx.evm.guard();
  for (let round = 0; ; round++) {
    const touched = new Touched(accessList, (address) => ctx.evm.isPrecompile(address));
    const outcome = await ctx.evm.call(view, { ...args, accessList }, { ...options, trace: touched, guard });
    if (outcome.kind === 'refused') {
      const hash = ctx.suite.keccak256(encodeUnsigned(unsignedOf(ctx, view, { ...args, accessList })));
      throw serverError(`failed to apply transaction: ${to0xHex(hash)} err: ${outcome.reason}`);
    }
    const found = touched.list();
    if (textOf(found) === textOf(accessList) || round === ROUNDS_MAX) {
      const error =
        outcome.kind === 'returned'
          ? undefined
          : outcome.kind === 'reverted'
            ? 'execution reverted'
            : outcome.message;
      return { accessList: found, gasUsed: outcome.gasUsed, error };
    }
    accessList = found;
  }
}
