import { proposerOf } from '../../core/consensus/priority.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import { type BlockId, equalBlockId, isZeroBlockId, ZERO_BLOCK_ID } from '../../core/types/block.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { Vote } from '../../core/types/vote.ts';
import { type Accomplice, type Behaviour, type Hooks, inventedBlock, isOwnVote } from './behaviour.ts';

/** Replaces the node's own votes of these types, when due, by what `change` returns, for the audience. */
function onOwnVotes(
  me: Accomplice,
  types: readonly Vote['type'][],
  change: (vote: Vote) => readonly Vote[],
): Hooks {
  return {
    message(message) {
      if (!isOwnVote(me, message)) return [message];
      const { vote } = message;
      if (!types.includes(vote.type) || !me.isDue(vote.height, vote.round)) return [message];
      return change(vote).map((one): ConsensusMessage => ({ kind: 'vote', vote: one }));
    },
  };
}

/**
 * Makes the node's own votes of these types vote for the value that `choose` returns, if any. `choose` is asked once
 * per height, round and type: gossip repeats a vote after its round, which has to be the same lie and not another vote.
 */
function votingFor(
  me: Accomplice,
  types: readonly Vote['type'][],
  choose: (vote: Vote) => BlockId | undefined,
): Hooks {
  const chosen = new Map<string, BlockId | undefined>();
  return {
    message(message) {
      if (!isOwnVote(me, message) || !types.includes(message.vote.type)) return [message];
      const { vote } = message;
      const key = `${vote.height}/${vote.round}/${vote.type}`;
      if (!chosen.has(key)) chosen.set(key, me.isDue(vote.height, vote.round) ? choose(vote) : undefined);
      const blockId = chosen.get(key);
      return blockId === undefined ? [message] : [{ kind: 'vote', vote: me.signVote({ ...vote, blockId }) }];
    },
  };
}

/** The block proposed in the round of a vote; undefined once that is not the current round. */
function proposedWith(me: Accomplice, vote: Vote): BlockId | undefined {
  const proposed = me.rs()?.proposal;
  return proposed?.height === vote.height && proposed.round === vote.round ? proposed.blockId : undefined;
}

/**
 * The value of the second vote. `value` asks for nil, or for the same block with invented parts, unless the honest vote
 * is nil. Otherwise it is the other block of an equivocating proposer, or an invented one.
 */
function secondValue(me: Accomplice, { height, round, blockId }: Vote): BlockId {
  const value = isZeroBlockId(blockId) ? undefined : me.args.get('value');
  const invented = inventedBlock(height, round);
  if (value === 'nil') return ZERO_BLOCK_ID;
  if (value === 'parts') return { hash: blockId.hash, parts: invented.parts };
  return me.twoBlocks.get(`${height}/${round}`)?.find((one) => !equalBlockId(one, blockId)) ?? invented;
}

/** Two votes of one type, the honest one last unless `later: true`. With `only: true` the false one alone. */
function doubled(me: Accomplice, vote: Vote): readonly ConsensusMessage[] {
  const { height, round, type } = vote;
  const second = me.signVote({ ...vote, blockId: secondValue(me, vote) });
  const said = (...votes: readonly Vote[]) =>
    votes.map((one): ConsensusMessage => ({ kind: 'vote', vote: one }));
  const claim = ({ blockId }: Vote): ConsensusMessage => ({
    kind: 'voteSetMaj23',
    height,
    round,
    type,
    blockId,
  });
  if (me.args.get('only') === true) return said(second);
  if (me.args.get('later') === true) return [...said(vote), claim(second), ...said(second)];
  if (me.args.get('claimed') !== true) return said(second, vote);
  return [claim(vote), ...said(second, vote, second, vote)];
}

/** How the two votes are told, the one that prevails first. */
const DOUBLE_FLAGS = ['only', 'later', 'claimed'];

const doubling = (me: Accomplice, type: Vote['type']): Hooks => ({
  message: (message) =>
    isOwnVote(me, message) && message.vote.type === type && me.isDue(message.vote.height, message.vote.round)
      ? doubled(me, message.vote)
      : [message],
});

