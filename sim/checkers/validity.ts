import { encodeBlock } from '../../core/codec/block.ts';
import { encodeEvidenceList } from '../../core/codec/evidence.ts';
import { BLOCK_PROTOCOL } from '../../core/codec/limits.ts';
import { voteSignBytes } from '../../core/codec/signBytes.ts';
import { equalBytes, toHex } from '../../core/lib/bytes.ts';
import {
  type Block,
  type BlockId,
  type Commit,
  type CommitSig,
  equalBlockId,
  type Header,
  isZeroBlockId,
  ZERO_BLOCK_ID,
} from '../../core/types/block.ts';
import { compareTime, type Timestamp, ZERO_TIME } from '../../core/types/ids.ts';
import type { NodeEvent } from '../../core/types/nodeEvent.ts';
import { type ConsensusParams, DEFAULT_PARAMS } from '../../core/types/params.ts';
import type { ValidatorSet } from '../../core/types/validator.ts';
import {
  hashOfCommit,
  hashOfEvidence,
  hashOfHeader,
  hashOfParams,
  hashOfResults,
  hashOfTxs,
  hashOfValidators,
} from '../reference/chainHashes.ts';
import type { Schedule } from '../schedule.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { proofProblem } from './proofs.ts';
import { Committed } from './proven.ts';
import { type Rotation, rotationOf, type Seat } from './rotation.ts';

type CommittedEvent = Extract<NodeEvent, { kind: 'committed' }>;

/** What the observer knows of one decided height. */
export interface Seen {
  readonly event: CommittedEvent;
  /** Who may sign and propose the next height. */
  readonly validators: ValidatorSet;
}

/** Heights remembered behind the newest. */
const KEPT_MAX = 64;

/**
 * VAL: an observer of its own follows the chain and checks every decided block once: hashes, links, proposer of the
 * commit's round, and more than two thirds of valid signatures in the commit that the next block carries.
 */
export function validity(context: CheckerContext): Checker {
  const name = 'validity';
  const seen = new Map<number, Seen>();
  const accusations = new Committed();
  let newest = 0;
  const rotation = rotationOf(context.cluster);
  // Asked two heights ahead of the other.
  const coming = rotationOf(context.cluster);
  return {
    name,
    ...hearing(['committed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { event } = fact;
      const { height } = event.block.header;
      // Who comes late decides what was judged long ago.
      if (height <= newest) return;
      newest = height;
      const problem =
        blockProblem(context, event, seen.get(height - 1), rotation) ??
        stateProblem(event, seen.get(height - 1)) ??
        comingProblem(event, coming.seats(height + 2), context.cluster.schedule) ??
        proofProblem(context, event.block, seen, accusations);
      if (problem !== undefined)
        context.fail(name, `height ${height} decided by ${fact.node.name}: ${problem}`);
      seen.set(height, { event, validators: event.state.validators });
      seen.delete(height - KEPT_MAX);
    }),
  };
}

/** What is wrong with a block that follows `last`, but for its evidence. */
export function blockProblem(
  context: CheckerContext,
  { block, blockId }: Pick<CommittedEvent, 'block' | 'blockId'>,
  last: Seen | undefined,
  rotation: Rotation,
): string | undefined {
  const problem =
    hashProblem(block, blockId) ?? sizeProblem(context.cluster.schedule.params(block.header.height), block);
  if (problem !== undefined) return problem;
  if (last !== undefined) return linkProblem(context, block, last, rotation);
  const { initialHeight, genesisTime } = context.cluster.genesis;
  if (block.header.height !== initialHeight) return undefined;
  if (block.lastCommit.signatures.length > 0) return 'the first block has signatures for one before it';
  return compareTime(block.header.time, genesisTime) === 0
    ? undefined
    : 'the first block has another time than genesis';
}

/** The sets of validators move up by one height with each block, as they are, priorities included. */
function stateProblem({ state }: CommittedEvent, last: Seen | undefined): string | undefined {
  if (last === undefined) return undefined;
  const before = last.event.state;
  if (!isSameSet(state.lastValidators, before.validators)) return 'the last validators are not those before';
  return isSameSet(state.validators, before.nextValidators)
    ? undefined
    : 'the validators are not those that the state before announced';
}

/** Who votes two heights on follows from what the application has answered so far, and nothing else. */
function comingProblem(
  { state }: CommittedEvent,
  seats: readonly Seat[],
  schedule: Schedule,
): string | undefined {
  const { validators } = state.nextValidators;
  const { lastBlockHeight: height } = state;
  const voters = schedule.voters(height + 2);
  const isSame = voters.every(({ address, power }, i) => {
    const one = validators[i];
    const seat = seats.find((other) => equalBytes(other.address, address));
    return one?.power === power && one.priority === seat?.credit && equalBytes(one.address, address);
  });
  if (!isSame || voters.length !== validators.length)
    return 'the next validators are not those that the application has named';
  const changed = schedule.lastChanged(height);
  return state.lastHeightValidatorsChanged === changed.voters &&
    state.lastHeightParamsChanged === changed.params
    ? undefined
    : 'the validators or parameters were not changed last when the state says';
}

