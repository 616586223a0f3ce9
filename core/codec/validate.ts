/** CometBFT's ValidateBasic: the checks that need no state. */
import { type Bytes, compareBytes, equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { encodeUtf8 } from '../lib/utf8.ts';
import {
  type Block,
  type BlockId,
  type Commit,
  type CommitSig,
  type Header,
  isCompleteBlockId,
  isZeroBlockId,
  type Part,
} from '../types/block.ts';
import type { DuplicateVoteEvidence, Evidence, LightClientAttackEvidence } from '../types/evidence.ts';
import { ZERO_TIME } from '../types/ids.ts';
import type { Proposal, Vote } from '../types/vote.ts';
import { commitHash, dataHash, evidenceListHash, headerHash, validatorsHash } from './hashes.ts';
import { encodePartSetHeader } from './header.ts';
import {
  ADDRESS_BYTES,
  AUNTS_MAX,
  BLOCK_PROTOCOL,
  CHAIN_ID_BYTES_MAX,
  EXTENSION_BYTES_MAX,
  HASH_BYTES,
  PART_BYTES,
  SIGNATURE_BYTES_MAX,
} from './limits.ts';
import { isTimestamp } from './time.ts';

export interface InvalidError {
  readonly code: 'invalid';
  /** For example `header.data_hash` or `commit.signatures[3].signature`. */
  readonly field: string;
  readonly message: string;
}

type Check = Result<void, InvalidError>;

const VALID: Check = ok(undefined);
const invalid = (field: string, problem: string): Check =>
  err({ code: 'invalid', field, message: `${field}: ${problem}` });

/** The first failure in the list. Checks after it are not evaluated. */
function firstOf(...checks: readonly (() => Check)[]): Check {
  for (const check of checks) {
    const result = check();
    if (!result.ok) return result;
  }
  return VALID;
}

const require = (fact: boolean, field: string, problem: string): Check =>
  fact ? VALID : invalid(field, problem);

const isHash = (hash: Bytes): boolean => hash.length === 0 || hash.length === HASH_BYTES;

const checkHash = (hash: Bytes, field: string): Check =>
  require(isHash(hash), field, `${hash.length} bytes, expected 0 or ${HASH_BYTES}`);

// Every block, part and proposal passes through here, so texts are made only for a failure.
const checkAddress = (address: Bytes, field: string): Check =>
  address.length === ADDRESS_BYTES
    ? VALID
    : invalid(field, `${address.length} bytes, expected ${ADDRESS_BYTES}`);

const checkSignature = (signature: Bytes, field: string): Check =>
  signature.length > 0 && signature.length <= SIGNATURE_BYTES_MAX
    ? VALID
    : invalid(field, `${signature.length} bytes, expected 1 to ${SIGNATURE_BYTES_MAX}`);

const checkHeight = (height: number, field: string, min = 1): Check =>
  Number.isSafeInteger(height) && height >= min
    ? VALID
    : invalid(field, `${height}, expected at least ${min}`);

function validateBlockIdBasic(id: BlockId, field = 'block_id'): Check {
  if (!isHash(id.hash)) return checkHash(id.hash, `${field}.hash`);
  if (!isHash(id.parts.hash)) return checkHash(id.parts.hash, `${field}.part_set_header.hash`);
  return VALID;
}

const HEADER_HASHES = [
  ['lastCommitHash', 'header.last_commit_hash'],
  ['dataHash', 'header.data_hash'],
  ['evidenceHash', 'header.evidence_hash'],
  ['validatorsHash', 'header.validators_hash'],
  ['nextValidatorsHash', 'header.next_validators_hash'],
  ['consensusHash', 'header.consensus_hash'],
  ['lastResultsHash', 'header.last_results_hash'],
] as const;

export function validateHeaderBasic(header: Header): Check {
  const { block } = header.version;
  if (block !== BLOCK_PROTOCOL)
    return invalid('header.version.block', `${block}, expected ${BLOCK_PROTOCOL}`);
  const chainIdBytes = encodeUtf8(header.chainId).length;
  if (chainIdBytes > CHAIN_ID_BYTES_MAX)
    return invalid('header.chain_id', `${chainIdBytes} bytes, at most 50`);
  const height = checkHeight(header.height, 'header.height');
  if (!height.ok) return height;
  if (!isTimestamp(header.time)) return invalid('header.time', 'outside years 1 to 9999');
  const lastBlockId = validateBlockIdBasic(header.lastBlockId, 'header.last_block_id');
  if (!lastBlockId.ok) return lastBlockId;
  for (const [key, field] of HEADER_HASHES) if (!isHash(header[key])) return checkHash(header[key], field);
  return checkAddress(header.proposerAddress, 'header.proposer_address');
}

/** Nearly all slots are valid, so texts are made only for a failure. */
function validateCommitSig(sig: CommitSig, index: number): Check {
  const { flag, validatorAddress, signature, timestamp } = sig;
  if (flag !== 'absent') {
    const isSound =
      validatorAddress.length === ADDRESS_BYTES &&
      signature.length > 0 &&
      signature.length <= SIGNATURE_BYTES_MAX;
    return isSound ? VALID : unsoundSlot(sig, `commit.signatures[${index}]`);
  }
  const isZero = timestamp.seconds === ZERO_TIME.seconds && timestamp.nanos === ZERO_TIME.nanos;
  const isNobodys = validatorAddress.length === 0 && isZero && signature.length === 0;
  return isNobodys ? VALID : notAbsent(sig, isZero, `commit.signatures[${index}]`);
}

const unsoundSlot = (sig: CommitSig, field: string): Check =>
  firstOf(
    () => checkAddress(sig.validatorAddress, `${field}.validator_address`),
    () => checkSignature(sig.signature, `${field}.signature`),
  );

const notAbsent = (sig: CommitSig, isZero: boolean, field: string): Check =>
  firstOf(
    () =>
      require(sig.validatorAddress.length === 0, `${field}.validator_address`, 'given for an absent vote'),
    () => require(isZero, `${field}.timestamp`, 'given for an absent vote'),
    () => require(sig.signature.length === 0, `${field}.signature`, 'given for an absent vote'),
  );

function validateCommitBasic(commit: Commit): Check {
  const height = checkHeight(commit.height, 'commit.height', 0);
  if (!height.ok) return height;
  if (commit.round < 0) return invalid('commit.round', `${commit.round} is negative`);
  if (commit.height === 0) return VALID;
  const blockId = validateBlockIdBasic(commit.blockId, 'commit.block_id');
  if (!blockId.ok) return blockId;
  if (isZeroBlockId(commit.blockId)) return invalid('commit.block_id', 'is nil');
  if (commit.signatures.length === 0) return invalid('commit.signatures', 'there is none');
  for (let i = 0; i < commit.signatures.length; i++) {
    const slot = validateCommitSig(commit.signatures[i] as CommitSig, i);
    if (!slot.ok) return slot;
  }
  return VALID;
}

/** Checks that header and commit are well-formed, and that the header's hashes match the contents. */
export function validateBlockBasic(block: Block): Check {
  const { header, lastCommit, txs, evidence } = block;
  const head = validateHeaderBasic(header);
  if (!head.ok) return head;
  const commit = validateCommitBasic(lastCommit);
  if (!commit.ok) return commit;
  const commitHashed = checkEqual(header.lastCommitHash, commitHash(lastCommit), 'header.last_commit_hash');
  if (!commitHashed.ok) return commitHashed;
  const dataHashed = checkEqual(header.dataHash, dataHash(txs), 'header.data_hash');
  if (!dataHashed.ok) return dataHashed;
  for (let i = 0; i < evidence.length; i++) {
    const one = validateEvidenceBasic(evidence[i] as Evidence, `evidence[${i}]`);
    if (!one.ok) return one;
  }
  return checkEqual(header.evidenceHash, evidenceListHash(evidence), 'header.evidence_hash');
}

const checkEqual = (given: Bytes, computed: Bytes, field: string): Check =>
  require(equalBytes(given, computed), field, 'is not the hash of the contents');

/** Called for every vote: no closures, and texts are made only for a failure. */
export function validateVoteBasic(vote: Vote, field = 'vote'): Check {
  const { blockId, extension, extensionSignature } = vote;
  const checked = checkHeight(vote.height, `${field}.height`);
  if (!checked.ok) return checked;
  if (vote.round < 0) return invalid(`${field}.round`, `${vote.round} is negative`);
  if (!isZeroBlockId(blockId) && !isCompleteBlockId(blockId)) {
    return invalid(`${field}.block_id`, 'neither nil nor complete');
  }
  if (vote.validatorAddress.length !== ADDRESS_BYTES) {
    return checkAddress(vote.validatorAddress, `${field}.validator_address`);
  }
  if (vote.validatorIndex < 0) {
    return invalid(`${field}.validator_index`, `${vote.validatorIndex} is negative`);
  }
  if (vote.signature.length === 0 || vote.signature.length > SIGNATURE_BYTES_MAX) {
    return checkSignature(vote.signature, `${field}.signature`);
  }
  if (extension.length === 0 && extensionSignature.length === 0) return VALID;
  return validateExtension(vote, field);
}

function validateExtension(vote: Vote, field: string): Check {
  const { extension, extensionSignature } = vote;
  const mayExtend = vote.type === 'precommit' && !isZeroBlockId(vote.blockId);
  return firstOf(
    () => require(mayExtend, `${field}.extension`, 'only precommits for a block have extensions'),
    () =>
      require(extension.length <=
        EXTENSION_BYTES_MAX, `${field}.extension`, `at most ${EXTENSION_BYTES_MAX} bytes`),
    () => checkSignature(extensionSignature, `${field}.extension_signature`),
  );
}

export function validateProposalBasic(proposal: Proposal): Check {
  const { round, polRound } = proposal;
  const height = checkHeight(proposal.height, 'proposal.height', 0);
  if (!height.ok) return height;
  if (round < 0) return invalid('proposal.round', `${round} is negative`);
  if (polRound < -1) return invalid('proposal.pol_round', `${polRound}, expected at least -1`);
  if (!isCompleteBlockId(proposal.blockId)) return invalid('proposal.block_id', 'is not complete');
  return checkSignature(proposal.signature, 'proposal.signature');
}

export function validatePartBasic({ index, bytes, proof }: Part): Check {
  const { total, leafHash, aunts } = proof;
  if (bytes.length > PART_BYTES) return invalid('part.bytes', `${bytes.length} bytes, at most ${PART_BYTES}`);
  if (index + 1 < total && bytes.length !== PART_BYTES) {
    return invalid('part.bytes', 'a part before the last is short');
  }
  // ASA-2025-002: with a proof for another index, a part looks valid but never completes the set.
  if (index !== proof.index) return invalid('part.proof.index', `${proof.index}, the part's is ${index}`);
  if (total < 0) return invalid('part.proof.total', `${total} is negative`);
  if (leafHash.length !== HASH_BYTES) return invalid('part.proof.leaf_hash', 'is not 32 bytes');
  if (aunts.length > AUNTS_MAX) return invalid('part.proof.aunts', `${aunts.length}, at most ${AUNTS_MAX}`);
  if (aunts.some((aunt) => aunt.length !== HASH_BYTES))
    return invalid('part.proof.aunts', 'not all of 32 bytes');
  return VALID;
}

/** The order of the two votes in evidence: by block hash, then by the encoded part set header. */
export const blockIdKey = (id: BlockId): Bytes => {
  const parts = encodePartSetHeader(id.parts);
  const key = new Uint8Array(id.hash.length + parts.length);
  key.set(id.hash);
  key.set(parts, id.hash.length);
  return key;
};

export const validateEvidenceBasic = (evidence: Evidence, field = 'evidence'): Check =>
  evidence.kind === 'duplicate-vote'
    ? validateDuplicateVote(evidence, field)
    : validateLightClientAttack(evidence, field);

const validateDuplicateVote = ({ voteA, voteB }: DuplicateVoteEvidence, field: string): Check =>
  firstOf(
    () => validateVoteBasic(voteA, `${field}.vote_a`),
    () => validateVoteBasic(voteB, `${field}.vote_b`),
    () =>
      require(compareBytes(blockIdKey(voteA.blockId), blockIdKey(voteB.blockId)) <
        0, field, 'votes are not in order'),
  );

function validateLightClientAttack(evidence: LightClientAttackEvidence, field: string): Check {
  const { header, commit, validators } = evidence.conflictingBlock;
  const block = `${field}.conflicting_block`;
  return firstOf(
    () => require(evidence.totalVotingPower > 0n, `${field}.total_voting_power`, 'is not positive'),
    () => checkHeight(evidence.commonHeight, `${field}.common_height`),
    () =>
      require(evidence.commonHeight <=
        header.height, `${field}.common_height`, 'is above the conflicting block'),
    () => validateHeaderBasic(header),
    () => validateCommitBasic(commit),
    () => require(commit.height === header.height, block, 'commit and header are of different heights'),
    () => checkEqual(commit.blockId.hash, headerHash(header), `${block}.commit.block_id`),
    () => checkEqual(header.validatorsHash, validatorsHash(validators), `${block}.validator_set`),
  );
}
