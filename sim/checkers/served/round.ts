import { toBase64 } from '../../../core/lib/base64.ts';
import { toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { RoundState, VoteSetReader } from '../../../core/types/roundState.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import type { VoteType } from '../../../core/types/vote.ts';
import { difference, type Fields } from '../../clients/answers/answers.ts';
import { comet, fieldsOf, listOf, unlike } from '../questions.ts';

/** CometBFT's RoundStepNewHeight: nothing of this height has begun. */
const NEW_HEIGHT = 1;
const FINGERPRINT = 12;
/** Most transactions shown. */
const SHOWN_MAX = 100;

/** consensus_state and dump_consensus_state show what the consensus machine holds. */
export async function wrongRound(rpc: RpcContext): Promise<string | undefined> {
  if (rpc.consensus === undefined) return undefined;
  const { roundState: rs } = rpc.consensus;
  const short = fieldsOf(await comet(rpc, 'consensus_state', {}), 'round_state');
  const dump = await comet(rpc, 'dump_consensus_state', {});
  const full = fieldsOf(dump, 'round_state');
  const last = rs.step === NEW_HEIGHT ? rs.round : rs.round + 1;
  const rounds = Array.from({ length: last + 1 }, (_, round) => shownVotes(rs, round));
  const told = listOf(short, 'height_vote_set');
  return (
    difference('consensus_state', short, {
      'height/round/step': `${rs.height}/${rs.round}/${rs.step}`,
      locked_block_hash: toUpperHex(rs.lockedBlock?.hash ?? new Uint8Array(0)),
      valid_block_hash: toUpperHex(rs.validBlock?.hash ?? new Uint8Array(0)),
      proposer: { address: toUpperHex(rs.proposer.address), index: rs.proposer.index },
    }) ??
    difference('dump_consensus_state', full, {
      height: String(rs.height),
      round: rs.round,
      step: rs.step,
      locked_round: rs.lockedRound,
      valid_round: rs.validRound,
      commit_round: rs.commitRound,
    }) ??
    unlike('the votes of dump_consensus_state', full['votes'], told) ??
    unlike('the votes of consensus_state', told.map(plain), rounds) ??
    unlike('the peers of dump_consensus_state', listOf(dump, 'peers').map(shownPeer), peersOf(rpc)) ??
    unlike('the last validators of dump_consensus_state', lastOf(full), lastValidators(rpc, rs.height)) ??
    wrongShare(told) ??
    wrongLastCommit(rpc, rs, full['last_commit']) ??
    (await wrongCount(rpc))
  );
}

const shownPeer = (peer: Fields): unknown => {
  const { height, round, step } = fieldsOf(fieldsOf(peer, 'peer_state'), 'round_state');
  return [peer['node_address'], height, round, step];
};

/** Where the node believes its peers to be. */
const peersOf = ({ consensus }: RpcContext): readonly unknown[] =>
  (consensus?.peers() ?? []).map(({ id, round }) => [id, String(round.height), round.round, round.step]);

const lastOf = (full: Fields): unknown =>
  full['last_validators'] === null
    ? []
    : listOf(fieldsOf(full, 'last_validators'), 'validators').map(({ address, proposer_priority }) => [
        address,
        proposer_priority,
      ]);

/** The validators that voted for the last block. */
const lastValidators = ({ chain }: RpcContext, height: number): readonly unknown[] =>
  height === 1
    ? []
    : (chain.validators(height - 1)?.validators ?? []).map(({ address, priority }) => [
        toUpperHex(address),
        String(priority),
      ]);

/** Rounded to hundredths, whichever way halves go. */
const ROUNDED = 0.005 + Number.EPSILON;

/** The share of the power that has voted agrees with the numbers next to it. */
function wrongShare(rounds: readonly Fields[]): string | undefined {
  for (const name of ['prevotes_bit_array', 'precommits_bit_array'])
    for (const told of rounds.map((round) => String(round[name]))) {
      const [, voted, all, share = ''] = /^\S+ (\d+)\/(\d+) = (\d\.\d\d)$/.exec(told) ?? [];
      if (!(Math.abs(Number(voted) / Number(all) - Number(share)) <= ROUNDED))
        return `answers with ${told} as ${name}`;
    }
  return undefined;
}

/** The precommits that decided the previous block, one slot for each validator of that height. */
function wrongLastCommit({ chain }: RpcContext, rs: RoundState, told: unknown): string | undefined {
  const set = chain.validators(rs.height - 1);
  if (rs.lastPrecommits === undefined || set === undefined)
    return unlike('the last commit of dump_consensus_state', told, null);
  const { votes, votes_bit_array } = (told ?? {}) as Fields;
  const texts = ((votes ?? []) as readonly string[]).map((text) => VOTE.exec(text)?.[1] ?? text);
  const [hashes, power] = votesShown(set, rs.lastPrecommits);
  return (
    unlike('the votes of the last commit', texts, hashes) ??
    unlike('the power of the last commit', String(votes_bit_array).split(' ')[1], power)
  );
}

/** The counts of transactions and bytes are the pool's, and the ones shown are the oldest. */
async function wrongCount(rpc: RpcContext): Promise<string | undefined> {
  const all = rpc.pool.list?.(Number.MAX_SAFE_INTEGER) ?? [];
  const counts = [String(all.length), String(all.reduce((sum, { length }) => sum + length, 0))];
  const { n_txs, total, total_bytes } = await comet(rpc, 'num_unconfirmed_txs', {});
  const problem = unlike('how many wait', [n_txs, total, total_bytes], [counts[0], ...counts]);
  if (problem !== undefined) return problem;
  for (const limit of [1, SHOWN_MAX]) {
    const told = await comet(rpc, 'unconfirmed_txs', { limit: String(limit) });
    const shown = all.slice(0, limit).map(toBase64);
    const wrong =
      unlike('those that wait', told['txs'], shown) ??
      unlike(
        'how many wait beside those shown',
        [told['n_txs'], told['total'], told['total_bytes']],
        [String(shown.length), ...counts],
      );
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** For each validator, the start of the block hash it voted for; and the power of all votes. */
function shownVotes(rs: RoundState, round: number): readonly unknown[] {
  const of = (type: VoteType): readonly unknown[] => votesShown(rs.validators, rs.votes(round, type));
  return [round, ...of('prevote'), ...of('precommit')];
}

function votesShown(
  { validators, totalPower }: ValidatorSet,
  set: VoteSetReader | undefined,
): readonly [hashes: readonly string[], power: string] {
  const votes = validators.map((_, i) => set?.vote(i));
  const power = validators.reduce((sum, one, i) => sum + (votes[i] === undefined ? 0n : one.power), 0n);
  const hashes = votes.map((vote) =>
    vote === undefined
      ? 'nil-Vote'
      : toUpperHex(vote.blockId.hash).slice(0, FINGERPRINT).padEnd(FINGERPRINT, '0'),
  );
  return [hashes, `${power}/${totalPower}`];
}

const VOTE = /^Vote\{\d+:[0-9A-F]{12} \d+\/\d+\/SIGNED_MSG_TYPE_\w+\(\w+\) ([0-9A-F]{12}) /;

function plain(told: Fields): readonly unknown[] {
  const of = (name: string): readonly unknown[] => {
    const texts = (told[name] ?? []) as readonly string[];
    const shares = String(told[`${name}_bit_array`]).split(' ');
    return [texts.map((text) => VOTE.exec(text)?.[1] ?? text), shares[1]];
  };
  return [told['round'], ...of('prevotes'), ...of('precommits')];
}
