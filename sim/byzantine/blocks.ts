import { encodeBlock } from '../../core/codec/block.ts';
import { commitHash, dataHash, evidenceListHash, headerHash } from '../../core/codec/hashes.ts';
import { PartSet } from '../../core/codec/partSet.ts';
import { medianTime } from '../../core/consensus/medianTime.ts';
import { isQuorum } from '../../core/consensus/quorum.ts';
import { merkleProofs } from '../../core/crypto/merkle.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import type { Block, BlockId, Commit, CommitSig, Part } from '../../core/types/block.ts';
import { ZERO_TIME } from '../../core/types/ids.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { ValidatorSet } from '../../core/types/validator.ts';
import type { Proposal } from '../../core/types/vote.ts';
import type { Accomplice, Hooks } from './behaviour.ts';

/** A part has 65536 bytes unless it is the last. */
const SHORT_PART_BYTES = 60_000;

export interface Variant {
  readonly blockId: BlockId;
  readonly parts: readonly Part[];
}

export function variantOf(block: Block): Variant {
  const parts = PartSet.of(encodeBlock(block));
  return { blockId: { hash: headerHash(block.header), parts: parts.header }, parts: parts.parts() };
}

/** The same block in parts of another length, each with a valid proof; undefined when it fits in one part. */
export function cutShort(block: Block): Variant | undefined {
  const bytes = encodeBlock(block);
  const pieces: Bytes[] = [];
  for (let at = 0; at < bytes.length; at += SHORT_PART_BYTES)
    pieces.push(bytes.subarray(at, at + SHORT_PART_BYTES));
  if (pieces.length < 2) return undefined;
  const { root, proofs } = merkleProofs(pieces);
  const parts = pieces.map(
    (piece, index): Part => ({
      index,
      bytes: piece,
      proof: present(proofs[index], 'a proof'),
    }),
  );
  return { blockId: { hash: headerHash(block.header), parts: { total: pieces.length, hash: root } }, parts };
}

export const ABSENT: CommitSig = {
  flag: 'absent',
  validatorAddress: EMPTY,
  timestamp: ZERO_TIME,
  signature: EMPTY,
};

/** The validators whose precommits make the last commit. */
export const signersOf = (rs: RoundState): ValidatorSet => rs.lastPrecommits?.validators ?? rs.validators;

/** The block without the precommits of these slots; undefined when no two-thirds majority would remain. */
export function withoutPrecommits(rs: RoundState, block: Block, slots: readonly number[]): Block | undefined {
  const lastCommit: Commit = {
    ...block.lastCommit,
    signatures: block.lastCommit.signatures.map((signature, i) => (slots.includes(i) ? ABSENT : signature)),
  };
  const signers = signersOf(rs);
  const power = signers.validators.reduce(
    (sum, validator, i) => sum + (lastCommit.signatures[i]?.flag === 'commit' ? validator.power : 0n),
    0n,
  );
  const time = medianTime(lastCommit, signers);
  if (!isQuorum(power, signers.totalPower) || !time.ok) return undefined;
  return {
    ...block,
    lastCommit,
    header: { ...block.header, lastCommitHash: commitHash(lastCommit), time: time.value },
  };
}

/**
 * Another valid block: with one precommit less in its last commit or, if two thirds need all of them, with one more
 * transaction.
 */
export function otherValidBlock(me: Accomplice, rs: RoundState, block: Block): Block {
  for (const [drop, { flag }] of block.lastCommit.signatures.entries()) {
    const other = flag === 'absent' ? undefined : withoutPrecommits(rs, block, [drop]);
    if (other !== undefined) return other;
  }
  return withOwnTx(me, block);
}

/**
 * A block with one precommit less, whose time (the median of the last commit) is in another second; undefined if none
 * is.
 */
export function blockOfOtherSecond(rs: RoundState, block: Block): Block | undefined {
  for (const drop of block.lastCommit.signatures.keys()) {
    const other = withoutPrecommits(rs, block, [drop]);
    if (other !== undefined && other.header.time.seconds !== block.header.time.seconds) return other;
  }
  return undefined;
}

const SINK = new Uint8Array(20).fill(0x77);

/** Another valid block, with one more transaction, which is never gossiped on its own. */
export function withOwnTx(me: Accomplice, block: Block): Block {
  const txs = [...block.txs, me.signTx({ nonce: me.nonce(), to: SINK })];
  return { ...block, txs, header: { ...block.header, dataHash: dataHash(txs) } };
}

/** The same block without its evidence; undefined when it has none. */
export const withoutEvidence = (block: Block): Block | undefined =>
  block.evidence.length === 0
    ? undefined
    : { ...block, evidence: [], header: { ...block.header, evidenceHash: evidenceListHash([]) } };

/** Replaces the node's own proposal and its parts by those of another block, for the audience. */
export function replacingBlock(
  me: Accomplice,
  make: (rs: RoundState, block: Block) => Block | undefined,
): Hooks {
  return replacingProposal(me, (rs, block) => {
    const other = make(rs, block);
    return other === undefined ? undefined : variantOf(other);
  });
}

/** Replaces the node's own proposal and its parts by another block id and parts, for the audience. */
export function replacingProposal(
  me: Accomplice,
  make: (rs: RoundState, block: Block) => Variant | undefined,
): Hooks {
  let made:
    | { readonly height: number; readonly round: number; readonly variant: Variant | undefined }
    | undefined;
  const variantAt = (height: number, round: number): Variant | undefined => {
    if (made?.height === height && made.round === round) return made.variant;
    const rs = me.rs();
    const block = rs?.proposalBlock;
    const isOwn = rs !== undefined && block !== undefined && rs.height === height && isProposer(me, rs);
    if (!isOwn || rs.round !== round) return undefined;
    made = { height, round, variant: me.isDue(height, round) ? make(rs, block) : undefined };
    const own = rs.proposal?.blockId;
    if (made.variant !== undefined && own !== undefined)
      me.twoBlocks.set(`${height}/${round}`, [made.variant.blockId, own]);
    return made.variant;
  };
  return {
    message(message) {
      if (message.kind === 'proposal') {
        const { proposal } = message;
        const variant = variantAt(proposal.height, proposal.round);
        if (variant === undefined) return [message];
        return proposalOf(me, proposal, variant);
      }
      if (message.kind !== 'blockPart') return [message];
      return variantAt(message.height, message.round) === undefined ? [message] : [];
    },
  };
}

export function proposalOf(
  me: Accomplice,
  proposal: Proposal,
  variant: Variant,
): readonly ConsensusMessage[] {
  const { height, round } = proposal;
  return [
    { kind: 'proposal', proposal: me.signProposal({ ...proposal, blockId: variant.blockId }) },
    ...variant.parts.map((part): ConsensusMessage => ({ kind: 'blockPart', height, round, part })),
  ];
}

export const isProposer = (me: Accomplice, rs: RoundState): boolean =>
  equalBytes(rs.proposer.address, me.address);
