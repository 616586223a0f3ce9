import type { EventWord } from '../scenario/scenario.ts';
import type { Fact } from '../world/facts.ts';

/** Whether a fact is what `crashed(v1)` or `checkpoint(half)` waits for. */
export function isAwaited(
  awaited: { readonly event: EventWord; readonly node: string },
  fact: Fact,
): boolean {
  if (fact.kind !== awaited.event) return false;
  return awaited.node === (fact.kind === 'checkpoint' ? fact.name : fact.node.name);
}
