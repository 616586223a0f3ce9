import { encodeBlocksyncMessage, encodeConsensusMessage } from '../../core/codec/messages.ts';
import { BitSet } from '../../core/lib/bitset.ts';
import { type Bytes, concat, EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import { channelOf } from '../../core/node/ingress.ts';
import { ZERO_BLOCK_ID } from '../../core/types/block.ts';
import { ZERO_TIME } from '../../core/types/ids.ts';
import { type BlocksyncMessage, type ConsensusMessage, STEP } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Vote } from '../../core/types/vote.ts';
import { sendOf } from './accomplice.ts';
import { type Accomplice, type Behaviour, besidePrevotes, type Position, type Send } from './behaviour.ts';

const WORDS = [
  'channel',
  'step',
  'commit',
  'early',
  'index',
  'place',
  'proof',
  'short',
  'bits',
  'fewer',
  'elements',
  'half',
  'double',
  'tail',
  'empty',
  'minus',
  'base',
  'below',
] as const;

/** More bits than the 64 that one element of a bit array holds. */
const TOO_MANY_BITS = 70;

export const BAD_MANNERS: Behaviour = {
  id: 'B43',
  alias: 'bad-manners',
  text: 'With each prevote (without power: when it would cast one) it says what no honest node says: `what` is channel (a vote where proposals belong), step (one that there is not), commit (a last commit of no round, or of one before the first block), early (a height before the first), index (a vote of a validator that there is not), place (its vote as that of its neighbour), proof (a part with the proof of another), short (a part that is not the last and not full), bits (more of them than parts), fewer (of them than parts), elements (fewer than its bits need), half (a claim for half a block id), double (two messages in one), tail (bytes behind a message), empty, minus (rounds and places below zero, at each height in another message), base (that its first block is above its last), or below (it asks for a block below zero, or has none there).',
  args: ['what'],
  words: { what: WORDS },
  create: (me) =>
    besidePrevotes(me, (peer, at) => {
      const rs = me.rs();
      if (rs === undefined) return;
      const vote = prevoteOf(me, rs, at);
      const said = illFormed(
        me,
        rs,
        vote,
        sendOf({ kind: 'vote', vote }, [peer]),
        String(me.args.get('what') ?? 'channel'),
      );
      if (said !== undefined) me.sendBytes(said);
    }),
};

/** The prevote as the core cast it. For a node outside the validator set: a prevote for nil, with validator index 0. */
function prevoteOf(me: Accomplice, rs: RoundState, { height, round }: Position): Vote {
  const votes = rs.votes(round, 'prevote');
  const index = rs.validators.validators.findIndex(({ address }) => equalBytes(address, me.address));
  return (
    votes?.vote(index) ??
    me.signVote({
      type: 'prevote',
      height,
      round,
      blockId: ZERO_BLOCK_ID,
      timestamp: rs.proposal?.timestamp ?? ZERO_TIME,
      validatorAddress: me.address,
      validatorIndex: 0,
      signature: EMPTY,
      extension: EMPTY,
      extensionSignature: EMPTY,
    })
  );
}

