import { proposerOf } from '../../core/consensus/priority.ts';
import { EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { VoteType } from '../../core/types/vote.ts';
import { type Accomplice, type Behaviour, type Hooks, isOwnVote, type Position } from './behaviour.ts';
import { isProposer, proposalOf, type Variant, variantOf, withOwnTx } from './blocks.ts';
import { spoiled, WRONG_FIELDS } from './wrongFields.ts';

const WAYS = ['equivocation', 'amnesia', 'invalid'] as const;
/** Rounds in which an accomplice is looked for among the proposers. */
const ROUNDS_MAX = 200;
/** The rest has decided by then and moved on. */
const FORGET_MICROS = 4_000_000;
/** All of it is said again so often: the audience hears it only once it is in that height and round. */
const AGAIN_MICROS = 500_000;
const SAYINGS = 30;

export const FORK: Behaviour = {
  id: 'B40',
  alias: 'fork',
  text: 'All who share it decide one block with the audience and another with the rest: `how` is equivocation (in one round), amnesia (in a later round) or invalid (in one round, the other one with a wrong `field`, as invalid-block has it: two thirds can decide it).',
  args: ['how', 'field'],
  words: { how: WAYS, field: WRONG_FIELDS },
  create: (me) => forking(me, me.args.get('how') === 'amnesia' ? forgets : proposesTwice),
};

/** The block that the audience is to decide. */
interface Other {
  readonly lead: Accomplice;
  readonly round: number;
  readonly variant: Variant;
  readonly wait: number;
}

/** Looks at an outgoing message: is this the moment, and with which other block? */
type Moment = (me: Accomplice, rs: RoundState, message: ConsensusMessage) => Other | undefined;

/** From its moment on the audience hears nothing true of that height from any accomplice. */
function forking(me: Accomplice, moment: Moment): Hooks {
  const { memory } = me.coalition;
  return {
    message(message) {
      const rs = me.rs();
      const said = positionOf(message);
      if (rs === undefined || said === undefined) return [message];
      const { height } = said;
      const forked = memory.get('fork') as Position | undefined;
      // All that comes after belongs to the round in which it was begun.
      const { round } = forked?.height === height ? forked : said;
      if (!me.isDue(height, round)) return [message];
      // Where the rest came to decide the other block as well, the next height is tried.
      if (forked?.height !== height && rs.height === height) {
        const other = moment(me, rs, message);
        if (other !== undefined) {
          memory.set('fork', said);
          stage(me, rs, other);
          // Whom that has not convinced by then is let into the next height, where it is tried again.
          me.later(other.wait + SAYINGS * AGAIN_MICROS, () => {
            if (memory.get('fork') === said) memory.delete('fork');
          });
        }
      }
      const isForked = (memory.get('fork') as Position | undefined)?.height === height;
      // Whoever is to forget keeps the audience in the dark from the start.
      return isForked || moment === forgets ? [] : [message];
    },
  };
}

/** A block of its own is going out, or a vote for it before: the audience is shown another in the same round. */
function proposesTwice(me: Accomplice, rs: RoundState, message: ConsensusMessage): Other | undefined {
  const block = rs.proposalBlock;
  const isOfNow = positionOf(message)?.round === rs.round;
  if (!isOfNow || block === undefined || !isProposer(me, rs)) return undefined;
  const variant = variantOf(me.args.get('how') === 'invalid' ? spoiled(me, block) : withOwnTx(me, block));
  return { lead: me, round: rs.round, variant, wait: 0 };
}

/** The rest is about to decide: in a later round an accomplice proposes another block to the audience. */
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

/** Votes of all accomplices bring the audience into the round, the lead shows the block, the votes decide it. */
function stage(me: Accomplice, rs: RoundState, { lead, round, variant, wait }: Other): void {
  const { height, validators } = rs;
  // Of votes with the block's own time no later block could follow.
  const time = rs.proposalBlock?.header.time ?? { seconds: 0, nanos: 0 };
  const timestamp = { ...time, seconds: time.seconds + 1 };
  const empty = { signature: new Uint8Array(64), extension: EMPTY, extensionSignature: EMPTY };
  const say = (type: VoteType): void => {
    for (const member of me.coalition.members) {
      const index = validators.validators.findIndex((one) => equalBytes(one.address, member.address));
      const at = { type, height, round, blockId: variant.blockId, timestamp };
      const who = { validatorAddress: member.address, validatorIndex: index };
      member.send(audienceOf(member), { kind: 'vote', vote: member.signVote({ ...at, ...who, ...empty }) });
    }
  };
  const proposal = {
    height,
    round,
    polRound: -1,
    blockId: variant.blockId,
    timestamp,
    signature: empty.signature,
  };
  const shown = proposalOf(lead, proposal, variant);
  for (let i = 0; i < SAYINGS; i++) {
    me.later(wait + i * AGAIN_MICROS, () => {
      for (const message of shown) lead.send(audienceOf(lead), message);
      say('prevote');
      say('precommit');
    });
  }
}
