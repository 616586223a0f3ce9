import { headerHash } from '../../../core/codec/hashes.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import type { LightClient } from '../../clients/light.ts';
import { FROM_THE_FUTURE } from '../../clients/lightVerify.ts';
import type { Process } from '../../machine/process.ts';
import type { Expectation } from '../../scenario/scenario.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';
import { onlyAtTheEnd } from '../notJudged.ts';
import { isSound } from '../progressCore.ts';
import { longestOf } from './watchers.ts';

/** Actions that move a clock away from the time of clients. */
const MOVES_TIME: readonly string[] = ['skew', 'jump', 'drift'];

/**
 * AGR(light): a light client trusts only headers of the correct nodes' chain and refuses no header that a correct node
 * serves. If a third or more of the power is faulty, it may believe a false header, but detects that as long as it has
 * a correct witness.
 */
export function lightClients(context: CheckerContext, clients: readonly LightClient[]): Checker {
  const name = 'light';
  return {
    name,
    finish() {
      const chain = longestOf(context);
      if (chain === undefined) return;
      // Clocks make the time of blocks. If many of them are fast, or lie, blocks are from the future indeed.
      const isTimeSound =
        isTolerable(context) &&
        context.scenario.timeline.every(({ action }) => !MOVES_TIME.includes(action.kind));
      for (const { spec, verified, refused, attacks } of clients) {
        for (const { from, height, why } of refused)
          if (from.isCorrect && (isTimeSound || why !== FROM_THE_FUTURE))
            context.fail(
              name,
              `${spec.name} refused block ${height} of ${from.name}, which is correct: ${why}`,
            );
        // A witness with a new disk may have had the same block on the last one.
        const witnesses = spec.witnesses
          .map((one) => context.world.process(one))
          .filter(({ isCorrect, disk }) => isCorrect && disk.wipes === 0);
        for (const { height, hash, from } of verified) {
          const header = chain.blockMeta(height)?.header;
          if (header === undefined || toHex(headerHash(header)) === hash) continue;
          const isContradicted = witnesses.some((one) => !mayHave(context, one, height, hash));
          if (isTolerable(context) || (isContradicted && attacks.length === 0))
            context.fail(
              name,
              `${spec.name} believed ${from} that block ${height} is ${hash.slice(0, 12)}, it is ${toHex(headerHash(header)).slice(0, 12)}`,
            );
        }
        if (isTolerable(context) && attacks.length > 0)
          context.fail(name, `${spec.name} found two blocks that both count as decided`);
      }
    },
  };
}

/**
 * Whether the node has this very block. Where disks were exchanged, a node that has stopped may have it too: it stops when
 * the nodes with new disks decide another chain.
 */
function mayHave({ world }: CheckerContext, { node, disk }: Process, height: number, hash: string): boolean {
  const chain = isSound(disk) ? node?.rpc?.chain : undefined;
  if (chain === undefined) return world.forgetful.length > 0;
  const header = chain.blockMeta(height)?.header;
  return header !== undefined && toHex(headerHash(header)) === hash;
}

/** The light client has verified at least so many headers. */
export function lightClientProgress(
  context: CheckerContext,
  clients: readonly LightClient[],
  wanted: Extract<Expectation, { kind: 'light' }>,
): Checker {
  const name = 'light';
  return {
    name,
    ...onlyAtTheEnd,
    finish() {
      const count = clients.find(({ spec }) => spec.name === wanted.client)?.verified.length ?? 0;
      if (count < wanted.atLeast)
        context.fail(name, `${wanted.client} verified ${count} headers, expected ${wanted.atLeast}`);
    },
  };
}
