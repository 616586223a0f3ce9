import type { Bytes } from '../../../core/lib/bytes.ts';
import { equalPartSetHeader } from '../../../core/types/block.ts';
import type { ConsensusMessage } from '../../../core/types/messages.ts';
import type { Process } from '../../machine/process.ts';
import { messageOf } from '../../network/readMessage.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';
import { isHindered } from '../mempool/txGossip.ts';
import { queueMicros } from '../progressCore.ts';
import { isGarbled } from './consensusGossip.ts';
import { peerRoundOf } from './peerRoundOf.ts';

type Word = Extract<ConsensusMessage, { kind: 'newValidBlock' }>;

/** A message that a node has heard waits for the WAL, but is processed within this. */
const THINK_MICROS = 100_000;

/** The block that a peer asks for, and since when nothing keeps the node from noting that. */
interface Wish {
  readonly word: Word;
  since: number;
}

type Position = Pick<Word, 'height' | 'round'>;

/** An old message moves no peer back. */
const isBehind = ({ height, round }: Position, at: Position | undefined): boolean =>
  at !== undefined && (height < at.height || (height === at.height && round < at.round));

/** What a peer has said on one connection. */
interface Talk {
  /** The peer's height and round. Before it announces them, the node ignores its NewValidBlock. */
  at: Position | undefined;
  wish: Wish | undefined;
}

/**
 * Once a peer at the node's believed place asks for a block (CometBFT, NewValidBlock), a correct node believes that the
 * peer collects it, until the peer moves on, whichever other block was proposed to it. Not judged where frames get
 * corrupted.
 */
export function newValidBlockUpdates({ world, scenario, fail }: CheckerContext): Checker {
  const name = 'conduct';
  if (isGarbled(scenario)) return { name };
  const connections = new Connections((): Talk => ({ at: undefined, wish: undefined }));
  /** Nodes with at least one open wish. */
  const listening = new Set<Process>();
  /** The time of the last fault. */
  let calm = 0;

  const heard = (node: Process, peer: string, bytes: Bytes): void => {
    const connection = connections.get(node, peer);
    const word = connection && messageOf(bytes, ['newRoundStep', 'newValidBlock']);
    if (connection === undefined || word === undefined) return;
    if (word.kind === 'newRoundStep') {
      if (!isBehind(word, connection.at)) connection.at = word;
    } else {
      // The node may still believe the place from a previous connection until it has processed the new one.
      const isThere = [connection.at, peerRoundOf(node, peer)].every(
        (at) => at?.height === word.height && at.round === word.round,
      );
      connection.wish = isThere ? { word, since: world.now + queueMicros(node, scenario) } : undefined;
      listening.add(node);
    }
  };

  return {
    name,
    ...hearing(['fault', 'claimHeard', 'roundStateHeard', ...Connections.TOPICS], (fact) => {
      if (fact.kind === 'fault') calm = world.now;
      if (fact.kind === 'fault' || !fact.node.isCorrect) return;
      connections.on(fact);
      if (fact.kind === 'claimHeard' || fact.kind === 'roundStateHeard')
        heard(fact.node, fact.peer, fact.bytes);
    }),
    look(node) {
      if (!listening.has(node)) return;
      listening.delete(node);
      for (const [peer, connection] of connections.of(node)) {
        const { wish } = connection;
        if (wish === undefined) continue;
        const round = peerRoundOf(node, peer);
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
          `${node.name} does not note that ${peer} wants the block that it has asked for (NewValidBlock) at ${round.height}/${round.round}`,
        );
        connection.wish = undefined;
      }
    },
  };
}
