import { encodeBlock } from '../../../core/codec/block.ts';
import { encodeEvidenceList } from '../../../core/codec/evidence.ts';
import { BLOCK_PROTOCOL } from '../../../core/codec/limits.ts';
import { voteSignBytes } from '../../../core/codec/signBytes.ts';
import { type Bytes, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import {
  type Block,
  type BlockId,
  type Commit,
  type CommitSig,
  equalBlockId,
  type Header,
  isZeroBlockId,
  ZERO_BLOCK_ID,
} from '../../../core/types/block.ts';
import { compareTime, type Timestamp, ZERO_TIME } from '../../../core/types/ids.ts';
import type { NodeEvent } from '../../../core/types/nodeEvent.ts';
import { type ConsensusParams, DEFAULT_PARAMS } from '../../../core/types/params.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import { newest } from '../../newest.ts';
import {
  type HashedResult,
  hashOfCommit,
  hashOfEvidence,
  hashOfHeader,
  hashOfParams,
  hashOfResults,
  hashOfTxs,
  hashOfValidators,
} from '../../reference/chainHashes.ts';
import { remembered } from '../../remembered.ts';
import { addressesOf, type CheckerContext } from '../checker.ts';
import { type Rotation, rotationOf } from '../consensus/rotation.ts';
import { isSignature } from './voteSignature.ts';

type CommittedEvent = Extract<NodeEvent, { kind: 'committed' }>;

/** What the observer knows of one decided height. */
export interface SeenBlock {
  readonly event: CommittedEvent;
  /** The validator set that may propose and sign the next height. */
  readonly validators: ValidatorSet;
}

/** What is wrong with a block that follows `last`, evidence aside. Undefined when nothing is. */
export const blockProblem = (
  context: CheckerContext,
  { block, blockId }: Pick<CommittedEvent, 'block' | 'blockId'>,
  last: SeenBlock | undefined,
): string | undefined => judging(context)(block, blockId, last && beforeOf(last));

/** Voters and deciders of a block hold copies of it, so the newest answer is kept. */
const judging = remembered((context: CheckerContext) => {
  const rotation = rotationOf(context.cluster);
  return newest((block: Block, blockId: BlockId, before: Before | undefined) =>
    problemOf(context, block, blockId, before, rotation),
  );
});

/** What the block must agree with, from the block and state before it. */
interface Before {
  readonly header: Header;
  readonly blockId: BlockId;
  readonly appHash: Bytes;
  readonly results: readonly HashedResult[];
  readonly params: ConsensusParams;
  readonly signers: ValidatorSet | undefined;
  readonly validators: ValidatorSet;
  readonly nextValidators: ValidatorSet;
}

const beforeOf = ({ event: { block, blockId, results, state }, validators }: SeenBlock): Before => ({
  header: block.header,
  blockId,
  appHash: results.appHash,
  results: results.txResults.map(({ code, data, gasWanted, gasUsed }) => ({
    code,
    data,
    gasWanted,
    gasUsed,
  })),
  params: state.params,
  signers: state.lastValidators,
  validators,
  nextValidators: state.nextValidators,
});

function problemOf(
  context: CheckerContext,
  block: Block,
  blockId: BlockId,
  before: Before | undefined,
  rotation: Rotation,
): string | undefined {
  const problem =
    hashProblem(block, blockId) ?? sizeProblem(context.cluster.schedule.params(block.header.height), block);
  if (problem !== undefined) return problem;
  if (before !== undefined) return linkProblem(context, block, before, rotation);
  const { initialHeight, genesisTime } = context.cluster.genesis;
  if (block.header.height !== initialHeight) return undefined;
  if (block.lastCommit.signatures.length > 0) return 'the first block has signatures for one before it';
  return compareTime(block.header.time, genesisTime) === 0
    ? undefined
    : 'the first block has another time than genesis';
}

function sizeProblem(params: ConsensusParams, block: Block): string | undefined {
  if (encodeEvidenceList(block.evidence).length > params.evidence.maxBytes)
    return 'it has more evidence than fits into a block';
  // No run comes near the limit of a new chain.
  const { maxBytes } = params.block;
  const isLimited = maxBytes !== -1 && maxBytes < DEFAULT_PARAMS.block.maxBytes;
  return isLimited && encodeBlock(block).length > maxBytes ? 'it is larger than a block may be' : undefined;
}

function hashProblem(block: Block, blockId: BlockId): string | undefined {
  const { header } = block;
  if (!equalBytes(hashOfHeader(header), blockId.hash)) return 'the block id is not the hash of the header';
  if (!equalBytes(header.dataHash, hashOfTxs(block.txs))) return 'data_hash is not that of the transactions';
  if (!equalBytes(header.evidenceHash, hashOfEvidence(encodeEvidenceList(block.evidence))))
    return 'evidence_hash is wrong';
  const isFirst = block.lastCommit.signatures.length === 0;
  if (!isFirst && !equalBytes(header.lastCommitHash, hashOfCommit(block.lastCommit)))
    return 'last_commit_hash is wrong';
  return undefined;
}

function linkProblem(
  context: CheckerContext,
  block: Block,
  before: Before,
  rotation: Rotation,
): string | undefined {
  const { header, lastCommit } = block;
  const wrong = fixedFieldProblem(context, header, before);
  if (wrong !== undefined) return wrong;
  if (!equalBlockId(header.lastBlockId, before.blockId)) return 'last_block_id is not the block before';
  if (!equalBytes(header.appHash, before.appHash)) return 'app_hash is not the result of the block before';
  if (!equalBytes(header.lastResultsHash, hashOfResults(before.results))) return 'last_results_hash is wrong';
  if (!equalBytes(header.validatorsHash, hashOfValidators(before.validators)))
    return 'validators_hash is wrong';
  if (compareTime(header.time, before.header.time) <= 0) return 'time does not grow';
  const { signers } = before;
  const median = medianOf(lastCommit, signers);
  if (median !== undefined && compareTime(header.time, median) !== 0)
    return 'time is not the weighted median of the last commit';
  const { proposerAddress } = header;
  if (!before.validators.validators.some((one) => equalBytes(one.address, proposerAddress)))
    return 'the proposer is no validator';
  if (signers === undefined) return 'the state after a block names no last validators';
  return (
    commitProblem(context, lastCommit, before.blockId, signers) ??
    proposerProblem(context, before.header, signers, lastCommit, rotation)
  );
}

/** Fields that follow from the previous block and state alone. */
function fixedFieldProblem({ cluster }: CheckerContext, header: Header, before: Before): string | undefined {
  if (header.chainId !== cluster.genesis.chainId) return 'it is of another chain';
  if (header.height !== before.header.height + 1) return 'it is of another height';
  const { app, block: protocol } = header.version;
  if (protocol !== BLOCK_PROTOCOL || app !== before.params.version.app) return 'it is of another version';
  if (!equalBytes(header.consensusHash, hashOfParams(before.params))) return 'consensus_hash is wrong';
  return equalBytes(header.nextValidatorsHash, hashOfValidators(before.nextValidators))
    ? undefined
    : 'next_validators_hash is wrong';
}

const isEmpty = ({ validatorAddress, timestamp, signature }: CommitSig): boolean =>
  validatorAddress.length + signature.length === 0 && compareTime(timestamp, ZERO_TIME) === 0;

/** The commit has more than two thirds of the power for that block, and every signature is good. */
function commitProblem(
  context: CheckerContext,
  commit: Commit,
  blockId: BlockId,
  signers: ValidatorSet,
): string | undefined {
  if (!equalBlockId(commit.blockId, blockId)) return 'the last commit is for another block';
  if (commit.signatures.length !== signers.validators.length)
    return 'the last commit has slots for other validators';
  let power = 0n;
  for (const [i, signature] of commit.signatures.entries()) {
    const validator = signers.validators[i];
    if (signature.flag === 'absent' && !isEmpty(signature))
      return `slot ${i} of the last commit is not empty`;
    if (signature.flag === 'absent' || validator === undefined) continue;
    if (!equalBytes(validator.address, signature.validatorAddress))
      return `slot ${i} of the last commit names another validator`;
    const bytes = voteSignBytes(context.cluster.genesis.chainId, {
      type: 'precommit',
      height: commit.height,
      round: commit.round,
      blockId: signature.flag === 'commit' ? commit.blockId : ZERO_BLOCK_ID,
      timestamp: signature.timestamp,
    });
    if (!isSignature(context.suite, validator.pubKey, bytes, signature.signature)) {
      return `slot ${i} of the last commit has a bad signature`;
    }
    if (signature.flag === 'commit') power += validator.power;
  }
  return 3n * power > 2n * signers.totalPower
    ? undefined
    : `the last commit has power ${power} of ${signers.totalPower}`;
}

/**
 * The header names the proposer of some round up to the commit's. A Byzantine proposer may name any validator: its own
 * signature is on the proposal, and a header only has to name a member of the set (CometBFT validateBlock).
 */
function proposerProblem(
  context: CheckerContext,
  { proposerAddress, height }: Header,
  { validators }: ValidatorSet,
  commit: Commit,
  rotation: Rotation,
): string | undefined {
  if (isZeroBlockId(commit.blockId)) return 'the last commit is for nil';
  const proposers = Array.from({ length: commit.round + 1 }, (_, round) => rotation.proposer(height, round));
  const isOne = (address: Bytes): boolean => equalBytes(address, proposerAddress);
  if (proposers.some(isOne)) return undefined;
  const liars = [...addressesOf(context)].filter(([{ isCorrect }]) => !isCorrect);
  const mayLie = liars.some(([, liar]) => proposers.some((proposer) => equalBytes(proposer, liar)));
  return mayLie && validators.some(({ address }) => isOne(address))
    ? undefined
    : `${toHex(proposerAddress)} was proposer of no round up to ${commit.round}`;
}

/** The weighted median: in order of time, the vote with which half of the signing power is reached. Nil votes count. */
function medianOf(commit: Commit, signers: ValidatorSet | undefined): Timestamp | undefined {
  if (signers === undefined) return undefined;
  const votes = commit.signatures.flatMap(({ flag, timestamp }, i) => {
    const power = signers.validators[i]?.power ?? 0n;
    return flag === 'absent' ? [] : [{ timestamp, power }];
  });
  votes.sort((a, b) => compareTime(a.timestamp, b.timestamp));
  const half = votes.reduce((sum, { power }) => sum + power, 0n) / 2n;
  let reached = 0n;
  return votes.find(({ power }) => {
    reached += power;
    return reached >= half;
  })?.timestamp;
}
