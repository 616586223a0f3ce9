import { to0xHex, toHex } from '../core/lib/bytes.ts';
import type { PoolReader } from '../core/rpc/context.ts';

interface Held {
  readonly sender: string;
  readonly nonce: bigint;
  /** The next of its sender, or after others that are. */
  readonly isPending: boolean;
}

/** What a pool shows, by hash. */
export type PoolContent = ReadonlyMap<string, Held>;

export function contentOf(pool: PoolReader): PoolContent {
  const content = new Map<string, Held>();
  for (const { sender, pending, queued } of pool.content()) {
    for (const tx of pending)
      content.set(to0xHex(tx.hash), { sender: toHex(sender), nonce: tx.nonce, isPending: true });
    for (const tx of queued)
      content.set(to0xHex(tx.hash), { sender: toHex(sender), nonce: tx.nonce, isPending: false });
  }
  return content;
}

/** What a pool that took a transaction may not have done to those of others for it; nothing is said when more has come meanwhile. */
export function changeProblem(before: PoolContent, after: PoolContent, hash: string): string | undefined {
  const fresh = after.get(hash);
  if (fresh === undefined || [...after.keys()].some((one) => one !== hash && !before.has(one)))
    return undefined;
  const gone = [...before].filter(([one]) => !after.has(one));
  const stranger = gone.find(([, { sender }]) => sender !== fresh.sender);
  if (stranger === undefined) return undefined;
  const [victim, { isPending }] = stranger;
  if (gone.some(([, { sender, nonce }]) => sender === fresh.sender && nonce === fresh.nonce))
    return `${hash} replaced one of its sender and drove out ${victim} as well`;
  return isPending && !fresh.isPending
    ? `${hash} waits for an earlier nonce and drove out ${victim}, which could run`
    : undefined;
}
