import { present } from '../../lib/assert.ts';
import { type Bytes, parseHex, toHex } from '../../lib/bytes.ts';
import type { BlockWriteSet } from '../../state/writeSet.ts';
import type { AccountOverride } from '../chain.ts';
import { toWord } from './numbers.ts';
import type { Precompiles } from './precompiles.ts';

/** The state overrides of a call, by lower-case hex address without prefix. */
export type Overrides = ReadonlyMap<string, AccountOverride>;

export const NO_OVERRIDES: Overrides = new Map();

const bytesOf = (text: string): Bytes => {
  const parsed = parseHex(text);
  return present(parsed.ok ? parsed.value : undefined, 'override keys are hex');
};

export function applyOverrides(writes: BlockWriteSet, overrides: Overrides): void {
  for (const [key, override] of overrides) {
    const address = bytesOf(key);
    const { nonce, balance, code, state, stateDiff } = override;
    writes.putAccount(address, {
      ...(nonce === undefined ? {} : { nonce }),
      ...(balance === undefined ? {} : { balance }),
    });
    if (code !== undefined) writes.putCode(address, code);
    if (state !== undefined) writes.clearStorage(address);
    for (const [slot, value] of state ?? stateDiff ?? []) {
      writes.putStorage(address, toWord(bytesOf(slot)), toWord(value));
    }
  }
}

/** An overridden precompile becomes a normal account; the override may move the precompile to another address. */
export function precompilesUnder(active: Precompiles, overrides: Overrides): Precompiles {
  const moved = [...overrides].filter(([key]) => active.has(key));
  if (moved.length === 0) return active;
  const left = new Map(active);
  for (const [key, { movePrecompileTo }] of moved) {
    const run = present(active.get(key), 'filtered above');
    if (movePrecompileTo !== undefined) left.set(toHex(movePrecompileTo), run);
    left.delete(key);
  }
  return left;
}
