/** Keys in bad hands: valid signatures on anything, told to anyone, plus proposals that differ by audience. */
import { commitOf } from '../../../../core/consensus/heightState.ts';
import { VoteSet } from '../../../../core/consensus/voteSet.ts';
import { encodeUtf8 } from '../../../../core/lib/utf8.ts';
import { type BlockId, type Commit, EMPTY_COMMIT, ZERO_BLOCK_ID } from '../../../../core/types/block.ts';
import type { ChainState } from '../../../../core/types/state.ts';
import type { Action, Cluster } from './cluster.ts';
import { type Made, makeTestBlock, signedProposal, signedVote, type TestNet } from './net.ts';

/** One random lie each time it is asked, of validator `self`. Works at height 1 only, where it knows every block. */
export function liar(
  cluster: Cluster,
  net: TestNet,
  self: number,
  pick: (n: number) => number,
): () => readonly Action[] {
  const own = ['a', 'b'].map((tx) => makeTestBlock(net, net.state, self, [encodeUtf8(tx)]));
  return () => {
    const victim = cluster.nodes[pick(cluster.nodes.length)];
    if (victim === undefined || victim.consensus.rs.height !== 1) return [];
    const { rs } = victim.consensus;
    const values: BlockId[] = [ZERO_BLOCK_ID, ...own.map(({ blockId }) => blockId)];
    for (const node of cluster.nodes) {
      const seen = node.consensus.rs.proposal?.blockId;
      if (seen !== undefined) values.push(seen);
    }
    const value = values[pick(values.length)] as BlockId;
    const type = pick(2) === 0 ? 'prevote' : 'precommit';
    const round = Math.max(0, rs.round + pick(3) - 1);
    const peer = `liar ${self}`;
    const lies: Action[] = [
      {
        name: 'vote',
        run: () =>
          cluster.tell(victim, { kind: 'vote', peer, vote: signedVote(net, self, type, 1, round, value) }),
      },
      {
        name: 'claim',
        run: () => cluster.tell(victim, { kind: 'maj23', peer, height: 1, round, type, blockId: value }),
      },
    ];
    if (rs.proposer.index === self && rs.proposal === undefined) {
      const made = own[pick(own.length)] as Made;
      const polRound = rs.round > 0 ? pick(rs.round + 1) - 1 : -1;
      lies.push({
        name: 'proposal',
        run: () =>
          cluster.tell(victim, {
            kind: 'proposal',
            peer,
            proposal: signedProposal(net, self, 1, rs.round, made.blockId, polRound),
          }),
      });
    }
    for (const { parts, blockId } of own) {
      if (rs.proposalParts?.header.hash !== blockId.parts.hash && rs.proposalParts?.isComplete() !== false)
        continue;
      for (const part of parts.parts()) {
        lies.push({
          name: 'part',
          run: () => cluster.tell(victim, { kind: 'part', peer, height: 1, round: rs.round, part }),
        });
      }
    }
    return [lies[pick(lies.length)] as Action];
  };
}

/** A commit for `made` by these validators, as the next block carries it. */
export function commitBy(net: TestNet, state: ChainState, made: Made, signers: readonly number[]): Commit {
  const { height } = made.block.header;
  const set = new VoteSet(height, 0, 'precommit', state.validators);
  for (const index of signers) set.add(signedVote(net, index, 'precommit', height, 0, made.blockId));
  return set.majority() === undefined ? EMPTY_COMMIT : commitOf(set);
}
