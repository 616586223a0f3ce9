/** Encodes and decodes messages between peers, with CometBFT's receive checks (consensus/reactor.go). */
import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { isCompleteBlockId, isZeroBlockId } from '../types/block.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Height } from '../types/ids.ts';
import type { BlocksyncMessage, ConsensusMessage, TxsMessage } from '../types/messages.ts';
import { STEP } from '../types/messages.ts';
import { decodeEvidenceList, encodeEvidenceList } from './evidence.ts';
import { BLOCK_PARTS_MAX, VALIDATORS_MAX } from './limits.ts';
import { BLOCKSYNC_MESSAGE, CONSENSUS_MESSAGE, MEMPOOL_MESSAGE } from './messageTables.ts';
import { decode, encode } from './proto.ts';
import {
  validateEvidenceBasic,
  validatePartBasic,
  validateProposalBasic,
  validateVoteBasic,
} from './validate.ts';
import type { CodecError } from './wire.ts';

const bad = (
  field: string,
  problem: string,
  limit?: number,
): { readonly ok: false; readonly error: CodecError } =>
  err({ code: 'codec', field, message: `${field}: ${problem}`, ...(limit === undefined ? {} : { limit }) });

type Problem = readonly [field: string, problem: string, limit?: number] | undefined;

export const encodeConsensusMessage = (message: ConsensusMessage): Bytes =>
  encode(CONSENSUS_MESSAGE, message);

/** Decodes a message and does all checks that need no state. A failure is a reason to drop the peer. */
export function decodeConsensusMessage(bytes: Bytes): Result<ConsensusMessage, CodecError> {
  const decoded = decode(CONSENSUS_MESSAGE, bytes);
  if (!decoded.ok) return decoded;
  const problem = problemOf(decoded.value);
  return problem === undefined ? decoded : bad(...problem);
}

function problemOf(message: ConsensusMessage): Problem {
  switch (message.kind) {
    case 'proposal':
      return asProblem(validateProposalBasic(message.proposal));
    case 'vote':
      return asProblem(validateVoteBasic(message.vote));
    case 'blockPart':
      return roundProblem('BlockPart', message) ?? asProblem(validatePartBasic(message.part));
    case 'newRoundStep':
      return roundProblem('NewRoundStep', message) ?? newRoundStepProblem(message);
    case 'newValidBlock':
      return roundProblem('NewValidBlock', message) ?? newValidBlockProblem(message);
    case 'proposalPol': {
      if (message.height < 0) return ['ProposalPOL.height', `${message.height} is negative`];
      if (message.polRound < 0) return ['ProposalPOL.proposal_pol_round', `${message.polRound} is negative`];
      return message.bits.size === 0 ? ['ProposalPOL.proposal_pol', 'is empty', VALIDATORS_MAX] : undefined;
    }
    case 'hasVote':
      if (message.index < 0) return ['HasVote.index', `${message.index} is negative`];
      return roundProblem('HasVote', message);
    case 'voteSetMaj23':
      return roundProblem('VoteSetMaj23', message) ?? blockIdProblem('VoteSetMaj23', message.blockId);
    case 'voteSetBits':
      return roundProblem('VoteSetBits', message) ?? blockIdProblem('VoteSetBits', message.blockId);
    default:
      return ['Message', 'no known case is set'];
  }
}

const asProblem = (check: Result<void, { readonly field: string; readonly message: string }>): Problem =>
  check.ok ? undefined : [check.error.field, check.error.message.slice(check.error.field.length + 2)];

function roundProblem(
  name: string,
  { height, round }: { readonly height: number; readonly round: number },
): Problem {
  if (height < 0) return [`${name}.height`, `${height} is negative`];
  return round < 0 ? [`${name}.round`, `${round} is negative`] : undefined;
}

const blockIdProblem = (
  name: string,
  id: Extract<ConsensusMessage, { kind: 'voteSetMaj23' }>['blockId'],
): Problem =>
  isZeroBlockId(id) || isCompleteBlockId(id) ? undefined : [`${name}.block_id`, 'neither nil nor complete'];

function newRoundStepProblem(message: Extract<ConsensusMessage, { kind: 'newRoundStep' }>): Problem {
  if (message.step < STEP.newHeight || message.step > STEP.commit) {
    return ['NewRoundStep.step', `${message.step}, expected 1 to ${STEP.commit}`, STEP.commit];
  }
  if (message.lastCommitRound < -1)
    return ['NewRoundStep.last_commit_round', `${message.lastCommitRound} is below -1`];
  return undefined;
}

function newValidBlockProblem(message: Extract<ConsensusMessage, { kind: 'newValidBlock' }>): Problem {
  const { total, hash } = message.parts;
  if (hash.length !== 0 && hash.length !== 32)
    return ['NewValidBlock.block_part_set_header', 'hash is not 32 bytes'];
  if (message.bits.size === 0) return ['NewValidBlock.block_parts', 'is empty', BLOCK_PARTS_MAX];
  if (message.bits.size === total) return undefined;
  return ['NewValidBlock.block_parts', `${message.bits.size} bits for ${total} parts`, BLOCK_PARTS_MAX];
}

/**
 * The check of NewRoundStep that needs the chain's initial height: only at that height a node has no last commit round.
 * False is a reason to drop the peer.
 */
export function hasFittingLastCommitRound(
  message: Extract<ConsensusMessage, { readonly kind: 'newRoundStep' }>,
  initialHeight: Height,
): boolean {
  if (message.height < initialHeight) return false;
  return message.height === initialHeight ? message.lastCommitRound === -1 : message.lastCommitRound >= 0;
}

export const encodeTxsMessage = (message: TxsMessage): Bytes =>
  encode(MEMPOOL_MESSAGE, { kind: 'txs', txs: message.txs });

export function decodeTxsMessage(bytes: Bytes): Result<TxsMessage, CodecError> {
  const decoded = decode(MEMPOOL_MESSAGE, bytes);
  if (!decoded.ok) return decoded;
  const { txs } = decoded.value;
  if (txs.length === 0) return bad('Txs.txs', 'is empty');
  return txs.some((tx) => tx.length === 0) ? bad('Txs.txs', 'has an empty transaction') : ok({ txs });
}

export const encodeEvidenceMessage = (evidence: readonly Evidence[]): Bytes => encodeEvidenceList(evidence);

export function decodeEvidenceMessage(bytes: Bytes): Result<readonly Evidence[], CodecError> {
  const decoded = decodeEvidenceList(bytes);
  if (!decoded.ok) return decoded;
  for (const [i, evidence] of decoded.value.entries()) {
    const problem = asProblem(validateEvidenceBasic(evidence, `EvidenceList.evidence[${i}]`));
    if (problem !== undefined) return bad(...problem);
  }
  return decoded;
}

export const encodeBlocksyncMessage = (message: BlocksyncMessage): Bytes =>
  encode(BLOCKSYNC_MESSAGE, message);

/** A block in the message is decoded but not validated. The code that applies it checks its hashes and commit. */
export function decodeBlocksyncMessage(bytes: Bytes): Result<BlocksyncMessage, CodecError> {
  const decoded = decode(BLOCKSYNC_MESSAGE, bytes);
  if (!decoded.ok) return decoded;
  const message = decoded.value;
  if ((message.kind === 'blockRequest' || message.kind === 'noBlockResponse') && message.height < 0) {
    return bad('BlockRequest.height', `${message.height} is negative`);
  }
  if (message.kind === 'statusResponse' && (message.base < 0 || message.height < message.base)) {
    return bad('StatusResponse.base', `${message.base} at height ${message.height}`);
  }
  return decoded;
}
