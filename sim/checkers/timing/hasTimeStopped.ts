import { medianTime } from '../../../core/consensus/medianTime.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { compareTime } from '../../../core/types/ids.ts';
import type { Process } from '../../machine/process.ts';
import { soundly } from '../../soundly.ts';
import { addressesOf, type CheckerContext } from '../checker.ts';
import { rotationOf } from '../consensus/rotation.ts';

/** Rounds searched for a proposer that could make a valid block. */
const ROUNDS_BACK = 64;

/**
 * Whether time has stopped for good: the last commit of every recent correct proposer has a weighted median time no
 * later than the newest block, so no block that it proposes is valid. Less than a third of the power can cause this
 * with old times in its precommits if the commit has just two thirds: the median (CometBFT, BFT time, rounded down) is
 * then the lowest time in it. Block rules are CometBFT's, and so is this weakness.
 */
export function hasTimeStopped(context: CheckerContext): boolean {
  const head = context.correct.reduce((most, { decided }) => Math.max(most, decided), 0);
  const addresses = addressesOf(context);
  const proposers = new Map(
    context.correct
      .filter(({ state, decided }) => state === 'up' && decided === head)
      .map((node) => [toHex(addresses.get(node) ?? new Uint8Array()), node]),
  );
  const round = Math.max(0, ...[...proposers.values()].map(({ position }) => position.round));
  const rotation = rotationOf(context.cluster);
  const tried = new Set<Process>();
  for (let back = Math.max(0, round - ROUNDS_BACK); back <= round; back++) {
    const proposer = proposers.get(toHex(rotation.proposer(head + 1, back)));
    if (proposer !== undefined) tried.add(proposer);
  }
  return tried.size > 0 && [...tried].every((node) => soundly(node, () => isStopped(node, head)) === true);
}

function isStopped({ node }: Process, head: number): boolean {
  const commit = node?.rs()?.lastCommit;
  const chain = node?.rpc?.chain;
  const [newest, validators] = [chain?.blockMeta(head), chain?.validators(head)];
  if (commit === undefined || newest === undefined || validators === undefined) return false;
  const median = medianTime(commit, validators);
  return commit.height === head && median.ok && compareTime(median.value, newest.header.time) <= 0;
}
