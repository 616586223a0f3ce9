import { commitHash } from '../../core/codec/hashes.ts';
import { medianTime } from '../../core/consensus/medianTime.ts';
import { EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import {
  type Block,
  type BlockId,
  type Commit,
  type CommitSig,
  isZeroBlockId,
  ZERO_BLOCK_ID,
} from '../../core/types/block.ts';
import { addMillis, ZERO_TIME } from '../../core/types/ids.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Vote } from '../../core/types/vote.ts';
import { readMessage } from '../network/readMessage.ts';
import { type Accomplice, type Behaviour, type Hooks, inventedBlock, isOwnVote } from './behaviour.ts';
import { ABSENT, replacingBlock, signersOf, withoutPrecommits } from './blocks.ts';

export const BACK_TO_THE_PAST: Behaviour = {
  id: 'B23',
  alias: 'back-to-the-past',
  text: 'With each precommit also votes for an invented value in every earlier round, and in that of the last commit; with `value: precommitted` it keeps its precommits back until a round is over, and then gives them to the block that others have precommitted there.',
  args: ['value'],
  words: { value: ['precommitted'] },
  create: (me) => (me.args.get('value') === 'precommitted' ? precommittingLate(me) : inventingPast(me)),
};

function inventingPast(me: Accomplice): Hooks {
  return {
    message(message) {
      if (!isOwnVote(me, message) || message.vote.type !== 'precommit') return [message];
      const { vote } = message;
      if (!me.isDue(vote.height, vote.round)) return [message];
      const rs = me.rs();
      // Skip a round invented by another behaviour of this node: there may be no end of earlier rounds.
      const reached = rs?.height === vote.height ? rs.round : rs?.lastPrecommits?.round;
      if (vote.round > (reached ?? 0)) return [message];
      const forged: Vote[] = [];
      const forge = (height: number, round: number): void => {
        const past = { ...vote, height, round, blockId: inventedBlock(height, round) };
        forged.push(me.signVote({ ...past, type: 'prevote' }), me.signVote(past));
      };
      for (let round = 0; round < vote.round; round++) forge(vote.height, round);
      const last = rs?.lastPrecommits;
      if (last !== undefined) forge(last.height, last.round);
      return [message, ...forged.map((one): ConsensusMessage => ({ kind: 'vote', vote: one }))];
    },
  };
}

/**
 * Withholds precommits until their round is over. Then sends them to peers in later rounds, so that the old round gets
 * its commit late.
 */
function precommittingLate(me: Accomplice): Hooks {
  const kept = new Map<number, Vote>();
  let height = 0;
  const lateVotes = (round: number): readonly Vote[] =>
    [...kept.values()].flatMap((vote) => {
      const isForBlock = !isZeroBlockId(vote.blockId);
      const blockId = isForBlock ? vote.blockId : precommittedIn(me, height, vote.round);
      return vote.round < round && blockId !== undefined ? [me.signVote({ ...vote, blockId })] : [];
    });
  return {
    message(message) {
      if (!isOwnVote(me, message) || message.vote.type !== 'precommit') return [message];
      const { vote } = message;
      if (!me.isDue(vote.height, vote.round)) return [message];
      if (vote.height > height) kept.clear();
      height = Math.max(height, vote.height);
      if (vote.height === height) kept.set(vote.round, vote);
      return [];
    },
    input(input) {
      const told = input.kind === 'frame' ? readMessage(input.bytes) : undefined;
      if (input.kind !== 'frame' || input.channel !== CHANNELS.state || told?.ok !== true) return [input];
      const { value: step } = told;
      if (step.kind !== 'newRoundStep' || step.height !== height || !me.isAudience(input.peer))
        return [input];
      for (const vote of lateVotes(step.round)) me.send([input.peer], { kind: 'vote', vote });
      return [input];
    },
  };
}

/** The block that another validator has precommitted in a round of the current height. */
function precommittedIn(me: Accomplice, height: number, round: number): BlockId | undefined {
  const rs = me.rs();
  const votes = rs?.height === height ? rs.votes(round, 'precommit') : undefined;
  for (const [index, { address }] of votes?.validators.validators.entries() ?? []) {
    const blockId = equalBytes(address, me.address) ? undefined : votes?.vote(index)?.blockId;
    if (blockId !== undefined && !isZeroBlockId(blockId)) return blockId;
  }
  return undefined;
}

const EDITS = [
  'address',
  'order',
  'flag',
  'absent',
  'timestamp',
  'round',
  'thin',
  'nil',
  'signature',
  'short',
  'long',
  'height',
  'stamped',
  'named',
  'initial',
  'behind',
] as const;

export const EDITED_COMMIT: Behaviour = {
  id: 'B25',
  alias: 'edited-commit',
  text: 'Proposes with a last commit edited where no signature covers it: `what` is address, order, flag, absent, timestamp, round, thin (a single signature is left), nil (two thirds only with its own vote for nil), signature (of something else), behind (the same of the last slot, where two thirds have signed before it), short or long (a slot too few or too many), height, stamped or named (an absent slot with a time or an address), or initial (a signature in that of the first block, which has none).',
  args: ['what'],
  words: { what: EDITS },
  create: (me) =>
    replacingBlock(me, (rs, block) => edited(me, rs, block, String(me.args.get('what') ?? 'address'))),
};

/** The hashes and the block time match the edited commit, so only a check of its slots detects the edit. */
function edited(me: Accomplice, rs: RoundState, block: Block, what: string): Block | undefined {
  const { signatures } = block.lastCommit;
  const [first, second] = signatures;
  if (what === 'initial') return first === undefined ? withJunk(rs, block) : undefined;
  if (first === undefined || second === undefined) return undefined;
  const rest = signatures.slice(1);
  const lastCommit = ((): Commit => {
    switch (what) {
      case 'height':
        return { ...block.lastCommit, height: block.lastCommit.height + 1 };
      case 'stamped':
        return { ...block.lastCommit, signatures: emptied(signatures, 'timestamp') };
      case 'named':
        return { ...block.lastCommit, signatures: emptied(signatures, 'validatorAddress') };
      case 'order':
        return { ...block.lastCommit, signatures: [second, first, ...signatures.slice(2)] };
      case 'round':
        return { ...block.lastCommit, round: block.lastCommit.round + 1 };
      case 'short':
        return { ...block.lastCommit, signatures: signatures.slice(0, -1) };
      case 'long':
        return { ...block.lastCommit, signatures: [...signatures, ABSENT] };
      case 'thin':
        return { ...block.lastCommit, signatures: thinned(signatures) };
      case 'nil':
        return withOwnNil(me, rs, block.lastCommit);
      case 'behind':
        return { ...block.lastCommit, signatures: spoiledLast(signatures) };
      default:
        return { ...block.lastCommit, signatures: [editedSlot(first, second, what), ...rest] };
    }
  })();
  const time = medianTime(lastCommit, signersOf(rs));
  return {
    ...block,
    lastCommit,
    header: {
      ...block.header,
      lastCommitHash: commitHash(lastCommit),
      time: time.ok ? time.value : block.header.time,
    },
  };
}

/** The initial block with one signature in its last commit, which has to be empty. */
function withJunk({ proposer }: RoundState, block: Block): Block {
  const { time } = block.header;
  const junk = new Uint8Array(64).fill(7);
  const { address: validatorAddress } = proposer;
  const lastCommit: Commit = {
    ...block.lastCommit,
    signatures: [{ flag: 'commit', validatorAddress, timestamp: time, signature: junk }],
  };
  return { ...block, lastCommit, header: { ...block.header, lastCommitHash: commitHash(lastCommit) } };
}

/** Replaces the first commit signature by an absent slot that still has this field. */
function emptied(
  signatures: readonly CommitSig[],
  field: 'timestamp' | 'validatorAddress',
): readonly CommitSig[] {
  const slot = signatures.findIndex(({ flag }) => flag === 'commit');
  return signatures.map((one, i) => (i === slot ? { ...ABSENT, [field]: one[field] } : one));
}

/** Keeps only the first signature for the block. */
function thinned(signatures: readonly CommitSig[]): readonly CommitSig[] {
  const kept = signatures.findIndex(({ flag }) => flag === 'commit');
  return signatures.map((signature, i) => (i === kept ? signature : ABSENT));
}

/** Spoils the last signature of the commit. */
function spoiledLast(signatures: readonly CommitSig[]): readonly CommitSig[] {
  const last = signatures.findLastIndex(({ flag }) => flag !== 'absent');
  return signatures.map((one, i) => (i === last ? editedSlot(one, one, 'signature') : one));
}

/**
 * Keeps only as many signatures for the block as exceed two thirds together with this node's own vote, which is for
 * nil.
 */
function withOwnNil(me: Accomplice, rs: RoundState, commit: Commit): Commit {
  const { validators, totalPower } = signersOf(rs);
  const own = validators.findIndex(({ address }) => equalBytes(address, me.address));
  const timestamp = commit.signatures.find(({ flag }) => flag === 'commit')?.timestamp ?? ZERO_TIME;
  const nil = me.signVote({
    type: 'precommit',
    height: commit.height,
    round: commit.round,
    blockId: ZERO_BLOCK_ID,
    timestamp,
    validatorAddress: me.address,
    validatorIndex: own,
    signature: EMPTY,
    extension: EMPTY,
    extensionSignature: EMPTY,
  });
  let power = validators[own]?.power ?? 0n;
  const signatures = commit.signatures.map((one, i): CommitSig => {
    if (i === own) return { flag: 'nil', validatorAddress: me.address, timestamp, signature: nil.signature };
    if (one.flag !== 'commit' || 3n * power > 2n * totalPower) return ABSENT;
    power += validators[i]?.power ?? 0n;
    return one;
  });
  return { ...commit, signatures };
}

function editedSlot(slot: CommitSig, other: CommitSig, what: string): CommitSig {
  switch (what) {
    case 'flag':
      return { ...slot, flag: slot.flag === 'commit' ? 'nil' : 'commit' };
    case 'absent':
      return { ...slot, flag: 'nil', signature: EMPTY };
    case 'timestamp':
      return { ...slot, timestamp: addMillis(slot.timestamp, 1_000) };
    case 'signature':
      return { ...slot, signature: slot.signature.map((byte, i) => (i === 0 ? byte ^ 1 : byte)) };
    default:
      return { ...slot, validatorAddress: other.validatorAddress };
  }
}

export const CENSORED_PRECOMMIT: Behaviour = {
  id: 'B26',
  alias: 'censored-precommit',
  text: 'Proposes without the precommit of `victim`, as long as two thirds remain: legal, and visible.',
  args: ['victim'],
  create: (me) =>
    replacingBlock(me, (rs, block) => {
      const victim = me.addressOf(String(me.args.get('victim') ?? me.others[0]));
      const slot = signersOf(rs).validators.findIndex(
        ({ address }) => victim !== undefined && equalBytes(address, victim),
      );
      return block.lastCommit.signatures[slot]?.flag === 'commit'
        ? withoutPrecommits(rs, block, [slot])
        : undefined;
    }),
};
