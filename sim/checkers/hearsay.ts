import type { BitSet } from '../../core/lib/bitset.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { Process } from '../machine/process.ts';
import { readMessage } from '../network/readMessage.ts';
import { hearing } from '../world/facts.ts';
import { believed } from './believed.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { isPrompt } from './recoverable.ts';
import { saidVotes, voteNumber } from './saidVotes.ts';
import { isGarbled } from './spread.ts';

type Standing = Extract<ConsensusMessage, { kind: 'newRoundStep' }>;
type Bits = Extract<ConsensusMessage, { kind: 'voteSetBits' }>;

/** First bytes of NewRoundStep and VoteSetBits: their numbers in cometbft.consensus.v1.Message, as fields with a length. */
const TAGS: readonly (number | undefined)[] = [0x0a, 0x4a];
/** What a node has decided to say waits for its log: it leaves within this. */
const LEAVE_MICROS = 100_000;

/** The one word that a node hears in an event; of votes, which it has itself of those that the word is about. */
type Heard = { readonly node: Process; readonly peer: string } & (
  | { readonly word: Standing }
  | { readonly word: Bits; readonly ours: BitSet }
);

/** A vote that the peer has just said it lacks, and that the node goes on believing in: it may be on its way to the peer. */
interface Denied {
  readonly node: Process;
  readonly peer: string;
  readonly height: number;
  readonly vote: number;
  readonly since: number;
}

/**
 * A correct node believes what an honest peer says of itself: since when it is in its round, by the node's clock, and which votes for a value it
 * has and lacks. What it is said to lack the node does not take it to have, unless it sends it.
 */
export function hearsay({ world, scenario, correct, fail }: CheckerContext): Checker {
  const name = 'conduct';
  if (isGarbled(scenario)) return { name };
  // A clock that is set back says later what it has said before, and for a node nothing passes meanwhile.
  const isOnTime = scenario.timeline.every(({ action }) => action.kind !== 'jump' && action.kind !== 'skew');
  let heard: Heard[] = [];
  let denied: Denied[] = [];
  const honest = new Set(correct.map((node) => node.name));

  const hear = (node: Process, peer: string, bytes: Bytes): void => {
    if (
      !TAGS.includes(bytes[0]) ||
      ![node.name, peer].every((who) => honest.has(who)) ||
      !isPrompt(node) ||
      node.node?.backlog() !== 0 ||
      node.node.isSyncing()
    )
      return;
    const decoded = readMessage(bytes);
    if (!decoded.ok) return;
    const word = decoded.value;
    if (word.kind === 'newRoundStep') heard.push({ node, peer, word });
    if (word.kind !== 'voteSetBits') return;
    const rs = node.node.rs();
    const ours = rs?.height === word.height ? rs.votes(word.round, word.type) : undefined;
    if (
      ours !== undefined &&
      word.bits.size === ours.bits.size &&
      believed(node, peer)?.height === word.height
    )
      heard.push({ node, peer, word, ours: ours.bitsFor(word.blockId) });
  };

  const judge = (one: Heard): void => {
    const { node, peer } = one;
    const round = believed(node, peer);
    if (round === undefined || round.height !== one.word.height) return;
    if ('ours' in one) {
      judgeBits(one.node, peer, one.word, one.ours, round.votes(one.word.round, one.word.type));
      return;
    }
    const { round: at, step, secondsSinceStart } = one.word;
    if (!isOnTime || round.round !== at || round.step !== step) return;
    const since = node.clock.now(world.now) - secondsSinceStart * 1_000_000;
    if (round.startTime !== since)
      fail(name, `${node.name} believes that ${peer} is in its round since ${round.startTime}, not ${since}`);
  };

  const judgeBits = (
    node: Process,
    peer: string,
    word: Bits,
    ours: BitSet,
    known: BitSet | undefined,
  ): void => {
    const { height, round, type, bits } = word;
    // There is room for so many sets of votes.
    if (known === undefined) return;
    for (let i = 0; i < bits.size; i++) {
      const vote = voteNumber(round, type, i);
      if (bits.has(i) && !known.has(i))
        fail(name, `${node.name} does not believe ${peer} that it has ${type} ${i} of ${height}/${round}`);
      if (!bits.has(i) && ours.has(i) && known.has(i))
        denied.push({ node, peer, height, vote, since: world.now });
    }
  };

  return {
    name,
    ...hearing(['fault', 'started', 'wordHeard', 'standingHeard', 'contentSaid'], (fact) => {
      if (fact.kind === 'wordHeard' || fact.kind === 'standingHeard') hear(fact.node, fact.peer, fact.bytes);
      else if (fact.kind !== 'contentSaid') denied = [];
      else if (denied.length > 0) {
        const said = saidVotes(fact.bytes);
        if (said === undefined) return;
        denied = denied.filter(
          ({ node, peer, height, vote }) =>
            node !== fact.node ||
            !fact.to.includes(peer) ||
            height !== said.height ||
            !said.votes.includes(vote),
        );
      }
    }),
    look(node) {
      if (heard.length === 0 && denied.length === 0) return;
      const [one, another] = heard.filter((word) => word.node === node);
      heard = heard.filter((word) => word.node !== node);
      // Where it is still at work it has not got to the word yet.
      if (one !== undefined && another === undefined && node.node?.backlog() === 0) judge(one);
      const late = denied.find((vote) => vote.node === node && world.now - vote.since > LEAVE_MICROS);
      if (late === undefined) return;
      denied = denied.filter((vote) => vote !== late);
      if (isPrompt(node))
        fail(
          name,
          `${node.name} believes that ${late.peer} has a vote of ${late.height} that it has said it lacks`,
        );
    },
  };
}
