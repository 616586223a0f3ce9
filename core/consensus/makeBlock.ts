import { commitHash, dataHash, EMPTY_HASH, evidenceListHash } from '../codec/hashes.ts';
import { BLOCK_PROTOCOL } from '../codec/limits.ts';
import type { Bytes } from '../lib/bytes.ts';
import { ok, type Result } from '../lib/result.ts';
import type { BlockContext, CommitInfo } from '../types/app.ts';
import type { Block, Commit } from '../types/block.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Address, Timestamp } from '../types/ids.ts';
import { toMisbehavior } from '../types/misbehavior.ts';
import type { ChainState } from '../types/state.ts';
import { hashOfParams, nextHeight } from './chainState.ts';
import { type MedianTimeError, medianTime } from './medianTime.ts';
import { hashOfSet } from './setHash.ts';

export interface BlockContent {
  readonly txs: readonly Bytes[];
  readonly evidence: readonly Evidence[];
  /** EMPTY_COMMIT at the initial height. */
  readonly lastCommit: Commit;
  readonly proposerAddress: Address;
}

/** The only time that a block with this last commit may carry (CometBFT spec/consensus/bft-time.md). */
export function blockTime(state: ChainState, lastCommit: Commit): Result<Timestamp, MedianTimeError> {
  if (state.lastValidators === undefined) return ok(state.lastBlockTime);
  return medianTime(lastCommit, state.lastValidators);
}

/** The next block after `state` with this content. All other header fields follow from these two. */
export function makeBlock(state: ChainState, content: BlockContent): Result<Block, MedianTimeError> {
  const time = blockTime(state, content.lastCommit);
  if (!time.ok) return time;
  const { txs, evidence, lastCommit } = content;
  return ok({
    header: {
      version: { block: BLOCK_PROTOCOL, app: state.params.version.app },
      chainId: state.chainId,
      height: nextHeight(state),
      time: time.value,
      lastBlockId: state.lastBlockId,
      lastCommitHash: lastCommit.signatures.length === 0 ? EMPTY_HASH : commitHash(lastCommit),
      dataHash: txs.length === 0 ? EMPTY_HASH : dataHash(txs),
      validatorsHash: hashOfSet(state.validators),
      nextValidatorsHash: hashOfSet(state.nextValidators),
      consensusHash: hashOfParams(state.params),
      appHash: state.appHash,
      lastResultsHash: state.lastResultsHash,
      evidenceHash: evidence.length === 0 ? EMPTY_HASH : evidenceListHash(evidence),
      proposerAddress: content.proposerAddress,
    },
    txs,
    evidence,
    lastCommit,
  });
}

/** The previous block's signers, in the form given to the application. */
function commitInfo(state: ChainState, lastCommit: Commit): CommitInfo {
  const signers = state.lastValidators?.validators ?? [];
  return {
    round: lastCommit.round,
    votes: signers.map(({ address, power }, i) => ({
      address,
      power,
      flag: lastCommit.signatures[i]?.flag ?? 'absent',
    })),
  };
}

/** What the application is told about a block, or about one to be made. */
export const blockContext = (
  state: ChainState,
  time: Timestamp,
  content: Pick<BlockContent, 'evidence' | 'lastCommit' | 'proposerAddress'>,
): BlockContext => ({
  height: nextHeight(state),
  time,
  proposerAddress: content.proposerAddress,
  nextValidatorsHash: hashOfSet(state.nextValidators),
  lastCommit: commitInfo(state, content.lastCommit),
  misbehavior: content.evidence.flatMap(toMisbehavior),
});
