import { to0xHex, toHex } from '../core/lib/bytes.ts';
import type { PoolReader } from '../core/rpc/context.ts';

interface Held {
  readonly sender: string;
  readonly nonce: bigint;
  /** The next of its sender, or after others that are. */
  readonly isPending: boolean;
}

/** What a pool shows, by hash. */
type PoolContent = ReadonlyMap<string, Held>;

/** Undefined where others than Ethereum's transactions are in the pool, which are not shown. */
export function contentOf(pool: PoolReader): PoolContent | undefined {
  const content = new Map<string, Held>();
  for (const { sender, pending, queued } of pool.content()) {
    for (const tx of pending)
      content.set(to0xHex(tx.hash), { sender: toHex(sender), nonce: tx.nonce, isPending: true });
    for (const tx of queued)
      content.set(to0xHex(tx.hash), { sender: toHex(sender), nonce: tx.nonce, isPending: false });
  }
  const { pending, queued } = pool.stats();
  return content.size === pending + queued ? content : undefined;
}

/**
 * What a pool that took a transaction may not have done for it to those of others that could run. No block may have come in
 * between; nothing is said when more transactions have.
 */
export function changeProblem(
  before: PoolContent | undefined,
  after: PoolContent | undefined,
  hash: string,
): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const fresh = after.get(hash);
  if (fresh === undefined || [...after.keys()].some((one) => one !== hash && !before.has(one)))
    return undefined;
  const gone = [...before].filter(([one]) => !after.has(one));
  const stranger = gone.find(([, { sender, isPending }]) => isPending && sender !== fresh.sender);
  if (stranger === undefined) return undefined;
  const [victim] = stranger;
  if (gone.some(([, { sender, nonce }]) => sender === fresh.sender && nonce === fresh.nonce))
    return `${hash} replaced one of its sender and drove out ${victim} as well`;
  return fresh.isPending
    ? undefined
    : `${hash} waits for an earlier nonce and drove out ${victim}, which could run`;
}
