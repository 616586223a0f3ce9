/** How consensus looks to operators in the middle of a troubled round. The machine and the peers here are stand-ins. */
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { BitSet } from '../../../core/lib/bitset.ts';
import { toUpperHex } from '../../../core/lib/bytes.ts';
import type { PeerRoundReader, RpcContext } from '../../../core/rpc/context.ts';
import type { HeldBlock, PartsReader, RoundState } from '../../../core/types/roundState.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { momentOf } from '../../reference/goTime.ts';
import { comet, fieldsOf, firstOf, listOf, unlike } from '../questions.ts';

/** All different, so that no field can stand for another. */
const [ROUND, STEP, LOCKED_ROUND, VALID_ROUND, COMMIT_ROUND, POL_ROUND] = [5, 6, 2, 4, 3, 1];
const [START, COMMIT, PEER_START] = [1_700_000_000_250_000, 1_600_000_000_000_007, 1_500_000_001_000_000];
const HASH = new Uint8Array(32).fill(0x5e);
const SIGNATURE = new Uint8Array(64).fill(0x5f);
const [PEER_ROUND, PEER_STEP, PEER_LAST_ROUND, VOTES, PARTS] = [3, 4, 7, 11, 22];
const VOTERS = 9;
/** The only voter that the peer has heard of in a round. */
const voterIn = (round: number): number => round % VOTERS;

function bitsOf(size: number, ...members: readonly number[]): BitSet {
  const set = new BitSet(size);
  for (const member of members) set.add(member);
  return set;
}

const partsOf = (total: number, ...have: readonly number[]): PartsReader => ({
  header: { total, hash: HASH },
  bits: bitsOf(total, ...have),
  count: have.length,
  part: () => undefined,
  isComplete: () => have.length === total,
});

/** The three newest blocks as the one proposed, the one it is locked on and the valid one; as many as there are. */
function blocksOf({ chain }: RpcContext) {
  const heights = [0, 1, 2].map((back) => chain.head() - back);
  const [proposed, locked, valid] = heights.map((height) =>
    height < firstOf(chain) ? undefined : { height, block: chain.block(height) },
  );
  return { proposed: present(proposed, 'the head'), locked, valid };
}

function stateOf(rpc: RpcContext, rs: RoundState): RoundState {
  const { proposed, locked, valid } = blocksOf(rpc);
  const idOf = (one: typeof locked) =>
    one && present(rpc.chain.blockMeta(one.height), 'the meta of a kept block').blockId;
  const heldOf = (one: typeof locked, ...have: readonly number[]): HeldBlock | undefined =>
    one && { block: one.block, parts: partsOf(4, ...have) };
  return {
    height: rs.height,
    round: ROUND,
    step: STEP,
    startTime: START,
    commitTime: COMMIT,
    validators: rs.validators,
    proposal: {
      height: rs.height,
      round: ROUND,
      polRound: POL_ROUND,
      blockId: present(idOf(proposed), 'the id of the head'),
      timestamp: { seconds: 1_400_000_000, nanos: 5 },
      signature: SIGNATURE,
    },
    proposalBlock: proposed.block,
    proposalParts: partsOf(3, 0, 2),
    lockedRound: LOCKED_ROUND,
    lockedBlock: idOf(locked),
    validRound: VALID_ROUND,
    validBlock: idOf(valid),
    commitRound: COMMIT_ROUND,
    votes: () => undefined,
    lastPrecommits: undefined,
    lastCommit: undefined,
    held: { locked: heldOf(locked, 1), valid: heldOf(valid, 2, 3), precommitTimer: true, rounds: ROUND },
    proposer: { address: present(rs.validators.validators[0], 'a validator').address, index: 0 },
  };
}

const peerAt = (height: number): PeerRoundReader => ({
  height,
  round: PEER_ROUND,
  step: PEER_STEP,
  lastCommitRound: PEER_LAST_ROUND,
  startTime: PEER_START,
  hasProposal: true,
  polRound: POL_ROUND,
  partsHeader: { total: 3, hash: HASH },
  parts: bitsOf(3, 0, 2),
  lastCommit: bitsOf(4, 0, 1),
  received: { votes: VOTES, blockParts: PARTS },
  strayVotes: 0,
  votes: (round, type) => bitsOf(VOTERS, type === 'prevote' ? voterIn(round) : voterIn(round + 1)),
});

/** `x` at these places of so many. */
const marks = (size: number, ...members: readonly number[]): string =>
  Array.from({ length: size }, (_, i) => (members.includes(i) ? 'x' : '_')).join('');

const micros = (text: unknown): number => {
  const { seconds = 0, nanos = 0 } = momentOf(text) ?? {};
  return seconds * 1_000_000 + nanos / 1_000;
};

