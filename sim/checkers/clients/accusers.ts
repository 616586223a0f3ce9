import type { Accuser } from '../../clients/accuser.ts';
import { type Checker, type CheckerContext, mayLose } from '../checker.ts';
import { mayExpire } from '../evidence/duplicateVotes.ts';
import { evidenceName, storedEvidence } from '../evidence/storedEvidence.ts';

/** A node that is up answers within this time. */
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
        for (const complaint of client.complaints) context.fail(name, `${client.spec.name}: ${complaint}`);
        if (isUnanswered(client))
          context.fail(
            name,
            `${client.spec.name}: ${client.node.name} has not answered evidence that it got`,
          );
        if (client.node.isCorrect && !mayLose(context)) checkKept(client);
      }
    },
  };

  function isUnanswered({ node, open }: Accuser): boolean {
    const { now } = context.world;
    return (
      node.state === 'up' &&
      !mayLose(context) &&
      [...open].some(({ life, at }) => life === node.lives && now - at > ANSWER_MICROS)
    );
  }

  function checkKept({ spec, node, taken, refused }: Accuser): void {
    const chain = node.state === 'up' ? node.node?.rpc?.chain : undefined;
    const last = chain?.blockMeta(chain.head())?.header;
    if (chain === undefined || last === undefined) return;
    const carried = new Set<string>();
    for (let height = Math.max(1, chain.base()); height <= chain.head(); height++)
      for (const piece of chain.block(height)?.evidence ?? []) carried.add(evidenceName(piece));
    const { pending } = storedEvidence(node);
    for (const { evidence, life, head } of taken) {
      const piece = evidenceName(evidence);
      const isFresh = head + STORED_BLOCKS >= chain.head();
      if (life !== node.lives || isFresh || mayExpire(context, evidence, last)) continue;
      if (!carried.has(piece) && !pending.has(piece))
        context.fail(
          name,
          `${spec.name}: ${node.name} took evidence at ${head}, and neither stores it nor is it in a block`,
        );
    }
    const wrong = refused.map(evidenceName).find((piece) => pending.has(piece));
    if (wrong !== undefined) context.fail(name, `${spec.name}: ${node.name} keeps evidence that it refused`);
  }
}
