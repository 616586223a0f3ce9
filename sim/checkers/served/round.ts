import { toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { RoundState, VoteSetReader } from '../../../core/types/roundState.ts';
import type { VoteType } from '../../../core/types/vote.ts';
import { difference, type Fields } from '../../clients/answers/answers.ts';
import { comet, fieldsOf, listOf, unlike } from '../questions.ts';

/** CometBFT's RoundStepNewHeight: nothing of this height has begun. */
const NEW_HEIGHT = 1;
const FINGERPRINT = 12;
/** Transactions that are shown at most. */
const SHOWN_MAX = 100;

/** Where consensus stands, in short and in full, as the machine itself has it. */
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
    (await wrongCount(rpc))
  );
}

const shownPeer = (peer: Fields): unknown => {
  const { height, round, step } = fieldsOf(fieldsOf(peer, 'peer_state'), 'round_state');
  return [peer['node_address'], height, round, step];
};

/** Where the node believes its peers to stand. */
const peersOf = ({ consensus }: RpcContext): readonly unknown[] =>
  (consensus?.peers() ?? []).map(({ id, round }) => [id, String(round.height), round.round, round.step]);

const lastOf = (full: Fields): unknown =>
  full['last_validators'] === null
    ? []
    : listOf(fieldsOf(full, 'last_validators'), 'validators').map(({ address, proposer_priority }) => [
        address,
        proposer_priority,
      ]);

/** Those who voted for the last block. */
const lastValidators = ({ chain }: RpcContext, height: number): readonly unknown[] =>
  height === 1
    ? []
    : (chain.validators(height - 1)?.validators ?? []).map(({ address, priority }) => [
        toUpperHex(address),
        String(priority),
      ]);

/** As many transactions wait as are shown, where all fit. */
async function wrongCount(rpc: RpcContext): Promise<string | undefined> {
  const { n_txs, total } = await comet(rpc, 'unconfirmed_txs', { limit: String(SHOWN_MAX) });
  const { total: counted } = await comet(rpc, 'num_unconfirmed_txs', {});
  const all = Number(n_txs) < SHOWN_MAX ? n_txs : total;
  return unlike('how many transactions wait', [total, counted], [all, all]);
}

/** Whose vote for what, of each validator, and how much power that is. */
function shownVotes(rs: RoundState, round: number): readonly unknown[] {
  const { validators, totalPower } = rs.validators;
  const of = (type: VoteType): readonly unknown[] => {
    const set: VoteSetReader | undefined = rs.votes(round, type);
    const votes = validators.map((_, i) => set?.vote(i));
    const power = validators.reduce((sum, one, i) => sum + (votes[i] === undefined ? 0n : one.power), 0n);
    const hashes = votes.map((vote) =>
      vote === undefined
        ? 'nil-Vote'
        : toUpperHex(vote.blockId.hash).slice(0, FINGERPRINT).padEnd(FINGERPRINT, '0'),
    );
    return [hashes, `${power}/${totalPower}`];
  };
  return [round, ...of('prevote'), ...of('precommit')];
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