const heightIn = (block: unknown): unknown => block && fieldsOf(block as Fields, 'header')['height'];

export async function wrongOddRound(rpc: RpcContext): Promise<string | undefined> {
  const { chain, consensus } = rpc;
  if (consensus === undefined) return undefined;
  const behind = chain.head() - 1;
  const heights = [consensus.roundState.height, ...(behind < firstOf(chain) ? [] : [behind])];
  const peers = heights.map((height, i) => ({ id: `peer${i}`, round: peerAt(height) }));
  const ctx: RpcContext = {
    ...rpc,
    consensus: { ...consensus, roundState: stateOf(rpc, consensus.roundState), peers: () => peers },
  };
  const dump = await comet(ctx, 'dump_consensus_state', {});
  const shown = listOf(dump, 'peers').map((peer) => {
    const state = fieldsOf(peer, 'peer_state');
    const round = fieldsOf(state, 'round_state');
    return [{ ...round, start_time: micros(round['start_time']) }, state['stats']];
  });
  return (
    wrongState(ctx, fieldsOf(dump, 'round_state')) ??
    wrongHashes(ctx, fieldsOf(await comet(ctx, 'consensus_state', {}), 'round_state')) ??
    unlike(
      'peers in a troubled round',
      shown,
      heights.map((height) => peerTruth(ctx, height)),
    )
  );
}

function wrongState(rpc: RpcContext, told: Fields): string | undefined {
  const { proposed, locked, valid } = blocksOf(rpc);
  const proposal = fieldsOf(told, 'proposal');
  const partsTruth = (there: unknown, total: number, ...have: readonly number[]): unknown =>
    there && { 'count/total': `${have.length}/${total}`, parts_bit_array: marks(total, ...have) };
  return unlike(
    'the state of a troubled round',
    [
      [told['round'], told['step'], told['locked_round'], told['valid_round'], told['commit_round']],
      [micros(told['start_time']), micros(told['commit_time']), told['triggered_timeout_precommit']],
      [proposal['height'], proposal['round'], proposal['pol_round'], proposal['signature']],
      [told['proposal_block'], told['locked_block'], told['valid_block']].map(heightIn),
      [told['proposal_block_parts'], told['locked_block_parts'], told['valid_block_parts']],
    ],
    [
      [ROUND, STEP, LOCKED_ROUND, VALID_ROUND, COMMIT_ROUND],
      [START, COMMIT, true],
      [String(rpc.consensus?.roundState.height), ROUND, POL_ROUND, toBase64(SIGNATURE)],
      [proposed, locked, valid].map((one) => (one === undefined ? null : String(one.height))),
      [
        partsTruth(true, 3, 0, 2),
        partsTruth(locked !== undefined || null, 4, 1),
        partsTruth(valid !== undefined || null, 4, 2, 3),
      ],
    ],
  );
}

function wrongHashes(rpc: RpcContext, told: Fields): string | undefined {
  const { proposed, locked, valid } = blocksOf(rpc);
  return unlike(
    'the state of a troubled round in short',
    [
      told['height/round/step'],
      micros(told['start_time']),
      told['proposal_block_hash'],
      told['locked_block_hash'],
      told['valid_block_hash'],
    ],
    [
      `${rpc.consensus?.roundState.height}/${ROUND}/${STEP}`,
      START,
      ...[proposed, locked, valid].map((one) =>
        one === undefined ? '' : toUpperHex(present(rpc.chain.blockMeta(one.height), 'a meta').blockId.hash),
      ),
    ],
  );
}

/** A peer at an earlier height is sent the votes of the commit that is stored for it. */
function peerTruth({ chain }: RpcContext, height: number): unknown {
  const commit = height < chain.head() ? chain.commit(height) : undefined;
  return [
    {
      height: String(height),
      round: PEER_ROUND,
      step: PEER_STEP,
      start_time: PEER_START,
      proposal: true,
      proposal_block_part_set_header: { total: 3, hash: toUpperHex(HASH) },
      proposal_block_parts: marks(3, 0, 2),
      proposal_pol_round: POL_ROUND,
      proposal_pol: marks(VOTERS, POL_ROUND),
      prevotes: marks(VOTERS, PEER_ROUND),
      precommits: marks(VOTERS, PEER_ROUND + 1),
      last_commit_round: PEER_LAST_ROUND,
      last_commit: marks(4, 0, 1),
      catchup_commit_round: commit?.round ?? -1,
      catchup_commit: commit === undefined ? null : marks(VOTERS, voterIn(commit.round + 1)),
    },
    { votes: String(VOTES), block_parts: String(PARTS) },
  ];
}
