/** Tables of peers' messages (proto/tendermint). They skip unknown fields, as CometBFT's own peers do. */
import type { BlocksyncMessage, ConsensusMessage, TxsMessage } from '../types/messages.ts';
import { bitArray } from './bitArray.ts';
import { BLOCK } from './block.ts';
import { bool, embed, enumeration, int32, int64, repeatedBytes, uint32 } from './fields.ts';
import { BLOCK_ID, PART_SET_HEADER } from './header.ts';
import { BLOCK_PARTS_MAX, MESSAGE_TXS_MAX, TX_BYTES_MAX, VALIDATORS_MAX } from './limits.ts';
import { oneOf } from './oneOf.ts';
import { PART } from './part.ts';
import { type TableOptions, table, tolerant } from './proto.ts';
import { PROPOSAL, VOTE, VOTE_TYPE } from './vote.ts';

type Of<K extends ConsensusMessage['kind']> = Extract<ConsensusMessage, { readonly kind: K }>;
type SyncOf<K extends BlocksyncMessage['kind']> = Extract<BlocksyncMessage, { readonly kind: K }>;

const peer = (kind: string): { readonly kind: string; readonly unknown: 'ignore' } => ({
  kind,
  unknown: 'ignore',
});

const NEW_ROUND_STEP = table<Of<'newRoundStep'>>(
  'NewRoundStep',
  [
    int64(1, 'height'),
    int32(2, 'round'),
    uint32(3, 'step'),
    int64(4, 'secondsSinceStart', { name: 'seconds_since_start_time' }),
    int32(5, 'lastCommitRound'),
  ],
  peer('newRoundStep'),
);

const NEW_VALID_BLOCK = table<Of<'newValidBlock'>>(
  'NewValidBlock',
  [
    int64(1, 'height'),
    int32(2, 'round'),
    embed(3, 'parts', PART_SET_HEADER, { name: 'block_part_set_header' }),
    embed(4, 'bits', bitArray(BLOCK_PARTS_MAX), { name: 'block_parts' }),
    bool(5, 'isCommit'),
  ],
  peer('newValidBlock'),
);

const PROPOSAL_MESSAGE = table<Of<'proposal'>>(
  'Proposal',
  [embed(1, 'proposal', PROPOSAL)],
  peer('proposal'),
);

const PROPOSAL_POL = table<Of<'proposalPol'>>(
  'ProposalPOL',
  [
    int64(1, 'height'),
    int32(2, 'polRound', { name: 'proposal_pol_round' }),
    embed(3, 'bits', bitArray(VALIDATORS_MAX), { name: 'proposal_pol' }),
  ],
  peer('proposalPol'),
);

const BLOCK_PART = table<Of<'blockPart'>>(
  'BlockPart',
  [int64(1, 'height'), int32(2, 'round'), embed(3, 'part', tolerant(PART))],
  peer('blockPart'),
);

const VOTE_MESSAGE = table<Of<'vote'>>('Vote', [embed(1, 'vote', tolerant(VOTE))], peer('vote'));

const HAS_VOTE = table<Of<'hasVote'>>(
  'HasVote',
  [int64(1, 'height'), int32(2, 'round'), enumeration(3, 'type', VOTE_TYPE), int32(4, 'index')],
  peer('hasVote'),
);

const VOTE_SET_MAJ23 = table<Of<'voteSetMaj23'>>(
  'VoteSetMaj23',
  [int64(1, 'height'), int32(2, 'round'), enumeration(3, 'type', VOTE_TYPE), embed(4, 'blockId', BLOCK_ID)],
  peer('voteSetMaj23'),
);

const VOTE_SET_BITS = table<Of<'voteSetBits'>>(
  'VoteSetBits',
  [
    int64(1, 'height'),
    int32(2, 'round'),
    enumeration(3, 'type', VOTE_TYPE),
    embed(4, 'blockId', BLOCK_ID),
    embed(5, 'bits', bitArray(VALIDATORS_MAX), { name: 'votes' }),
  ],
  peer('voteSetBits'),
);

/** tendermint.consensus.Message. */
export const CONSENSUS_MESSAGE = oneOf<ConsensusMessage>(
  'Message',
  [
    [1, 'newRoundStep', NEW_ROUND_STEP],
    [2, 'newValidBlock', NEW_VALID_BLOCK],
    [3, 'proposal', PROPOSAL_MESSAGE],
    [4, 'proposalPol', PROPOSAL_POL],
    [5, 'blockPart', BLOCK_PART],
    [6, 'vote', VOTE_MESSAGE],
    [7, 'hasVote', HAS_VOTE],
    [8, 'voteSetMaj23', VOTE_SET_MAJ23],
    [9, 'voteSetBits', VOTE_SET_BITS],
  ],
  { unknown: 'ignore' },
);

const TXS_OPTIONS: TableOptions<TxsMessage & { readonly kind: 'txs' }> = peer('txs');

export const TXS = table<TxsMessage & { readonly kind: 'txs' }>(
  'Txs',
  [repeatedBytes(1, 'txs', TX_BYTES_MAX, MESSAGE_TXS_MAX)],
  TXS_OPTIONS,
);

/** tendermint.mempool.Message. */
export const MEMPOOL_MESSAGE = oneOf<TxsMessage & { readonly kind: 'txs' }>('Message', [[1, 'txs', TXS]], {
  unknown: 'ignore',
});

const BLOCK_REQUEST = table<SyncOf<'blockRequest'>>(
  'BlockRequest',
  [int64(1, 'height')],
  peer('blockRequest'),
);
const NO_BLOCK_RESPONSE = table<SyncOf<'noBlockResponse'>>(
  'NoBlockResponse',
  [int64(1, 'height')],
  peer('noBlockResponse'),
);
/** Field 2, the extended commit, is skipped: vote extensions are not enabled. */
const BLOCK_RESPONSE = table<SyncOf<'blockResponse'>>(
  'BlockResponse',
  [embed(1, 'block', BLOCK)],
  peer('blockResponse'),
);
const STATUS_REQUEST = table<SyncOf<'statusRequest'>>('StatusRequest', [], peer('statusRequest'));
const STATUS_RESPONSE = table<SyncOf<'statusResponse'>>(
  'StatusResponse',
  [int64(1, 'height'), int64(2, 'base')],
  peer('statusResponse'),
);

/** tendermint.blocksync.Message. */
export const BLOCKSYNC_MESSAGE = oneOf<BlocksyncMessage>(
  'Message',
  [
    [1, 'blockRequest', BLOCK_REQUEST],
    [2, 'noBlockResponse', NO_BLOCK_RESPONSE],
    [3, 'blockResponse', BLOCK_RESPONSE],
    [4, 'statusRequest', STATUS_REQUEST],
    [5, 'statusResponse', STATUS_RESPONSE],
  ],
  { unknown: 'ignore' },
);
