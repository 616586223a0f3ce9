import type { Bytes } from '../../../core/lib/bytes.ts';
import type { Process } from '../../machine/process.ts';
import { TAG } from '../../network/frameKinds.ts';
import { readMessage } from '../../network/readMessage.ts';
import { hearing } from '../../world/facts.ts';
import { hashBytes } from '../../world/rolling.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';
import { isPrompt, queueMicros } from '../progressCore.ts';
import { peerRoundOf } from './peerRoundOf.ts';
import { type VotesInMessage, votesInMessage } from './votesInMessage.ts';

/** A decided message waits for the WAL. Until it leaves, the node may hear the same from its peer. */
const CROSSED_MICROS = 100_000;
/**
 * The same for HasVote, with a WAL of normal speed. It is short because a node that ignores HasVote sends the vote at
 * its next look.
 */
const HAS_MICROS = 20_000;
/** The check looks up each peer for each message, which takes too long in larger clusters. */
const NODES_MAX = 12;

/** Where the node believes the peer to be, and the node's own height. */
interface Place {
  readonly height: number;
  readonly round: number;
  readonly own: number | undefined;
}

const NOWHERE: Place = { height: 0, round: -1, own: undefined };

/** What two nodes have told each other since the first has known the peer's present place. */
interface Talk {
  place: Place;
  /** When the node last had reason to doubt what the peer has. */
  doubtedAt: number;
  /** The height, round and step that the node last announced to the peer. */
  stand: string;
  /** Messages that both have, with the time at which the node heard them; 0 for its own messages. */
  readonly known: Map<number, number>;
  /** Votes of the peer's round that the peer has announced, with the time by which the node has taken note of it. */
  readonly has: Map<number, number>;
}

/**
 * A correct node sends a peer no proposal, part or vote twice, none that it got from that peer, and no vote that the
 * peer said it has. It may do so again once it has reason to doubt that the peer has it: the peer tells what it has or
 * moves on, or has stood still so long that the node repeats its own NewRoundStep to it. Judged only where the network
 * delivers everything once and in order and the timeline is empty.
 */
export function duplicateMessages({ world, scenario, correct, fail }: CheckerContext): Checker {
  const name = 'conduct';
  const { lossPpm, dupPpm, reorderPpm, corruptPpm, resetPpm } = scenario.network;
  const isCalm =
    lossPpm + dupPpm + reorderPpm + corruptPpm + resetPpm === 0 && scenario.timeline.length === 0;
  if (!isCalm || world.processes.length > NODES_MAX) return { name };
  const talks = new Connections(
    (): Talk => ({ place: NOWHERE, doubtedAt: world.now, stand: '', known: new Map(), has: new Map() }),
  );
  const names = new Set(correct.map((node) => node.name));
  const doubt = (talk: Talk | undefined): void => {
    if (talk === undefined) return;
    talk.doubtedAt = world.now;
    talk.known.clear();
    talk.has.clear();
  };
  /**
   * Undefined if the node keeps no record of what the peer has: block parts, while it does not know that the peer
   * collects that block.
   */
  const talkWith = (node: Process, peer: string, bytes: Bytes): Talk | undefined => {
    const talk = names.has(peer) ? talks.get(node, peer) : undefined;
    const round = talk && peerRoundOf(node, peer);
    if (talk === undefined || round === undefined) return undefined;
    const { place } = talk;
    const own = node.node?.rs()?.height;
    if (round.height !== place.height || round.round !== place.round || own !== place.own) {
      doubt(talk);
      talk.place = { height: round.height, round: round.round, own };
    }
    const isNoted = bytes[0] !== TAG.blockPart || round.partsHeader !== undefined;
    return isNoted && world.now - talk.doubtedAt > CROSSED_MICROS ? talk : undefined;
  };
  const said = (node: Process, to: readonly string[], bytes: Bytes): void => {
    if (!isPrompt(node)) return;
    const key = keyOf(bytes);
    const vote = votesInMessage(bytes);
    for (const peer of to) {
      const talk = talkWith(node, peer, bytes);
      if (talk === undefined) continue;
      const since = talk.known.get(key);
      talk.known.set(key, 0);
      if (since !== undefined && world.now - since > CROSSED_MICROS && !mayForget(talk.place, vote))
        fail(
          name,
          `${node.name} tells ${peer} at ${placeText(talk.place)} again what one of them has told the other, should tell it once`,
        );
      const had = vote?.height === talk.place.height ? talk.has.get(vote.votes[0] ?? -1) : undefined;
      if (had !== undefined && world.now - had > HAS_MICROS)
        fail(
          name,
          `${node.name} tells ${peer} at ${placeText(talk.place)} a vote that ${peer} has said it has`,
        );
    }
  };
  const heard = (node: Process, peer: string, bytes: Bytes): void => {
    const talk = talkWith(node, peer, bytes);
    if (talk === undefined) return;
    const key = keyOf(bytes);
    if (!talk.known.has(key)) talk.known.set(key, world.now + queueMicros(node, scenario));
  };
  const heardStanding = (node: Process, peer: string, bytes: Bytes): void => {
    const said = votesInMessage(bytes);
    const talk = said && talkWith(node, peer, bytes);
    if (talk === undefined || said?.height !== talk.place.height || said.round !== talk.place.round) return;
    const at = world.now + queueMicros(node, scenario);
    for (const vote of said.votes) if (!talk.has.has(vote)) talk.has.set(vote, at);
  };
  const stands = (node: Process, to: readonly string[], bytes: Bytes): void => {
    const stand = standOf(bytes);
    if (stand === undefined) return;
    for (const peer of to) {
      const talk = talks.get(node, peer);
      if (talk === undefined) continue;
      if (talk.stand === stand || to.length === 1) doubt(talk);
      talk.stand = stand;
    }
  };
  return {
    name,
    ...hearing(
      [
        'contentHeard',
        'contentSaid',
        'roundStateHeard',
        'roundStateSaid',
        'claimHeard',
        ...Connections.TOPICS,
      ],
      (fact) => {
        const { node } = fact;
        if (!node.isCorrect) return;
        talks.on(fact);
        if (fact.kind === 'contentSaid') said(node, fact.to, fact.bytes);
        else if (fact.kind === 'contentHeard') heard(node, fact.peer, fact.bytes);
        else if (fact.kind === 'roundStateHeard') heardStanding(node, fact.peer, fact.bytes);
        else if (fact.kind === 'claimHeard') doubt(talks.get(node, fact.peer));
        else if (fact.kind === 'roundStateSaid') stands(node, fact.to, fact.bytes);
      },
    ),
  };
}

/** In a height of many rounds a node keeps no record of votes of them all. */
const ROUNDS_KEPT = 16;
const mayForget = (place: Place, vote: VotesInMessage | undefined): boolean =>
  vote !== undefined && vote.round < place.round && place.round >= ROUNDS_KEPT;

const placeText = ({ height, round, own }: Place): string => `${height}/${round} (itself at height ${own})`;

function standOf(bytes: Bytes): string | undefined {
  const decoded = readMessage(bytes);
  if (!decoded.ok || decoded.value.kind !== 'newRoundStep') return undefined;
  const { height, round, step } = decoded.value;
  return `${height}/${round}/${step}`;
}

/** A 53-bit hash that identifies a message. */
const keyOf = (bytes: Bytes): number => hashBytes(bytes, 0) * 2 ** 21 + (hashBytes(bytes, 1) >>> 11);
