/**
 * Block validation against the state, in the order of CometBFT's state/validation.go. The first check that fails is
 * reported.
 */
import { encodeEvidenceList } from '../codec/evidence.ts';
import { BLOCK_PROTOCOL } from '../codec/limits.ts';
import { validateBlockBasic } from '../codec/validate.ts';
import { equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { type Block, equalBlockId, type Header } from '../types/block.ts';
import type { Evidence } from '../types/evidence.ts';
import { compareTime } from '../types/ids.ts';
import type { ChainState } from '../types/state.ts';
import { findByAddress } from '../types/validator.ts';
import { hashOfParams, nextHeight } from './chainState.ts';
import { blockTime } from './makeBlock.ts';
import { hashOfSet } from './setHash.ts';
import { type CommitCheck, verifyCommit } from './verifyCommit.ts';

export interface BlockError {
  readonly code: 'invalid-block';
  /** The check that failed, e.g. `app_hash`. */
  readonly check: string;
  readonly message: string;
}

export interface BlockCheck extends CommitCheck {
  checkEvidence(
    list: readonly Evidence[],
    state: ChainState,
  ): Result<void, { readonly code: string; readonly message: string }>;
}

const invalid = (check: string, message = 'does not follow from the state') =>
  err<BlockError>({ code: 'invalid-block', check, message });

/** Checks the header fields that the state determines, in order. */
function checkHeader(state: ChainState, header: Header): Result<void, BlockError> {
  const { version } = header;
  if (version.app !== state.params.version.app || version.block !== BLOCK_PROTOCOL) return invalid('version');
  if (header.chainId !== state.chainId) return invalid('chain_id');
  if (header.height !== nextHeight(state)) return invalid('height');
  if (!equalBlockId(header.lastBlockId, state.lastBlockId)) return invalid('last_block_id');
  if (!equalBytes(header.appHash, state.appHash)) return invalid('app_hash');
  if (!equalBytes(header.consensusHash, hashOfParams(state.params))) return invalid('consensus_hash');
  if (!equalBytes(header.lastResultsHash, state.lastResultsHash)) return invalid('last_results_hash');
  if (!equalBytes(header.validatorsHash, hashOfSet(state.validators))) return invalid('validators_hash');
  if (!equalBytes(header.nextValidatorsHash, hashOfSet(state.nextValidators))) {
    return invalid('next_validators_hash');
  }
  return ok(undefined);
}

function checkLastCommit(state: ChainState, block: Block, check: CommitCheck): Result<void, BlockError> {
  const { lastCommit } = block;
  if (state.lastValidators === undefined) {
    return lastCommit.signatures.length === 0
      ? ok(undefined)
      : invalid('last_commit', 'initial block carries commit signatures');
  }
  const verified = verifyCommit(
    check,
    state.lastValidators,
    state.lastBlockId,
    state.lastBlockHeight,
    lastCommit,
  );
  return verified.ok ? verified : invalid('last_commit', verified.error.code);
}

function checkTime(state: ChainState, block: Block): Result<void, BlockError> {
  const { time } = block.header;
  const expected = blockTime(state, block.lastCommit);
  if (!expected.ok) return invalid('time', expected.error.message);
  if (state.lastValidators !== undefined && compareTime(time, state.lastBlockTime) <= 0) {
    return invalid('time', 'block time is not after the last block');
  }
  return compareTime(time, expected.value) === 0 ? ok(undefined) : invalid('time');
}

/** Whether `block` can be the next one after `state`. The application's own verdict is not part of this. */
export function validateBlock(state: ChainState, block: Block, check: BlockCheck): Result<void, BlockError> {
  const basic = validateBlockBasic(block);
  if (!basic.ok) return invalid('basic', basic.error.message);
  const header = checkHeader(state, block.header);
  if (!header.ok) return header;
  const commit = checkLastCommit(state, block, check);
  if (!commit.ok) return commit;
  const { proposerAddress } = block.header;
  if (findByAddress(state.validators, proposerAddress) === undefined) return invalid('proposer_address');
  const time = checkTime(state, block);
  if (!time.ok) return time;
  if (block.evidence.length === 0) return ok(undefined);
  if (encodeEvidenceList(block.evidence).length > state.params.evidence.maxBytes)
    return invalid('evidence_bytes');
  const evidence = check.checkEvidence(block.evidence, state);
  return evidence.ok ? evidence : invalid('evidence', evidence.error.message);
}
