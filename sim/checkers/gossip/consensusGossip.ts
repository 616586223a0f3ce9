import type { BitSet } from '../../../core/lib/bitset.ts';
import { equalPartSetHeader } from '../../../core/types/block.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { VoteType } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { stepName } from '../../words.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { OwnValidators } from '../consensus/ownValidators.ts';
import { againMicros, slowest } from '../linkFaults.ts';
import { isSound } from '../progressCore.ts';
import { isSluggish } from '../timing/waitingTime.ts';
import { SentMaj23Claims } from './sentMaj23Claims.ts';

/** Time between two looks at one node's peers. */
const LOOK_MICROS = 500_000;
/**
 * Time within which gossip sends a peer what it lacks, beside the network's delays and losses: gossip repeats every two
 * seconds.
 */
const TELL_MICROS = 5_000_000;

/** The same for what a peer requests explicitly (NewValidBlock), or cannot use any more once it moves on. */
const ANSWER_MICROS = 1_300_000;

/** The same for what the node has signed itself, which leaves as soon as the peer can use it. */
const OWN_MICROS = 1_000_000;

/** Kinds of what may be lacking: what any node may have, what only the node itself has, and its claim of two thirds. */
const ANY = 0;
const OWN = 1;
const CLAIM = 2;
const KINDS = 3;

/** What a peer lacks. */
interface Lack {
  readonly what: string;
  /** A shorter limit that applies if all has long been calm and both nodes began this height in their present life. */
  readonly promptly?: number;
}

/**
 * Gossip (the paper's communication property): what one correct node holds and another needs reaches it while the two
 * are connected. A peer needs the proposal, parts and votes of its round, votes of later rounds, claims of two thirds,
 * and, at a decided height, the commit and the block. Not judged with block sync, with peer discovery or where frames
 * get corrupted; faults and restarts begin all waits anew.
 */
export function consensusGossip(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, world, correct } = context;
  const seats = new OwnValidators(context);
  const isSmooth = isStream(scenario);
  const hasOrder = isInOrder(scenario);
  // In block sync nodes do not gossip. A peer whose NewRoundStep was corrupted is believed to be where that says.
  if (scenario.engine.blockSync === true || scenario.peers !== undefined || isGarbled(scenario))
    return { name };
  const network = 2 * slowest(scenario) + againMicros(scenario);
  /** By pair and kind. */
  const lacks = new Map<number, { readonly what: string; readonly since: number }>();
  const looked = new Map<Process, number>();
  const claims = new SentMaj23Claims();
  /** The height at which each node last started. There it announces what it lacks only after a while. */
  const begun = new Map<Process, number>();
  /** The time of the last fault, start or crash, any of which may have swallowed a request. */
  let calm = 0;
  const judge = (node: Process, peer: Process): void => {
    // Messages on a broken connection are lost with it.
    const joinedAt = isAble(node, scenario) && isAble(peer, scenario) ? joinedSince(node, peer) : undefined;
    const pair = (node.index * world.processes.length + peer.index) * KINDS;
    if (joinedAt === undefined) {
      for (let kind = 0; kind < KINDS; kind++) lacks.delete(pair + kind);
      return;
    }
    judgeOne(node, peer, pair + ANY, joinedAt, lackOf(node, peer));
    const claim = claims.owed(node, peer);
    const isDeaf = claim !== undefined;
    judgeOne(node, peer, pair + CLAIM, joinedAt, isDeaf ? { what: `does not hear of ${claim}` } : undefined);
    if (isSmooth) judgeOne(node, peer, pair + OWN, joinedAt, ownLack(node, peer, seats));
  };
  const judgeOne = (
    node: Process,
    peer: Process,
    key: number,
    joinedAt: number,
    lack: Lack | undefined,
  ): void => {
    if (lack === undefined) {
      lacks.delete(key);
      return;
    }
    const before = lacks.get(key);
    const { what } = lack;
    const since = Math.max(joinedAt, before?.what === what ? before.since : world.now);
    const waited = world.now - since;
    const isCalm = hasOrder && since - calm > network + TELL_MICROS && !isFresh(node) && !isFresh(peer);
    const most = network + ((isCalm ? lack.promptly : undefined) ?? TELL_MICROS);
    const isLate = waited > most;
    if (before?.what !== what || isLate) lacks.set(key, { what, since: world.now });
    if (isLate)
      context.fail(
        name,
        `${peer.name} ${what}, and ${node.name}, which has it, has not told it for ${waited} µs, expected within ${most} µs`,
      );
  };
  const isFresh = (node: Process): boolean => begun.get(node) === node.node?.rs()?.height;
  const joinedSince = ({ index: a }: Process, { index: b }: Process): number | undefined =>
    world.network.joins(a, b) &&
    !world.network.link(a, b).isNarrow(world.now) &&
    !world.network.link(b, a).isNarrow(world.now)
      ? world.network.joinedSince(a, b)
      : undefined;
  return {
    name,
    ...hearing(['fault', 'started', 'crashed', ...SentMaj23Claims.TOPICS], (fact) => {
      claims.on(fact);
      if (fact.kind === 'started') begun.set(fact.node, fact.node.node?.rs()?.height ?? 0);
      // Any fault, start or crash begins all waits anew.
      if (fact.kind !== 'fault' && fact.kind !== 'started' && fact.kind !== 'crashed') return;
      lacks.clear();
      calm = world.now;
    }),
    look(node) {
      if (!node.isCorrect || world.now - (looked.get(node) ?? 0) < LOOK_MICROS) return;
      looked.set(node, world.now);
      for (const peer of correct) {
        if (peer === node) continue;
        judge(node, peer);
        // A node that rests between two heights gets no looks of its own.
        if (peer.node?.rs()?.step === STEP.newHeight) judge(peer, node);
      }
    },
  };
}

