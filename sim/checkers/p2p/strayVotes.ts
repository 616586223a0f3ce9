import type { Bytes } from '../../../core/lib/bytes.ts';
import { TAG } from '../../network/frameKinds.ts';
import { type ProtoField, protoFields } from '../../reference/protoFields.ts';
import { remembered } from '../../remembered.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';

/** Field numbers of Message.vote, Vote.vote and Vote.height (cometbft.consensus.v1 and types.v1). */
const FIELDS = { message: 6, vote: 1, height: 2 } as const;

/**
 * A node drops a peer that floods it with useless votes, and counts stray votes for that. It may count a vote against a
 * peer, correct or not, only if the height is more than one above its own. Late votes are no flood, however long a
 * connection lasts.
 */
export function strayVotes(context: CheckerContext): Checker {
  const name = 'no_framing';
  /** Votes for heights too far ahead, by connection. */
  const counts = new Connections(() => ({ far: 0 }));
  return {
    name,
    ...hearing(['contentHeard', ...Connections.TOPICS], (fact) => {
      const { node } = fact;
      if (!node.isCorrect) return;
      counts.on(fact);
      if (fact.kind !== 'contentHeard' || fact.bytes[0] !== TAG.vote) return;
      const count = counts.get(node, fact.peer);
      const rs = node.node?.rs();
      if (count === undefined || rs === undefined) return;
      const height = heightIn(fact.bytes);
      if (height === undefined || height > rs.height + 1) count.far++;
    }),
    finish() {
      for (const node of context.correct) {
        // It may not have heard yet that a connection has ended, and still count what came on that.
        if ((node.node?.backlog() ?? 0) > 0) continue;
        for (const { id, round } of node.node?.rpc?.consensus?.peers() ?? []) {
          const far = counts.get(node, id)?.far;
          if (far !== undefined && round.strayVotes > far)
            context.fail(
              name,
              `${node.name} holds ${round.strayVotes} votes against ${id}, of which ${far} are for heights far ahead`,
            );
        }
      }
    },
  };
}

const fieldIn = (bytes: Bytes, number: number): ProtoField | undefined =>
  protoFields(bytes)?.find((field) => field.number === number);

/** Undefined if the vote is unreadable or has no height. */
const heightIn = remembered((message: Bytes): number | undefined => {
  const said = fieldIn(message, FIELDS.message)?.bytes;
  const vote = said && fieldIn(said, FIELDS.vote)?.bytes;
  const height = vote && fieldIn(vote, FIELDS.height)?.value;
  return height === undefined ? undefined : Number(height);
});
