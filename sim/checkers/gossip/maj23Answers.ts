import { type BlockId, equalBlockId } from '../../../core/types/block.ts';
import { type ConsensusMessage, STEP } from '../../../core/types/messages.ts';
import type { RoundState, VoteSetReader } from '../../../core/types/roundState.ts';
import { Aftermath } from '../../machine/aftermath.ts';
import type { Process } from '../../machine/process.ts';
import { readMessage } from '../../network/readMessage.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';
import { isPrompt, isSound } from '../progressCore.ts';

/** An answer or the drop of a peer waits at most for a write of the WAL. */
const PROMPT_MICROS = 5_000_000;
/** Time within which messages about the previous step have left. */
const SAID_MICROS = 100_000;
/** Claims of one peer in a height that are kept, since a liar may make many. */
const CLAIMS_MAX = 64;

type Claim = Extract<ConsensusMessage, { kind: 'voteSetMaj23' }>;
type Bits = Extract<ConsensusMessage, { kind: 'voteSetBits' }>;

/** A peer's claim that must be answered. */
interface Question {
  readonly claim: Claim;
  readonly at: number;
  /** Validators that had voted for the value when the claim came. */
  readonly voters: readonly number[];
}

/** What a peer has claimed in a height since it is connected. */
interface Talk {
  questions: readonly Question[];
  /**
   * Claims that found no vote set when they came, while the node waited for the WAL. It answers them if there is one by
   * then.
   */
  early: readonly Claim[];
  claims: readonly Claim[];
  /** Since when the peer should have been dropped. */
  lied: { readonly text: string; readonly at: number } | undefined;
}

/**
 * What a correct node tells its peers of a block and of votes is true. It answers each claim of two thirds at its
 * height with the votes that it has for that value, and no others. It drops a peer that claims two values for one round
 * and type. While it waits for a decided block, its NewValidBlock says that the block is decided. Excused: pauses, disk
 * faults and drives that are slow or just were.
 */
export function maj23Answers(context: CheckerContext): Checker {
  const name = 'conduct';
  const { world, scenario } = context;
  // A node that is paused or waits for its drive announces late what was true before.
  const isTimely = scenario.timeline.every(({ action }) => action.kind !== 'pause' && action.kind !== 'disk');
  const talks = new Connections(newTalk);
  const aftermath = new Aftermath(world);
  const heights = new Map<Process, number>();
  /** Nodes that heard a claim in the present event for which they had no vote set. */
  const early = new Set<Process>();
  /** Since when each node waits for the block that was decided. */
  const committing = new Map<Process, number>();
  const failOn = (node: Process, problem: string): void => context.fail(name, `${node.name} ${problem}`);
  const isAble = (node: Process): boolean => isTimely && isPrompt(node);
  const nodes = new Map(context.correct.map((node) => [node.name, node]));
  /** Not a validator that may have forgotten how it voted in this height. */
  const isHonest = (height: number, index: number): boolean => {
    const node = nodes.get(context.cluster.schedule.voters(height)[index]?.name ?? '');
    return node !== undefined && node.forgotten < height;
  };
  const heard = (node: Process, peer: string, message: ConsensusMessage): void => {
    const talk = talks.get(node, peer);
    const rs = node.node?.rs();
    if (message.kind !== 'voteSetMaj23' || talk === undefined || rs === undefined) return;
    if (message.height < rs.height || node.node?.isSyncing() !== false) return;
    const late = talk.questions.find(({ at }) => world.now - at > PROMPT_MICROS) ?? talk.lied;
    if (late !== undefined && isAble(node) && world.now - late.at > PROMPT_MICROS)
      failOn(
        node,
        'text' in late
          ? late.text
          : `has not answered a claim of two thirds (VoteSetMaj23) of ${peer}, expected the votes it has`,
      );
    if (!hear(talk, rs, message, world.now, peer)) early.add(node);
  };
  const said = (node: Process, to: readonly string[], message: ConsensusMessage): void => {
    const rs = node.node?.rs();
    if (rs === undefined) return;
    if (message.kind === 'newValidBlock') {
      const since = committing.get(node);
      const isWaiting = since !== undefined && world.now - since > SAID_MICROS && isAble(node);
      if (isWaiting && message.height === rs.height && !message.isCommit)
        failOn(
          node,
          'waits for the parts of a block that is decided, and says in NewValidBlock that it is not',
        );
      return;
    }
    if (message.kind !== 'voteSetBits') return;
    for (const peer of to) {
      const talk = talks.get(node, peer);
      const problem = talk && answerProblem(talk, rs, message, (index) => isHonest(message.height, index));
      // With a slow drive, this may answer an earlier claim, perhaps one of the previous connection.
      if (problem !== undefined && isSound(node.disk) && !aftermath.lasts(node))
        failOn(node, `answers a claim of two thirds (VoteSetMaj23) of ${peer} with ${problem}`);
    }
  };
  return {
    name,
    ...hearing(['started', 'dropped', 'moved', 'claimHeard', 'claimSaid', ...Connections.TOPICS], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      talks.on(fact);
      aftermath.lasts(node);
      if (fact.kind === 'started') committing.delete(node);
      else if (fact.kind === 'dropped') talks.end(node, fact.peer);
      else if (fact.kind === 'moved') {
        // Messages that waited while the height was decided find the node at the next one.
        if (fact.position.height !== heights.get(node))
          for (const talk of talks.of(node).values()) if (!isNew(talk)) goOn(talk, fact.position.height);
        heights.set(node, fact.position.height);
        if (fact.position.step !== STEP.commit) committing.delete(node);
        else if (!committing.has(node)) committing.set(node, world.now);
      } else if (fact.kind === 'claimHeard' || fact.kind === 'claimSaid') {
        const decoded = readMessage(fact.bytes);
        if (!decoded.ok) return;
        if (fact.kind === 'claimHeard') heard(node, fact.peer, decoded.value);
        else said(node, fact.to, decoded.value);
      }
    }),
    look(node) {
      // Without a backlog, the node has processed the claim and ignored it.
      if (!early.delete(node) || (node.node?.backlog() ?? 0) > 0) return;
      for (const talk of talks.of(node).values()) talk.early = [];
    },
  };
}

