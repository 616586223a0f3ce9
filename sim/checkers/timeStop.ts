import { medianTime } from '../../core/consensus/medianTime.ts';
import { toHex } from '../../core/lib/bytes.ts';
import { compareTime } from '../../core/types/ids.ts';
import type { Process } from '../machine/process.ts';
import { soundly } from '../soundly.ts';
import { addressesOf, type CheckerContext } from './checker.ts';
import { rotationOf } from './rotation.ts';

/** Rounds looked back on for a proposer who could have gone on. */
const ROUNDS_BACK = 64;

/**
 * Whether time has stopped for good: every correct proposer of the last rounds holds a commit of the newest block whose weighted
 * median is no later than that block itself, so that no block that it makes is valid. Less than a third can bring that about
 * with old times in their precommits, where the commit has just two thirds: the median (CometBFT, BFT time, rounded down) is
 * the least of its times then. The bytes of a block are CometBFT's, and so is this.
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
