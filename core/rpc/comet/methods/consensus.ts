/** The state of consensus, for operators and tools that inspect a running node. */
import { blockJson, partSetHeaderJson, proposalJson, validatorSetJson } from '../../../codec/json.ts';
import { formatTime } from '../../../codec/timeText.ts';
import type { BitSet } from '../../../lib/bitset.ts';
import { EMPTY, toUpperHex } from '../../../lib/bytes.ts';
import { type Micros, timestampOf, ZERO_TIME } from '../../../types/ids.ts';
import { STEP } from '../../../types/messages.ts';
import type { HeldBlock, PartsReader, RoundState } from '../../../types/roundState.ts';
import type { ConsensusReader, PeerRoundReader, RpcContext } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { method } from '../method.ts';
import { bitsText, powerText, voteTexts } from '../voteText.ts';

function readerOf(ctx: RpcContext): ConsensusReader {
  if (ctx.consensus === undefined) throw serverError('consensus is not running');
  return ctx.consensus;
}

const timeText = (micros: Micros): string =>
  formatTime(micros === 0 ? ZERO_TIME : timestampOf(Math.max(0, micros)));

/** Votes of round 0 up to the round after the current one, whose votes consensus tracks to be able to skip to it. */
function roundVotes(rs: RoundState) {
  const last = rs.step === STEP.newHeight ? rs.round : rs.round + 1;
  return Array.from({ length: last + 1 }, (_, round) => {
    const [prevotes, precommits] = [rs.votes(round, 'prevote'), rs.votes(round, 'precommit')];
    return {
      round,
      prevotes: voteTexts(prevotes, rs.validators),
      prevotes_bit_array: powerText(prevotes, rs.validators),
      precommits: voteTexts(precommits, rs.validators),
      precommits_bit_array: powerText(precommits, rs.validators),
    };
  });
}

function consensusState(ctx: RpcContext) {
  const { roundState: rs } = readerOf(ctx);
  const collected = rs.proposalBlock === undefined ? undefined : rs.proposal?.blockId;
  return {
    round_state: {
      'height/round/step': `${rs.height}/${rs.round}/${rs.step}`,
      start_time: timeText(rs.startTime),
      proposal_block_hash: toUpperHex(collected?.hash ?? EMPTY),
      locked_block_hash: toUpperHex(rs.lockedBlock?.hash ?? EMPTY),
      valid_block_hash: toUpperHex(rs.validBlock?.hash ?? EMPTY),
      height_vote_set: roundVotes(rs),
      proposer: { address: toUpperHex(rs.proposer.address), index: rs.proposer.index },
    },
  };
}

const partsJson = (parts: PartsReader | undefined) =>
  parts === undefined
    ? null
    : { 'count/total': `${parts.count}/${parts.header.total}`, parts_bit_array: bitsText(parts.bits) };

const heldJson = (held: HeldBlock | undefined) => (held?.block === undefined ? null : blockJson(held.block));

function lastCommitJson(ctx: RpcContext, { lastPrecommits, height }: RoundState) {
  const validators = ctx.chain.validators(height - 1);
  if (lastPrecommits === undefined || validators === undefined) return null;
  return {
    votes: voteTexts(lastPrecommits, validators),
    votes_bit_array: powerText(lastPrecommits, validators),
    peer_maj_23s: {},
  };
}

function dumpRoundState(ctx: RpcContext, rs: RoundState) {
  const last = ctx.chain.validators(rs.height - 1);
  return {
    height: String(rs.height),
    round: rs.round,
    step: rs.step,
    start_time: timeText(rs.startTime),
    commit_time: timeText(rs.commitTime),
    validators: validatorSetJson(rs.validators),
    proposal: rs.proposal === undefined ? null : proposalJson(rs.proposal),
    proposal_block: rs.proposalBlock === undefined ? null : blockJson(rs.proposalBlock),
    proposal_block_parts: partsJson(rs.proposalParts),
    locked_round: rs.lockedRound,
    locked_block: heldJson(rs.held.locked),
    locked_block_parts: partsJson(rs.held.locked?.parts),
    valid_round: rs.validRound,
    valid_block: heldJson(rs.held.valid),
    valid_block_parts: partsJson(rs.held.valid?.parts),
    votes: roundVotes(rs),
    commit_round: rs.commitRound,
    last_commit: lastCommitJson(ctx, rs),
    last_validators: last === undefined || rs.height === 1 ? null : validatorSetJson(last),
    triggered_timeout_precommit: rs.held.precommitTimer,
  };
}

const bitsJson = (bits: BitSet | undefined): string | null => (bits === undefined ? null : bitsText(bits));

function peerJson(ctx: RpcContext, id: string, round: PeerRoundReader) {
  const status = ctx.network?.peerStatuses().find(({ info }) => info.id === id);
  const { height, polRound, received } = round;
  // This node sends a peer at an earlier height the votes of the stored commit for that height.
  const catchup = height < ctx.chain.head() && height > 0 ? ctx.chain.commit(height) : undefined;
  return {
    node_address: status === undefined ? id : `${id}@${status.ip}`,
    peer_state: {
      round_state: {
        height: String(height),
        round: round.round,
        step: round.step,
        start_time: timeText(round.startTime),
        proposal: round.hasProposal,
        proposal_block_part_set_header: partSetHeaderJson(round.partsHeader ?? { total: 0, hash: EMPTY }),
        proposal_block_parts: bitsJson(round.parts),
        proposal_pol_round: polRound,
        proposal_pol: bitsJson(polRound < 0 ? undefined : round.votes(polRound, 'prevote')),
        prevotes: bitsJson(round.votes(round.round, 'prevote')),
        precommits: bitsJson(round.votes(round.round, 'precommit')),
        last_commit_round: round.lastCommitRound,
        last_commit: bitsJson(round.lastCommit),
        catchup_commit_round: catchup?.round ?? -1,
        catchup_commit: bitsJson(catchup && round.votes(catchup.round, 'precommit')),
      },
      stats: { votes: String(received.votes), block_parts: String(received.blockParts) },
    },
  };
}

function dumpConsensusState(ctx: RpcContext) {
  const reader = readerOf(ctx);
  return {
    round_state: dumpRoundState(ctx, reader.roundState),
    peers: reader.peers().map(({ id, round }) => peerJson(ctx, id, round)),
  };
}

export const consensusMethods = [
  method({
    method: 'consensus_state',
    args: {},
    doc: 'Height, round, step and votes of the consensus machine, in short.',
    run: consensusState,
  }),
  method({
    method: 'dump_consensus_state',
    args: {},
    doc: 'Everything the consensus machine holds, and where each peer stands.',
    run: dumpConsensusState,
  }),
];
