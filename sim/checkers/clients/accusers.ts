import type { Header } from '../../../core/types/block.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { Accuser } from '../../clients/accuser.ts';
import { type Checker, type CheckerContext, mayLose } from '../checker.ts';
import { mayExpire } from '../evidence/duplicateVotes.ts';
import { evidenceName, storedEvidence } from '../evidence/storedEvidence.ts';
import { isSound } from '../progressCore.ts';
import { isSluggish } from '../timing/waitingTime.ts';

/** A node that is up answers within this time, unless its drive holds it up. */
const ANSWER_MICROS = 10_000_000;
/** Evidence is in the database by the second block after the node took it. */
const STORED_BLOCKS = 2;

/**
 * RES: a node's verdict on each piece of evidence is CometBFT's. What it took is in a block or waits for one, unless it is
 * too old or the node crashed meanwhile. What it refused does neither.
 */
export function evidenceVerdicts(context: CheckerContext, clients: readonly Accuser[]): Checker {
  const name = 'rpc';
  return {
    name,
    finish() {
      for (const client of clients) {
        for (const complaint of client.complaints)
          context.fail(name, `${client.spec.name} at ${client.spec.at}: ${complaint}`);
        if (isUnanswered(client))
          context.fail(
            name,
            `${client.spec.name}: ${client.node.name} has not answered broadcast_evidence within ${ANSWER_MICROS} µs`,
          );
        if (client.node.isCorrect && !mayLose(context)) checkKept(client);
      }
    },
  };

  function isUnanswered({ node, open }: Accuser): boolean {
    const { world, scenario } = context;
    const { state, disk, lives } = node;
    if (state !== 'up' || mayLose(context) || !isSound(disk) || isSluggish(node, scenario)) return false;
    return [...open].some(
      ({ life, at }) => life === lives && world.now - Math.max(at, disk.lateUntil) > ANSWER_MICROS,
    );
  }

  function checkKept({ spec, node, taken, refused }: Accuser): void {
    const chain = node.state === 'up' ? node.node?.rpc?.chain : undefined;
    if (chain === undefined) return;
    const carried = new Set<string>();
    const headers: Header[] = [];
    for (let height = Math.max(1, chain.base()); height <= chain.head(); height++) {
      const block = chain.block(height);
      if (block === undefined) continue;
      headers.push(block.header);
      for (const piece of block.evidence) carried.add(evidenceName(piece));
    }
    // It is gone for good once it was too old, even if later parameters would allow it again.
    const mayHaveExpired = (evidence: Evidence, since: number): boolean =>
      headers.some((last) => last.height >= since && mayExpire(context, evidence, last));
    const { pending } = storedEvidence(node);
    for (const { evidence, life, head } of taken) {
      const piece = evidenceName(evidence);
      const isFresh = head + STORED_BLOCKS >= chain.head();
      if (life !== node.lives || isFresh || carried.has(piece) || pending.has(piece)) continue;
      if (!mayHaveExpired(evidence, head))
        context.fail(
          name,
          `${spec.name}: ${node.name} took evidence at height ${head}, and has lost it: it is neither stored nor in a block`,
        );
    }
    const wrong = refused.map(evidenceName).find((piece) => pending.has(piece));
    if (wrong !== undefined)
      context.fail(name, `${spec.name}: ${node.name} stores evidence that it answered with a refusal`);
  }
}
