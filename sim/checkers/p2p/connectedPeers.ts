import { STEP } from '../../../core/types/messages.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { isSound } from '../progressCore.ts';

/** Within this time a node that writes its WAL knows of a connection. */
const HEARD_MICROS = 2_000_000;

/** Connections of one life. */
class Open {
  readonly peers = new Set<string>();
  changedAt = 0;
}

/**
 * A correct node's consensus knows exactly the peers that the node is connected with, and sends to no others. Excused:
 * recent changes and drives in trouble.
 */
export function connectedPeers(context: CheckerContext): Checker {
  const name = 'conduct';
  const { world } = context;
  const all = new Map<Process, Open>();
  const openOf = (node: Process): Open => {
    const open = all.get(node) ?? new Open();
    all.set(node, open);
    return open;
  };
  return {
    name,
    ...hearing(['started', 'sentUnconnected', 'peer', 'moved'], (fact) => {
      if (fact.kind === 'started') all.delete(fact.node);
      else if (fact.kind === 'sentUnconnected') {
        if (fact.node.isCorrect)
          context.fail(name, `${fact.node.name} sends a message to ${fact.peer}, which is not connected`);
      } else if (fact.kind === 'peer') {
        const open = openOf(fact.node);
        open.changedAt = world.now;
        if (fact.isUp) open.peers.add(fact.peer);
        else open.peers.delete(fact.peer);
      } else if (fact.node.isCorrect && fact.position.step === STEP.newHeight) {
        const { node } = fact;
        const { peers, changedAt } = openOf(node);
        if (world.now - changedAt < HEARD_MICROS || !isSound(node.disk)) return;
        // What it has not heard yet waits for its log.
        if ((node.node?.backlog() ?? 0) > 0) return;
        const told = (node.node?.rpc?.consensus?.peers() ?? []).map(({ id }) => id);
        const other = told.find((id) => !peers.has(id)) ?? lacking(new Set(told), peers);
        if (other !== undefined)
          context.fail(
            name,
            `${node.name} is${peers.has(other) ? '' : ' not'} connected with ${other}, and its consensus lists it as ${peers.has(other) ? 'no' : 'a'} peer`,
          );
      }
    }),
  };
}

/** A connected peer that the node's consensus does not know. */
function lacking(told: ReadonlySet<string>, peers: ReadonlySet<string>): string | undefined {
  for (const peer of peers) if (!told.has(peer)) return peer;
  return undefined;
}
