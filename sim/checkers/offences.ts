import type { ChainReader } from '../../core/app/chain.ts';
import { readOffences } from '../../core/app/evidence/keeper.ts';
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import { accused } from './framing.ts';

/** Whoever the blocks prove guilty is recorded as often as they do. */
export function offenceProblem(chain: ChainReader): string | undefined {
  const counts = new Map<string, { readonly address: Bytes; count: bigint }>();
  for (let height = Math.max(1, chain.base()); height <= chain.head(); height++) {
    for (const address of chain.block(height)?.evidence.flatMap(accused) ?? []) {
      const entry = counts.get(toHex(address)) ?? { address, count: 0n };
      entry.count += 1n;
      counts.set(toHex(address), entry);
    }
  }
  for (const { address, count } of counts.values()) {
    const recorded = readOffences(chain.latest(), address)?.count ?? 0n;
    if (recorded !== count)
      return `${recorded} offences of ${toHex(address)} are recorded, blocks prove ${count}`;
  }
  return undefined;
}
