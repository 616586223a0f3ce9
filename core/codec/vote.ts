import { err, ok, type Result } from '../lib/result.ts';
import type { Proposal, Vote } from '../types/vote.ts';
import { bytes, embed, enumeration, int32, int64 } from './fields.ts';
import { BLOCK_ID } from './header.ts';
import { ADDRESS_BYTES, EXTENSION_BYTES_MAX, SIGNATURE_BYTES_MAX } from './limits.ts';
import { mapped, table } from './proto.ts';
import { TIMESTAMP } from './time.ts';

/** tendermint.types.SignedMsgType. */
export const VOTE_TYPE = { prevote: 1, precommit: 2 } as const;
export const PROPOSAL_TYPE = 32;

export const VOTE = table<Vote>('Vote', [
  enumeration(1, 'type', VOTE_TYPE),
  int64(2, 'height'),
  int32(3, 'round'),
  embed(4, 'blockId', BLOCK_ID),
  embed(5, 'timestamp', TIMESTAMP),
  bytes(6, 'validatorAddress', ADDRESS_BYTES),
  int32(7, 'validatorIndex'),
  bytes(8, 'signature', SIGNATURE_BYTES_MAX),
  bytes(9, 'extension', EXTENSION_BYTES_MAX),
  bytes(10, 'extensionSignature', SIGNATURE_BYTES_MAX),
]);

type ProposalWire = Proposal & { readonly type: 'proposal' };

const PROPOSAL_WIRE = table<ProposalWire>('Proposal', [
  enumeration(1, 'type', { proposal: PROPOSAL_TYPE }),
  int64(2, 'height'),
  int32(3, 'round'),
  int32(4, 'polRound'),
  embed(5, 'blockId', BLOCK_ID),
  embed(6, 'timestamp', TIMESTAMP),
  bytes(7, 'signature', SIGNATURE_BYTES_MAX),
]);

export const PROPOSAL = mapped(
  PROPOSAL_WIRE,
  (proposal: Proposal): ProposalWire => ({
    type: 'proposal',
    height: proposal.height,
    round: proposal.round,
    polRound: proposal.polRound,
    blockId: proposal.blockId,
    timestamp: proposal.timestamp,
    signature: proposal.signature,
  }),
  ({ type: _, ...proposal }): Result<Proposal, string> =>
    proposal.polRound < -1 ? err(`pol_round ${proposal.polRound}`) : ok(proposal),
);