/** A signature with one wrong bit. */
export const flipped = (signature: Uint8Array): Uint8Array =>
  signature.map((byte, i) => (i === 3 ? byte ^ 1 : byte));

export const DOUBLE_PREVOTE: Behaviour = {
  id: 'B02',
  alias: 'double-prevote',
  text: 'Prevotes two values in one round; the audience gets both, and twice, with a claim of two thirds for one, if `claimed`; the false one `later`, under such a claim.',
  args: ['value', 'only', 'claimed', 'later'],
  words: { value: ['nil', 'parts'] },
  excludes: DOUBLE_FLAGS,
  create: (me) => doubling(me, 'prevote'),
};

export const DOUBLE_PRECOMMIT: Behaviour = {
  id: 'B03',
  alias: 'double-precommit',
  text: 'Precommits two values in one round; the audience gets both, and twice, with a claim of two thirds for one, if `claimed`; the false one `later`, under such a claim.',
  args: ['value', 'only', 'claimed', 'later'],
  words: { value: ['nil', 'parts'] },
  excludes: DOUBLE_FLAGS,
  create: (me) => doubling(me, 'precommit'),
};

export const VALUE_AND_NIL: Behaviour = {
  id: 'B04',
  alias: 'prevote-and-nil',
  text: 'Prevotes a value and nil in one round.',
  args: [],
  create: (me) =>
    onOwnVotes(me, ['prevote'], (vote) =>
      isZeroBlockId(vote.blockId) ? [vote] : [me.signVote({ ...vote, blockId: ZERO_BLOCK_ID }), vote],
    ),
};

export const AMNESIA: Behaviour = {
  id: 'B05',
  alias: 'amnesia',
  text: 'Forgets the lock of an earlier round: prevotes and precommits another block that is proposed in the round at hand.',
  args: [],
  create: (me) =>
    votingFor(me, ['prevote', 'precommit'], (vote) => {
      const proposed = proposedWith(me, vote);
      const { lockedBlock, lockedRound } = me.rs() ?? {};
      if (proposed === undefined || lockedBlock === undefined || lockedRound === undefined) return undefined;
      return lockedRound < vote.round && !equalBlockId(lockedBlock, proposed) ? proposed : undefined;
    }),
};

/** Whether this is a proposal or part of a round whose proposer is this node. The node relays those of others. */
function isOwnBlock(me: Accomplice, message: ConsensusMessage): boolean {
  if (message.kind !== 'proposal' && message.kind !== 'blockPart') return false;
  const { height, round } = message.kind === 'proposal' ? message.proposal : message;
  const rs = me.rs();
  const validators = rs?.height === height ? rs.validators : me.chain()?.validators(height);
  return validators !== undefined && equalBytes(proposerOf(validators, round).address, me.address);
}

export const SILENT_VOTER: Behaviour = {
  id: 'B15',
  alias: 'silent',
  text: 'Says nothing of its own to the audience: no vote, no proposal or part of its blocks. `what` narrows it to voter or proposer.',
  args: ['what'],
  words: { what: ['all', 'voter', 'proposer'] },
  create: (me) => ({
    message(message) {
      const what = me.args.get('what') ?? 'all';
      const { height, round } = me.rs() ?? { height: 0, round: 0 };
      const isVote = (what === 'all' || what === 'voter') && isOwnVote(me, message);
      const isProposal = (what === 'all' || what === 'proposer') && isOwnBlock(me, message);
      return (isVote || isProposal) && me.isDue(height, round) ? [] : [message];
    },
  }),
};

export const HIDDEN_PREVOTES: Behaviour = {
  id: 'B08',
  alias: 'hidden-prevotes',
  text: 'Hides its prevotes from the audience, so that some see a polka and some do not.',
  args: [],
  create: (me) => onOwnVotes(me, ['prevote'], () => []),
};

