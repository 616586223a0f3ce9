import type { Bytes } from '../../core/lib/bytes.ts';
import { equalPartSetHeader } from '../../core/types/block.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { Process } from '../machine/process.ts';
import { messageOf } from '../network/readMessage.ts';
import { hearing } from '../world/facts.ts';
import { believed } from './believed.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { Connections } from './connections.ts';
import { isHindered } from './poolSpread.ts';
import { isGarbled } from './spread.ts';

type Word = Extract<ConsensusMessage, { kind: 'newValidBlock' }>;

/** What a node has heard waits for its log: it has thought of it within this. */
const THINK_MICROS = 100_000;

/** Which block a peer says that it wants, and since when nothing keeps the node from taking note of that. */
interface Wish {
  readonly word: Word;
  since: number;
}

/**
 * A correct node believes that a peer collects the block that it has asked for (CometBFT, NewValidBlock), until the peer goes on: which
 * other one was proposed to it is of no account.
 */
export function wanted({ world, scenario, fail }: CheckerContext): Checker {
  const name = 'conduct';
  if (isGarbled(scenario)) return { name };
  const connections = new Connections((): { wish: Wish | undefined } => ({ wish: undefined }));
  /** Nodes that have heard of any. */
  const listening = new Set<Process>();
  /** Since when no fault has begun or ended. */
  let calm = 0;

  const heard = (node: Process, peer: string, bytes: Bytes): void => {
    const connection = connections.get(node, peer);
    const word = connection && messageOf(bytes, ['newValidBlock']);
    const round = word && believed(node, peer);
    if (connection === undefined || word === undefined || round === undefined) return;
    connection.wish =
      round.height === word.height && round.round === word.round ? { word, since: world.now } : undefined;
    listening.add(node);
  };

  return {
    name,
    ...hearing(['fault', 'wordHeard', ...Connections.TOPICS], (fact) => {
      if (fact.kind === 'fault') calm = world.now;
      if (fact.kind === 'fault' || !fact.node.isCorrect) return;
      connections.on(fact);
      if (fact.kind === 'wordHeard') heard(fact.node, fact.peer, fact.bytes);
    }),
    look(node) {
      if (!listening.has(node)) return;
      listening.delete(node);
      for (const [peer, connection] of connections.of(node)) {
        const { wish } = connection;
        if (wish === undefined) continue;
        const round = believed(node, peer);
        if (round?.height !== wish.word.height || round.round !== wish.word.round) {
          connection.wish = undefined;
          continue;
        }
        listening.add(node);
        if (isHindered(node)) wish.since = world.now;
        if (world.now - Math.max(wish.since, calm, node.disk.lateUntil) < THINK_MICROS) continue;
        if (round.partsHeader !== undefined && equalPartSetHeader(round.partsHeader, wish.word.parts))
          continue;
        fail(
          name,
          `${node.name} does not believe that ${peer} wants the block that it has asked for at ${round.height}/${round.round}`,
        );
        connection.wish = undefined;
      }
    },
  };
}