const newTalk = (): Talk => ({ questions: [], early: [], claims: [], lied: undefined });

const isNew = ({ questions, early, claims, lied }: Talk): boolean =>
  questions.length + early.length + claims.length === 0 && lied === undefined;

function goOn(talk: Talk, height: number): void {
  const early = talk.early.filter((claim) => claim.height >= height);
  Object.assign(talk, { ...newTalk(), early });
}

/** Notes a claim that the node must answer. False if the node may have no vote set for it. */
function hear(talk: Talk, rs: RoundState, claim: Claim, now: number, peer: string): boolean {
  const { height, round, type, blockId } = claim;
  const set = height === rs.height ? rs.votes(round, type) : undefined;
  if (set === undefined) {
    talk.early = [...talk.early, claim].slice(-CLAIMS_MAX);
    return false;
  }
  const earlier = talk.claims.find((one) => one.round === round && one.type === type);
  if (earlier === undefined) talk.claims = [...talk.claims, claim].slice(-CLAIMS_MAX);
  else if (!equalBlockId(earlier.blockId, blockId))
    talk.lied ??= {
      text: `keeps ${peer}, should drop it: it claims two thirds for two values of ${height}/${round}`,
      at: now,
    };
  talk.questions = [...talk.questions, { claim, at: now, voters: votersFor(set, blockId) }].slice(
    -CLAIMS_MAX,
  );
  return true;
}

/** Read from the single votes, because the node's own tally may be wrong. */
function votersFor(set: VoteSetReader, blockId: BlockId): readonly number[] {
  const voters: number[] = [];
  for (let i = 0; i < set.bits.size; i++) {
    const vote = set.vote(i);
    if (vote !== undefined && equalBlockId(vote.blockId, blockId)) voters.push(i);
  }
  return voters;
}

function answerProblem(
  talk: Talk,
  rs: RoundState,
  { height, round, type, blockId, bits }: Bits,
  isHonest: (index: number) => boolean,
): string | undefined {
  const isIt = (claim: Claim): boolean =>
    claim.height === height &&
    claim.round === round &&
    claim.type === type &&
    equalBlockId(claim.blockId, blockId);
  const question = talk.questions.find(({ claim }) => isIt(claim));
  const early = talk.early.find(isIt);
  const lost = question?.voters.find((index) => !bits.has(index));
  if (early !== undefined && (question === undefined || lost !== undefined))
    talk.early = talk.early.filter((one) => one !== early);
  else if (question === undefined) return undefined;
  else {
    talk.questions = talk.questions.filter((one) => one !== question);
    if (lost !== undefined) return `votes for the claimed value, expected also that of validator ${lost}`;
  }
  const set = rs.height === height ? rs.votes(round, type) : undefined;
  for (let i = 0; set !== undefined && i < bits.size; i++) {
    const vote = bits.has(i) ? set.vote(i) : undefined;
    if (bits.has(i) && vote === undefined) return `a vote of validator ${i} that it does not have`;
    // A Byzantine validator may have voted for this value, too.
    if (vote !== undefined && !equalBlockId(vote.blockId, blockId) && isHonest(i))
      return `the vote of validator ${i}, which is for something else`;
  }
  return undefined;
}
