import { toHex } from '../../core/lib/bytes.ts';
import type { FactOf } from './facts.ts';
import type { World } from './world.ts';

export const REMARKED = ['committed', 'signed', 'started', 'moved', 'stable'] as const;

/** Puts what the observer sees into the trace, next to the inputs that made it happen. */
export function remarkFact(world: World, fact: FactOf<(typeof REMARKED)[number]>): void {
  switch (fact.kind) {
    case 'event':
      world.remark(
        'decided',
        fact.node,
        `${fact.event.block.header.height} ${toHex(fact.event.blockId.hash).slice(0, 12)}`,
      );
      return;
    case 'signed':
      world.remark('signs', fact.node, `${fact.ask.kind} ${fact.ask.height}/${fact.ask.round}`);
      return;
    case 'started':
      world.remark('started', fact.node, fact.tornBytes > 0 ? `${fact.tornBytes} torn bytes cut off` : '');
      return;
    case 'moved':
      world.remark('moved', fact.node, '');
      return;
    case 'stable':
      world.remark('stable', undefined, '');
      return;
  }
}