function illFormed(me: Accomplice, rs: RoundState, vote: Vote, send: Send, what: string): Send | undefined {
  const say = (message: ConsensusMessage, channel: number): Send => ({
    ...send,
    channel,
    bytes: encodeConsensusMessage(message),
  });
  const sayOfBlocks = (message: BlocksyncMessage): Send => ({
    ...send,
    channel: CHANNELS.blocksync,
    bytes: encodeBlocksyncMessage(message),
  });
  const { height, round } = vote;
  const isFirst = rs.lastPrecommits === undefined;
  const standing = { kind: 'newRoundStep', height, round, step: 4, secondsSinceStart: 0 } as const;
  const size = rs.validators.validators.length;
  switch (what) {
    case 'channel':
      return { ...send, channel: CHANNELS.data };
    case 'step':
      return say({ ...standing, step: 9, lastCommitRound: isFirst ? -1 : 0 }, CHANNELS.state);
    case 'commit':
      return say({ ...standing, lastCommitRound: isFirst ? 0 : -1 }, CHANNELS.state);
    case 'early':
      return say({ ...standing, height: 0, lastCommitRound: -1 }, CHANNELS.state);
    case 'index':
      return say({ kind: 'vote', vote: me.signVote({ ...vote, validatorIndex: size }) }, CHANNELS.vote);
    case 'place': {
      const validatorIndex = (vote.validatorIndex + 1) % size;
      return say({ kind: 'vote', vote: me.signVote({ ...vote, validatorIndex }) }, CHANNELS.vote);
    }
    case 'bits':
    case 'fewer': {
      const parts = { total: what === 'bits' ? 1 : 3, hash: new Uint8Array(32).fill(7) };
      return say(
        { kind: 'newValidBlock', height, round, parts, bits: new BitSet(2), isCommit: false },
        CHANNELS.state,
      );
    }
    case 'half': {
      const blockId = { hash: new Uint8Array(32).fill(7), parts: { total: 0, hash: new Uint8Array(0) } };
      return say({ kind: 'voteSetMaj23', height, round, type: 'prevote', blockId }, CHANNELS.state);
    }
    case 'elements': {
      const { blockId } = vote;
      const bits = new BitSet(size);
      const whole = encodeConsensusMessage({
        kind: 'voteSetBits',
        height,
        round,
        type: 'prevote',
        blockId,
        bits,
      });
      return { ...send, channel: CHANNELS.bits, bytes: withBits(whole) };
    }
    case 'double':
      return { ...send, bytes: concat(send.bytes, send.bytes) };
    case 'tail':
      return { ...send, bytes: concat(send.bytes, Uint8Array.of(7)) };
    case 'empty':
      return { ...send, channel: CHANNELS.state, bytes: new Uint8Array(0) };
    case 'base':
      return sayOfBlocks({ kind: 'statusResponse', base: height, height: height - 1 });
    case 'below':
      return sayOfBlocks({ kind: height % 2 === 0 ? 'blockRequest' : 'noBlockResponse', height: -1 });
    case 'minus': {
      const lies = belowZero(rs, vote);
      const lie = lies[height % lies.length];
      return lie && say(lie, channelOf(lie));
    }
    default:
      return partOf(rs, what, say);
  }
}

/** Messages with one negative number each. */
function belowZero(rs: RoundState, vote: Vote): readonly ConsensusMessage[] {
  const { height, round, type, blockId } = vote;
  const at = { height, round: -1 };
  const parts = { total: 1, hash: new Uint8Array(32).fill(7) };
  const [part, lastCommitRound] = [rs.proposalParts?.part(0), rs.lastPrecommits === undefined ? -1 : 0];
  return [
    { kind: 'hasVote', height, round, type, index: -1 },
    { kind: 'hasVote', ...at, type, index: 0 },
    { kind: 'newRoundStep', ...at, step: STEP.prevote, secondsSinceStart: 0, lastCommitRound },
    { kind: 'newValidBlock', ...at, parts, bits: new BitSet(1), isCommit: false },
    { kind: 'voteSetMaj23', ...at, type, blockId },
    { kind: 'voteSetBits', ...at, type, blockId, bits: new BitSet(4) },
    { kind: 'vote', vote: { ...vote, round: -1 } },
    { kind: 'vote', vote: { ...vote, validatorIndex: -1 } },
    ...(rs.proposal === undefined
      ? []
      : [{ kind: 'proposal', proposal: { ...rs.proposal, round: -1 } } as const]),
    ...(part === undefined ? [] : [{ kind: 'blockPart', ...at, part } as const]),
  ];
}

/** The encoding ends with the number of bits and the single element that holds them. Changes the number only. */
function withBits(whole: Bytes): Bytes {
  const copy = whole.slice();
  copy[copy.length - 4] = TOO_MANY_BITS;
  return copy;
}

function partOf(
  { height, round, proposalParts }: RoundState,
  what: string,
  say: (message: ConsensusMessage, channel: number) => Send,
): Send | undefined {
  const part = proposalParts?.part(0);
  if (part === undefined) return undefined;
  const { proof } = part;
  const lie =
    what === 'proof'
      ? { ...part, index: part.index + 1 }
      : { ...part, bytes: part.bytes.subarray(0, 100), proof: { ...proof, total: proof.total + 1 } };
  return say({ kind: 'blockPart', height, round, part: lie }, CHANNELS.data);
}