/** The simulated network may flip bits of a frame; on a real connection that breaks the link. */
export const isGarbled = ({ network, timeline }: Scenario): boolean =>
  network.corruptPpm > 0 ||
  timeline.some(({ action }) => action.kind === 'link' && (action.faults.corruptPpm ?? 0) > 0);

/** Frames keep their order. NewValidBlock is of no use before the NewRoundStep of its round. */
const isInOrder = ({ network, timeline }: Scenario): boolean =>
  network.reorderPpm === 0 &&
  !timeline.some(({ action }) => action.kind === 'link' && (action.faults.reorderPpm ?? 0) > 0);

/** Links carry every frame once and in order, so no node believes anything false of an honest peer. */
export const isStream = ({ network, timeline }: Scenario): boolean =>
  network.lossPpm + network.dupPpm + network.reorderPpm === 0 &&
  !timeline.some(({ action }) => LINK_ACTIONS.includes(action.kind));

const LINK_ACTIONS: readonly string[] = ['link', 'partition', 'clog', 'swizzle', 'pause'];

/** Not if the drive is so slow that what came in, or is to go out, waits for it. */
const isAble = (node: Process, scenario: Scenario): boolean =>
  node.state === 'up' &&
  isSound(node.disk) &&
  (node.pace.sync === undefined || (node.node?.backlog() === 0 && !isSluggish(node, scenario)));

function lackOf(node: Process, peer: Process): Lack | undefined {
  const [ours, theirs] = [node.node?.rs(), peer.node?.rs()];
  if (ours === undefined || theirs === undefined || theirs.height > ours.height) return undefined;
  const isBehind = theirs.height < ours.height;
  if (isWanting(theirs) && (isBehind ? isKeeping(node, theirs) : isHolding(ours, theirs)))
    return {
      what: `${placeOf(theirs)} lacks parts of a block that two thirds voted for`,
      ...(hasAsked(theirs) ? { promptly: ANSWER_MICROS } : {}),
    };
  if (isBehind)
    return isDone(theirs) || isWanting(theirs)
      ? undefined
      : { what: `${placeOf(theirs)} ${oldLack(theirs)}` };
  if (ours.step === STEP.newHeight && theirs.step === STEP.newHeight)
    return hasStrangers(node, ours) ? lateLack(ours, theirs) : undefined;
  const what = theirs.step >= STEP.commit ? undefined : lackNow(ours, theirs);
  return what === undefined ? undefined : { what: `${placeOf(theirs)} ${what}` };
}

/** Of every 32 validators, up to 3 need not be its peers: it relies on their messages reaching everybody. */
const STRANGERS = { of: 32, atMost: 3 };

/** More validators than that are not its peers, so it passes their votes on. */
function hasStrangers({ node }: Process, { validators: { validators } }: RoundState): boolean {
  const peers = node?.rpc?.consensus?.peers().length ?? validators.length;
  return validators.length - 1 - peers > STRANGERS.atMost * Math.floor(validators.length / STRANGERS.of);
}

/** Precommits that came after the decision, between two heights. They may still enter the last commit. */
function lateLack({ lastPrecommits: have }: RoundState, theirs: RoundState): Lack | undefined {
  const want = theirs.lastPrecommits;
  return have !== undefined && have.round === want?.round && hasMore(have.bits, want.bits)
    ? { what: `${placeOf(theirs)} lacks late precommits`, promptly: ANSWER_MICROS }
    : undefined;
}

const placeOf = ({ height, round, step }: RoundState): string =>
  `at ${height}/${round}, step ${stepName(step)},`;