function isSameSet(a: ValidatorSet | undefined, b: ValidatorSet): boolean {
  if (a === undefined || a.validators.length !== b.validators.length) return false;
  return a.validators.every((one, i) => {
    const other = b.validators[i];
    return (
      other !== undefined &&
      equalBytes(one.address, other.address) &&
      one.power === other.power &&
      one.priority === other.priority
    );
  });
}

function sizeProblem(params: ConsensusParams, block: Block): string | undefined {
  if (encodeEvidenceList(block.evidence).length > params.evidence.maxBytes)
    return 'it has more evidence than fits into a block';
  // No run comes near the limit of a new chain.
  const isLimited = params.block.maxBytes < DEFAULT_PARAMS.block.maxBytes;
  return isLimited && encodeBlock(block).length > params.block.maxBytes
    ? 'it is larger than a block may be'
    : undefined;
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
  last: Seen,
  rotation: Rotation,
): string | undefined {
  const { header, lastCommit } = block;
  const before = last.event;
  const wrong = fixedFieldProblem(context, header, before);
  if (wrong !== undefined) return wrong;
  if (!equalBlockId(header.lastBlockId, before.blockId)) return 'last_block_id is not the block before';
  if (!equalBytes(header.appHash, before.results.appHash))
    return 'app_hash is not the result of the block before';
  if (!equalBytes(header.lastResultsHash, hashOfResults(before.results.txResults)))
    return 'last_results_hash is wrong';
  if (!equalBytes(header.validatorsHash, hashOfValidators(last.validators)))
    return 'validators_hash is wrong';
  if (compareTime(header.time, before.block.header.time) <= 0) return 'time does not grow';
  const median = medianOf(lastCommit, before.state.lastValidators);
  if (median !== undefined && compareTime(header.time, median) !== 0)
    return 'time is not the weighted median of the last commit';
  const { proposerAddress } = header;
  if (!last.validators.validators.some((one) => equalBytes(one.address, proposerAddress)))
    return 'the proposer is no validator';
  const signers = before.state.lastValidators;
  if (signers === undefined) return 'the state after a block names no last validators';
  return (
    commitProblem(context, lastCommit, before.blockId, signers) ??
    proposerProblem(before, lastCommit, rotation)
  );
}

/** Fields that follow from the chain and the state before alone. */
function fixedFieldProblem(
  { cluster }: CheckerContext,
  header: Header,
  { block, state }: CommittedEvent,
): string | undefined {
  if (header.chainId !== cluster.genesis.chainId) return 'it is of another chain';
  if (header.height !== block.header.height + 1) return 'it is of another height';
  const { app, block: protocol } = header.version;
  if (protocol !== BLOCK_PROTOCOL || app !== state.params.version.app) return 'it is of another version';
  if (!equalBytes(header.consensusHash, hashOfParams(state.params))) return 'consensus_hash is wrong';
  return equalBytes(header.nextValidatorsHash, hashOfValidators(state.nextValidators))
    ? undefined
    : 'next_validators_hash is wrong';
}

const isEmpty = ({ validatorAddress, timestamp, signature }: CommitSig): boolean =>
  validatorAddress.length + signature.length === 0 && compareTime(timestamp, ZERO_TIME) === 0;

/** More than two thirds of the power, each signature good, all for the one block. */
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
    if (!context.suite.ed25519Verify(validator.pubKey.bytes, bytes, signature.signature)) {
      return `slot ${i} of the last commit has a bad signature`;
    }
    if (signature.flag === 'commit') power += validator.power;
  }
  return 3n * power > 2n * signers.totalPower
    ? undefined
    : `the last commit has power ${power} of ${signers.totalPower}`;
}

/** The decided block was proposed by the proposer of some round up to that of its commit. */
function proposerProblem(decided: CommittedEvent, commit: Commit, rotation: Rotation): string | undefined {
  if (isZeroBlockId(commit.blockId)) return 'the last commit is for nil';
  const { proposerAddress, height } = decided.block.header;
  for (let round = 0; round <= commit.round; round++) {
    if (equalBytes(rotation.proposer(height, round), proposerAddress)) return undefined;
  }
  return `${toHex(proposerAddress)} was proposer of no round up to ${commit.round}`;
}

/** The time at which, in order of time, half of the power that signed is reached; votes for nil count. */
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
