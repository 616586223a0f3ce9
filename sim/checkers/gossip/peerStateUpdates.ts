import type { BitSet } from '../../../core/lib/bitset.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import type { PeerRoundReader } from '../../../core/rpc/context.ts';
import type { ConsensusMessage } from '../../../core/types/messages.ts';
import type { Process } from '../../machine/process.ts';
import { messageOf } from '../../network/readMessage.ts';
import { timeText } from '../../words.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { isPrompt } from '../progressCore.ts';
import { isGarbled } from './consensusGossip.ts';
import { DeniedVotes } from './deniedVotes.ts';
import { peerRoundOf } from './peerRoundOf.ts';
import { LEAVE_MICROS } from './unfoundedPeerVotes.ts';
import { voteNumber, votesInMessage } from './votesInMessage.ts';

const KINDS = ['newRoundStep', 'voteSetBits'] as const;

type Standing = Extract<ConsensusMessage, { kind: 'newRoundStep' }>;
type Bits = Extract<ConsensusMessage, { kind: 'voteSetBits' }>;

interface Heard {
  readonly node: Process;
  readonly peer: string;
  readonly word: Standing | Bits;
  /** The votes among those of the message that the node itself had when the message came. */
  readonly ours: BitSet | undefined;
  /** Votes of that height that the peer has since announced or been sent. */
  readonly told: Set<number>;
}

/**
 * A correct node believes what an honest peer says of itself: since when it is in its round, on the node's clock, and
 * which votes for a value it has. If the peer says that it lacks a vote, the node does not go on believing that it has
 * it, unless the node sends the vote. Not judged where the network corrupts frames.
 */
export function peerStateUpdates({ world, scenario, correct, fail }: CheckerContext): Checker {
  const name = 'conduct';
  if (isGarbled(scenario)) return { name };
  // A clock that is set back makes the peer repeat an elapsed time, and makes no time pass for the node.
  const isOnTime = scenario.timeline.every(({ action }) => action.kind !== 'jump' && action.kind !== 'skew');
  const honest = new Set(correct.map((node) => node.name));
  /** Messages heard in the present event. */
  let heard: Heard[] = [];
  const denied = new DeniedVotes();

  const hear = (node: Process, peer: string, bytes: Bytes): void => {
    const word = honest.has(peer) ? messageOf(bytes, KINDS) : undefined;
    if (word === undefined || !honest.has(node.name) || node.node?.isSyncing() !== false) return;
    heard.push({
      node,
      peer,
      word,
      ours: word.kind === 'voteSetBits' ? oursFor(node, peer, word) : undefined,
      told: new Set(),
    });
  };

  const judge = (one: Heard): void => {
    const { node, peer, word, ours } = one;
    const round = peerRoundOf(node, peer);
    if (round?.height !== word.height) return;
    if (word.kind === 'newRoundStep') judgeStart(node, peer, word, round);
    else if (ours !== undefined) judgeVotes(one, word, ours, round);
  };

  const judgeStart = (node: Process, peer: string, word: Standing, believes: PeerRoundReader): void => {
    if (!isOnTime || believes.round !== word.round || believes.step !== word.step) return;
    const since = node.clock.now(world.now) - word.secondsSinceStart * 1_000_000;
    if (believes.startTime !== since)
      fail(
        name,
        `${node.name} believes that ${peer} is in its round since ${timeText(believes.startTime)}, which said since ${timeText(since)}`,
      );
  };

  const judgeVotes = (
    { node, peer, told }: Heard,
    { height, round, type, bits }: Bits,
    ours: BitSet,
    believes: PeerRoundReader,
  ): void => {
    const known = believes.votes(round, type);
    // The node keeps votes of only so many rounds.
    if (known === undefined) return;
    for (let i = 0; i < bits.size; i++) {
      if (bits.has(i) && !known.has(i))
        fail(
          name,
          `${node.name} does not note that ${peer} has the ${type} of validator ${i} of ${height}/${round}, as ${peer} has said`,
        );
      const vote = voteNumber(round, type, i);
      if (!bits.has(i) && ours.has(i) && known.has(i) && !told.has(vote))
        denied.add({ node, peer, height, vote, since: world.now });
    }
  };

  /** A peer that is sent a vote may have it, and so may a peer that announces it. */
  const settle = (node: Process, peers: readonly string[], bytes: Bytes): void => {
    const said = heard.length === 0 && denied.isNone ? undefined : votesInMessage(bytes);
    if (said === undefined) return;
    denied.settle(node, peers, said);
    for (const one of heard)
      if (one.node === node && peers.includes(one.peer) && one.word.height === said.height)
        for (const vote of said.votes) one.told.add(vote);
  };

  return {
    name,
    ...hearing(
      ['fault', 'started', 'peer', 'claimHeard', 'roundStateHeard', 'contentHeard', 'contentSaid'],
      (fact) => {
        if (fact.kind === 'fault' || fact.kind === 'started') denied.clear();
        else if (fact.kind === 'peer') denied.forget(fact.node);
        else if (fact.kind === 'contentSaid') settle(fact.node, fact.to, fact.bytes);
        else {
          settle(fact.node, [fact.peer], fact.bytes);
          if (fact.kind !== 'contentHeard') hear(fact.node, fact.peer, fact.bytes);
        }
      },
    ),
    look(node) {
      if (heard.length === 0 && denied.isNone) return;
      const [one, another] = heard.filter((word) => word.node === node);
      heard = heard.filter((word) => word.node !== node);
      // Messages of this node wait for its drive, and it takes in nothing meanwhile.
      if (!isPrompt(node) || world.now < node.disk.lateUntil) {
        denied.forget(node);
        return;
      }
      // Two messages in one event may be processed in either order; with a backlog, the node has processed neither.
      if (one !== undefined && another === undefined && node.node?.backlog() === 0) judge(one);
      const late = denied.takeOlder(node, world.now - LEAVE_MICROS);
      if (late === undefined) return;
      fail(
        name,
        `${node.name} believes that ${late.peer} has a vote of height ${late.height}, which ${late.peer} has said it lacks`,
      );
    },
  };
}

/** Undefined if the node ignores the message: the peer is at another height or counts by another validator set. */
function oursFor(
  node: Process,
  peer: string,
  { height, round, type, blockId, bits }: Bits,
): BitSet | undefined {
  const rs = node.node?.rs();
  if (rs?.height !== height || peerRoundOf(node, peer)?.height !== height) return undefined;
  const ours = rs.votes(round, type)?.bitsFor(blockId);
  return ours?.size === bits.size ? ours : undefined;
}
