import type { Bytes } from '../../core/lib/bytes.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { Connections } from './connections.ts';

/** First bytes of what leads to a vote's height: Message.vote, Vote.vote, its type and its height (cometbft.consensus.v1). */
const TAGS = { message: 0x32, vote: 0x0a, type: 0x08, height: 0x10 };

/**
 * Whoever floods a node with votes that nobody can use is dropped in the end, and votes are counted for that. None is held against a peer, correct or
 * not, unless it is for a height further ahead than the next: what comes late is no flood, however long a connection lasts.
 */
export function strayVotes(context: CheckerContext): Checker {
  const name = 'no_framing';
  /** Votes for heights far ahead that came by each connection. */
  const counts = new Connections(() => ({ far: 0 }));
  return {
    name,
    ...hearing(['contentHeard', ...Connections.TOPICS], (fact) => {
      const { node } = fact;
      if (!node.isCorrect) return;
      counts.on(fact);
      if (fact.kind !== 'contentHeard' || fact.bytes[0] !== TAGS.message) return;
      const count = counts.get(node, fact.peer);
      const rs = node.node?.rs();
      if (count === undefined || rs === undefined) return;
      const height = heightIn(fact.bytes);
      if (height === undefined || height > rs.height + 1) count.far++;
    }),
    finish() {
      for (const node of context.correct)
        for (const { id, round } of node.node?.rpc?.consensus?.peers() ?? []) {
          const far = counts.get(node, id)?.far;
          if (far !== undefined && round.strayVotes > far)
            context.fail(
              name,
              `${node.name} holds ${round.strayVotes} votes against ${id}, of which ${far} are for heights far ahead`,
            );
        }
    },
  };
}

/** undefined where the vote is not written as nodes write it. */
function heightIn(bytes: Bytes): number | undefined {
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (let byte = 128; byte >= 128; scale *= 128) {
      byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
    }
    return value;
  };
  for (const [tag, isInside] of [
    [TAGS.message, true],
    [TAGS.vote, true],
    [TAGS.type, false],
  ] as const) {
    if (bytes[at++] !== tag) return undefined;
    const value = varint();
    if (isInside && at + value > bytes.length) return undefined;
  }
  return bytes[at++] === TAGS.height ? varint() : undefined;
}
