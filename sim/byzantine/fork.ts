import { proposerOf } from '../../core/consensus/priority.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { VoteType } from '../../core/types/vote.ts';
import {
  type Accomplice,
  type Behaviour,
  type Hooks,
  isOwnVote,
  type Position,
  UNSIGNED,
} from './behaviour.ts';
import { isProposer, proposalOf, type Variant, variantOf, withOwnTx } from './blocks.ts';
import { spoiled, WRONG_FIELDS } from './wrongFields.ts';

const WAYS = ['equivocation', 'amnesia', 'invalid'] as const;
/** Rounds searched for one whose proposer is an accomplice. */
const ROUNDS_MAX = 200;
/** By then the rest has decided and moved on to the next height. */
const FORGET_MICROS = 4_000_000;
/** Interval of repetition: a peer in the audience accepts the messages only once it is in their height and round. */
const AGAIN_MICROS = 500_000;
/** How often the audience is told. */
const REPEATS = 30;

export const FORK: Behaviour = {
  id: 'B40',
  alias: 'fork',
  text: 'All who share it decide one block with the audience and another with the rest: `how` is equivocation (in one round), amnesia (in a later round) or invalid (in one round, the other one with a wrong `field`, as invalid-block has it: two thirds can decide it).',
  args: ['how', 'field'],
  words: { how: WAYS, field: WRONG_FIELDS },
  effectiveWith: { field: { arg: 'how', words: ['invalid'], usual: 'equivocation' } },
  create: (me) => forking(me, me.args.get('how') === 'amnesia' ? forgets : proposesTwice),
};

/** The block that the audience is to decide, and the round in which it is proposed. */
interface Other {
  readonly lead: Accomplice;
  readonly round: number;
  readonly variant: Variant;
  readonly wait: number;
}

/** Decides at an outgoing message whether the fork starts now, and with which other block. */
type Moment = (me: Accomplice, rs: RoundState, message: ConsensusMessage) => Other | undefined;

/** Once the fork has started, no accomplice sends the audience honest messages of that height. */
function forking(me: Accomplice, moment: Moment): Hooks {
  const { memory } = me.coalition;
  return {
    message(message) {
      const rs = me.rs();
      const said = positionOf(message);
      if (rs === undefined || said === undefined) return [message];
      const { height } = said;
      const forked = memory.get('fork') as Position | undefined;
      // Everything after the start counts as part of the round in which the fork began.
      const { round } = forked?.height === height ? forked : said;
      if (!me.isDue(height, round)) return [message];
      // If the rest has decided the other block too, the fork is tried again at the next height.
      if (forked?.height !== height && rs.height === height) {
        const other = moment(me, rs, message);
        if (other !== undefined) {
          memory.set('fork', said);
          stage(me, rs, other);
          // Then let peers that are not convinced reach the next height, where the fork is tried again.
          me.later(other.wait + REPEATS * AGAIN_MICROS, () => {
            if (memory.get('fork') === said) memory.delete('fork');
          });
        }
      }
      const isForked = (memory.get('fork') as Position | undefined)?.height === height;
      // For amnesia the audience must hear nothing from the start.
      return isForked || moment === forgets ? [] : [message];
    },
  };
}

/**
 * Starts when the proposer sends its own block or a vote of that round: the audience is shown another block in that
 * round.
 */
function proposesTwice(me: Accomplice, rs: RoundState, message: ConsensusMessage): Other | undefined {
  const block = rs.proposalBlock;
  const isOfNow = positionOf(message)?.round === rs.round;
  if (!isOfNow || block === undefined || !isProposer(me, rs)) return undefined;
  const variant = variantOf(me.args.get('how') === 'invalid' ? spoiled(me, block) : withOwnTx(me, block));
  return { lead: me, round: rs.round, variant, wait: 0 };
}

/** Starts when the rest is about to decide: in a later round an accomplice proposes another block to the audience. */
function forgets(me: Accomplice, rs: RoundState, message: ConsensusMessage): Other | undefined {
  const { proposalBlock: block, validators } = rs;
  const isDecisive = isOwnVote(me, message) && message.vote.type === 'precommit';
  if (!isDecisive || block === undefined) return undefined;
  const leadAt = (round: number): Accomplice | undefined =>
    me.coalition.members.find(({ address }) => equalBytes(address, proposerOf(validators, round).address));
  let round = rs.round + 1;
  while (leadAt(round) === undefined && round < rs.round + ROUNDS_MAX) round++;
  const lead = leadAt(round);
  if (lead === undefined) return undefined;
  const other = withOwnTx(me, block);
  const variant = variantOf({ ...other, header: { ...other.header, proposerAddress: lead.address } });
  return { lead, round, variant, wait: FORGET_MICROS };
}

function positionOf(message: ConsensusMessage): Position | undefined {
  if (message.kind === 'vote') return message.vote;
  if (message.kind === 'proposal') return message.proposal;
  return message.kind === 'blockPart' ? message : undefined;
}

const audienceOf = (me: Accomplice): readonly string[] => me.others.filter((peer) => me.isAudience(peer));

/**
 * All accomplices vote for the block that the lead shows. Their votes bring the audience into the round and then decide
 * it.
 */
function stage(me: Accomplice, rs: RoundState, { lead, round, variant, wait }: Other): void {
  const { height, validators } = rs;
  // The next block takes its time from these votes, so they have to be later than this block.
  const time = rs.proposalBlock?.header.time ?? { seconds: 0, nanos: 0 };
  const timestamp = { ...time, seconds: time.seconds + 1 };
  const say = (type: VoteType): void => {
    for (const member of me.coalition.members) {
      const index = validators.validators.findIndex((one) => equalBytes(one.address, member.address));
      const at = { type, height, round, blockId: variant.blockId, timestamp };
      const who = { validatorAddress: member.address, validatorIndex: index };
      member.send(audienceOf(member), {
        kind: 'vote',
        vote: member.signVote({ ...at, ...who, ...UNSIGNED }),
      });
    }
  };
  const proposal = {
    height,
    round,
    polRound: -1,
    blockId: variant.blockId,
    timestamp,
    signature: UNSIGNED.signature,
  };
  const shown = proposalOf(lead, proposal, variant);
  for (let i = 0; i < REPEATS; i++) {
    me.later(wait + i * AGAIN_MICROS, () => {
      for (const message of shown) lead.send(audienceOf(lead), message);
      say('prevote');
      say('precommit');
    });
  }
}