export const BAD_SIGNATURE: Behaviour = {
  id: 'B18',
  alias: 'bad-vote',
  text: 'Spoils its votes; `what` is signature, index, address or chain.',
  args: ['what'],
  words: { what: ['signature', 'index', 'address', 'chain'] },
  create: (me) =>
    onOwnVotes(me, ['prevote', 'precommit'], (vote) => {
      switch (me.args.get('what') ?? 'signature') {
        case 'index':
          return [{ ...vote, validatorIndex: vote.validatorIndex + 1 }];
        case 'address':
          return [{ ...vote, validatorAddress: flipped(vote.validatorAddress) }];
        case 'chain':
          return [me.signVote(vote, `${me.chainId}-other`)];
        default:
          return [{ ...vote, signature: flipped(vote.signature) }];
      }
    }),
};

/** Future rounds flooded beside each vote. */
const FLOOD_ROUNDS = 64;

export const FUTURE_FLOOD: Behaviour = {
  id: 'B19',
  alias: 'future-flood',
  text: 'Floods votes for rounds far ahead beside each honest vote; `what` is votes, claims of two thirds there, or claimed, which is both.',
  args: ['rounds', 'what'],
  words: { what: ['votes', 'claims', 'claimed'] },
  create(me) {
    const rounds = Array.from({ length: Number(me.args.get('rounds') ?? FLOOD_ROUNDS) }, (_, i) => 1 + i * 7);
    const what = me.args.get('what') ?? 'votes';
    if (what === 'votes')
      return onOwnVotes(me, ['prevote', 'precommit'], (vote) => {
        // Skip votes of a flood: a flood of floods would drown the simulator, not the victim.
        if (vote.round > (me.rs()?.round ?? 0)) return [vote];
        return [
          vote,
          ...rounds.map((far) => me.signVote({ ...vote, round: vote.round + far, blockId: ZERO_BLOCK_ID })),
        ];
      });
    return {
      message(message) {
        if (!isOwnVote(me, message) || !me.isDue(message.vote.height, message.vote.round)) return [message];
        const { vote } = message;
        if (vote.round > (me.rs()?.round ?? 0)) return [message];
        const lies = rounds.flatMap((far): readonly ConsensusMessage[] => {
          const [height, round] = [vote.height, vote.round + far];
          const blockId = inventedBlock(height, far);
          if (what === 'claims') return [{ kind: 'voteSetMaj23', height, round, type: vote.type, blockId }];
          // A claim of two thirds means that a block was decided only if it is about precommits.
          const ahead = me.signVote({ ...vote, round, blockId: ZERO_BLOCK_ID });
          return [
            { kind: 'voteSetMaj23', height, round, type: 'precommit', blockId },
            { kind: 'vote', vote: ahead },
          ];
        });
        return [message, ...lies];
      },
    };
  },
};

export const NIL_VOTES: Behaviour = {
  id: 'B20',
  alias: 'nil-votes',
  text: 'Votes nil whatever it sees.',
  args: [],
  create: (me) =>
    onOwnVotes(me, ['prevote', 'precommit'], (vote) => [me.signVote({ ...vote, blockId: ZERO_BLOCK_ID })]),
};

export const UNFOUNDED_PRECOMMIT: Behaviour = {
  id: 'B22',
  alias: 'unfounded-precommit',
  text: 'Precommits the proposed block without having seen a polka.',
  args: [],
  create: (me) => votingFor(me, ['precommit'], (vote) => proposedWith(me, vote)),
};

export const WRONG_TIME: Behaviour = {
  id: 'B24',
  alias: 'wrong-time',
  text: 'Puts a time `seconds` ahead (or behind, negative) into its precommits.',
  args: ['seconds'],
  create: (me) =>
    onOwnVotes(me, ['precommit'], (vote) => {
      const seconds = vote.timestamp.seconds + Number(me.args.get('seconds') ?? 3600);
      return [me.signVote({ ...vote, timestamp: { seconds, nanos: vote.timestamp.nanos } })];
    }),
};
