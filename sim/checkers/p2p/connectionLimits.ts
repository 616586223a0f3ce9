import type { Process } from '../../machine/process.ts';
import type { Switchboard } from '../../peers/switchboard.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** A timer that is due again at once is a busy loop. Now and then a peer became due meanwhile, so a few are allowed. */
const VAIN_WAKES_MAX = 5;

/**
 * Counted at the sockets, not by the peer manager: correct nodes keep to connection limits and bans, keep one
 * connection a pair, and do not wake in vain over and over.
 */
export function connectionLimits(context: CheckerContext, board: Switchboard): Checker {
  const { world, fail } = context;
  const { spec } = board;
  const isNamed = (node: number): boolean => board.isNeeded(world.processes[node]?.name ?? '');
  const check = (node: Process): void => {
    const open = board.establishedOf(node.index);
    const counted = open.filter((one) => !isNamed(one.node));
    const outbound = counted.filter((one) => one.isOutbound).length;
    const inbound = counted.length - outbound;
    if (inbound > spec.inboundMax)
      fail('peers', `${node.name} has ${inbound} inbound peers, should have at most ${spec.inboundMax}`);
    if (outbound > spec.outboundMax)
      fail('peers', `${node.name} has ${outbound} outbound peers, should have at most ${spec.outboundMax}`);
    if (open.some((one) => one.node === node.index)) fail('peers', `${node.name} is connected with itself`);
    if (new Set(open.map((one) => one.node)).size < open.length)
      fail('peers', `${node.name} has two connections to one peer`);
    const vain = board.vainWakesOf(node.index);
    if (vain > VAIN_WAKES_MAX)
      fail(
        'peers',
        `${node.name} has been woken ${vain} times in a row by a timer for nothing, expected at most ${VAIN_WAKES_MAX} times`,
      );
    const banned = board.bannedBy(node.index);
    const unwanted = open.find((one) => banned.includes(one.node));
    if (unwanted !== undefined)
      fail(
        'peers',
        `${node.name} is connected with ${world.processes[unwanted.node]?.name}, which it banned`,
      );
  };
  return {
    name: 'peers',
    ...hearing(['connected', 'dropped', 'moved'], (fact) => {
      if (fact.node.isCorrect) check(fact.node);
    }),
    finish() {
      for (const node of world.processes) if (node.isCorrect) check(node);
    },
  };
}