/** What only the node itself could sign, in the round that both are in. */
function ownLack(node: Process, peer: Process, seats: OwnValidators): Lack | undefined {
  const [ours, theirs] = [node.node?.rs(), peer.node?.rs()];
  if (ours === undefined || theirs === undefined) return undefined;
  const { height, round, step } = theirs;
  if (ours.height !== height || ours.round !== round || step < STEP.propose || step >= STEP.commit)
    return undefined;
  const own = seats.indexOf(node, ours);
  const isProposer = seats.isOf(node, ours.proposer.address);
  const lacking =
    isProposer && ours.proposal !== undefined && theirs.proposal === undefined
      ? 'proposal'
      : own >= 0
        ? VOTE_TYPES.find(
            (type) =>
              ours.votes(round, type)?.bits.has(own) === true &&
              theirs.votes(round, type)?.bits.has(own) !== true,
          )
        : undefined;
  return (
    lacking && {
      what: `${placeOf(theirs)} lacks the ${lacking} that ${node.name} signed`,
      promptly: OWN_MICROS,
    }
  );
}

const VOTE_TYPES = ['prevote', 'precommit'] as const;

/** The node collects a block for which it has seen two thirds of prevotes or precommits. */
function isWanting(rs: RoundState): boolean {
  const { step, round, proposalParts: parts } = rs;
  if (parts === undefined || rs.proposalBlock !== undefined) return false;
  if (step >= STEP.commit) return true;
  const polka = rs.votes(round, 'prevote')?.majority();
  return polka !== undefined && equalPartSetHeader(polka.parts, parts.header);
}

/** The node collects another block than the proposed one, and so has announced that at once (NewValidBlock). */
const hasAsked = ({ proposal, proposalParts: parts }: RoundState): boolean =>
  proposal === undefined || parts === undefined || !equalPartSetHeader(proposal.blockId.parts, parts.header);

/** We decided that block. Two thirds that lie can make a peer wait for one that nobody has. */
function isKeeping({ node }: Process, { height, proposalParts }: RoundState): boolean {
  const parts = node?.rpc?.chain.blockMeta(height)?.blockId.parts;
  return (
    parts !== undefined && proposalParts !== undefined && equalPartSetHeader(parts, proposalParts.header)
  );
}

/** We have all parts of that block. */
function isHolding({ proposalParts, proposalBlock }: RoundState, theirs: RoundState): boolean {
  return (
    proposalParts !== undefined &&
    proposalBlock !== undefined &&
    theirs.proposalParts !== undefined &&
    equalPartSetHeader(proposalParts.header, theirs.proposalParts.header)
  );
}

/** The node has the block that was decided. It only has to carry it out, and its application may take long. */
const isDone = ({ step, proposalBlock }: RoundState): boolean =>
  step >= STEP.commit && proposalBlock !== undefined;

/** The peer is at an earlier height. The text counts what it has, so it changes whenever the peer gets anything. */
function oldLack(theirs: RoundState): string {
  const parts = theirs.proposalParts?.count ?? 0;
  let votes = 0;
  const { round } = theirs;
  for (let at = 0; at <= round + 2; at++)
    for (let i = 0; i < theirs.validators.validators.length; i++)
      if (theirs.votes(at, 'precommit')?.bits.has(i) === true) votes++;
  return `is at an earlier height and lacks parts or precommits, of which it has ${parts} and ${votes}`;
}

/** What a peer at the same height needs for the round it is in. */
function lackNow(ours: RoundState, theirs: RoundState): string | undefined {
  const { round } = theirs;
  if (ours.round === round && theirs.step > STEP.newHeight) {
    if (ours.proposal !== undefined && theirs.proposal === undefined) return 'lacks the proposal';
    const [have, want] = [ours.proposalParts, theirs.proposalParts];
    if (have !== undefined && want !== undefined && equalPartSetHeader(have.header, want.header))
      if (hasMore(have.bits, want.bits)) return 'lacks parts';
  }
  if (round > ours.round) return undefined;
  for (const type of VOTE_TYPES) {
    if (hasMoreVotes(ours, theirs, round, type)) return `lacks ${type}s of round ${round}`;
    if (round < ours.round && hasMoreVotes(ours, theirs, ours.round, type))
      return `lacks ${type}s of round ${ours.round}`;
  }
  return undefined;
}

function hasMoreVotes(ours: RoundState, theirs: RoundState, round: number, type: VoteType): boolean {
  const have = ours.votes(round, type)?.bits;
  return have !== undefined && hasMore(have, theirs.votes(round, type)?.bits);
}

const hasMore = (have: BitSet, want: BitSet | undefined): boolean => have.minus(want).next().done !== true;
