import { equalBytes } from '../../../core/lib/bytes.ts';
import type { AppAsk, BlockContext, CommitInfo } from '../../../core/types/app.ts';
import type { Block } from '../../../core/types/block.ts';
import type { Evidence, Misbehavior } from '../../../core/types/evidence.ts';
import { compareTime } from '../../../core/types/ids.ts';
import type { Process } from '../../machine/process.ts';
import type { Voter } from '../../schedule.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

type BlockAsk = Extract<AppAsk, { kind: 'validate' | 'finalize' }>;

/**
 * The application is told the same about a block when it validates and when it executes it, and exactly what the block
 * says: its proposer and time, which validators of the previous set signed the previous block, and who has misbehaved
 * (ABCI FinalizeBlock). Worked out apart from core/consensus/makeBlock.ts and core/types/misbehavior.ts, to check them.
 */
export function abciBlockRequests(context: CheckerContext): Checker {
  const name = 'conduct';
  const { genesis, schedule } = context.cluster;
  const last = new Map<Process, BlockAsk[]>();
  return {
    name,
    ...hearing(['started', 'asked', 'committed'], (fact) => {
      if (fact.kind === 'started') last.delete(fact.node);
      if (fact.kind === 'asked' && (fact.ask.kind === 'validate' || fact.ask.kind === 'finalize'))
        last.set(fact.node, replaced(last.get(fact.node) ?? [], fact.ask));
      if (fact.kind !== 'event' || !fact.node.isCorrect) return;
      const { block, blockId } = fact.event;
      const { height } = block.header;
      const voters = height === genesis.initialHeight ? [] : schedule.voters(height - 1);
      for (const ask of last.get(fact.node) ?? []) {
        if (!equalBytes(ask.hash, blockId.hash)) continue;
        const problem = askProblem(ask, block, voters);
        if (problem !== undefined)
          context.fail(
            name,
            `${fact.node.name} asks its application to ${ask.kind} block ${height} with ${problem} than the block has`,
          );
      }
    }),
  };
}

/** Replaces the previous question of the same kind, in its place. */
function replaced(asks: BlockAsk[], ask: BlockAsk): BlockAsk[] {
  const at = asks.findIndex(({ kind }) => kind === ask.kind);
  asks[at < 0 ? asks.length : at] = ask;
  return asks;
}

function askProblem({ context, txs }: BlockAsk, block: Block, voters: readonly Voter[]): string | undefined {
  const { header, lastCommit } = block;
  if (txs.length !== block.txs.length || txs.some((tx, i) => !equalBytes(tx, block.txs[i] as Uint8Array)))
    return 'other transactions';
  if (context.height !== header.height || compareTime(context.time, header.time) !== 0)
    return 'another height or time';
  if (!equalBytes(context.proposerAddress, header.proposerAddress)) return 'another proposer';
  if (!equalBytes(context.nextValidatorsHash, header.nextValidatorsHash)) return 'other next validators';
  if (context.lastCommit.round !== lastCommit.round) return 'another round of the last commit';
  const isSigned = voters.every((voter, i) =>
    isVote(context.lastCommit.votes[i], voter, lastCommit.signatures[i]?.flag ?? 'absent'),
  );
  if (!isSigned || context.lastCommit.votes.length !== voters.length)
    return 'other signers of the last commit';
  return isAccused(context, block.evidence.flatMap(offencesOf)) ? undefined : 'other offences';
}

type Signer = CommitInfo['votes'][number];

const isVote = (one: Signer | undefined, { address, power }: Voter, flag: Signer['flag']): boolean =>
  one?.power === power && one.flag === flag && equalBytes(one.address, address);

const isAccused = ({ misbehavior }: BlockContext, offences: readonly Misbehavior[]): boolean =>
  misbehavior.length === offences.length &&
  offences.every((offence, i) => {
    const one = misbehavior[i];
    return (
      one?.kind === offence.kind &&
      one.height === offence.height &&
      one.totalVotingPower === offence.totalVotingPower &&
      one.validator.power === offence.validator.power &&
      equalBytes(one.validator.address, offence.validator.address) &&
      compareTime(one.time, offence.time) === 0
    );
  });

/** One for each accused validator, with the height and time of the offence. */
export function offencesOf(evidence: Evidence): readonly Misbehavior[] {
  const { kind, timestamp: time, totalVotingPower } = evidence;
  const [height, guilty] =
    kind === 'duplicate-vote'
      ? [
          evidence.voteA.height,
          [{ address: evidence.voteA.validatorAddress, power: evidence.validatorPower }],
        ]
      : [evidence.commonHeight, evidence.byzantineValidators];
  return guilty.map((validator) => ({ kind, validator, height, time, totalVotingPower }));
}
