/** How a light client judges headers (CometBFT light/verifier.go): adjacent, or skipping by a third of an old set. */
import { headerHash, validatorsHash } from '../../core/codec/hashes.ts';
import {
  type CommitCheck,
  ONE_THIRD,
  verifyCommitLight,
  verifyCommitLightTrusting,
} from '../../core/consensus/verifyCommit.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { LightBlock } from '../../core/types/evidence.ts';
import { compareTime, type Micros } from '../../core/types/ids.ts';

/** How far a header may be ahead of the client's clock. */
const DRIFT_MICROS = 10_000_000;
/** Why a header is refused that is further ahead. */
export const FROM_THE_FUTURE = 'it is from the future';
/** How long a header stays trusted: less than the time in which evidence is accepted. */
const TRUSTING_MICROS = 14 * 24 * 3_600_000_000;

/** `too-far`: too few of the trusted validators signed. A header in between may help. */
export type Verdict = 'good' | 'too-far' | { readonly bad: string };

const microsOf = ({ header: { time } }: LightBlock): Micros =>
  time.seconds * 1_000_000 + Math.floor(time.nanos / 1_000);

/** What is wrong with a block by itself, whatever the client trusts. */
export function shapeProblem(
  { header, commit, validators }: LightBlock,
  chainId: string,
): string | undefined {
  if (header.chainId !== chainId) return 'it is of another chain';
  if (commit.height !== header.height) return 'its commit is of another height';
  if (!equalBytes(headerHash(header), commit.blockId.hash)) return 'its commit is for another block';
  return equalBytes(header.validatorsHash, validatorsHash(validators))
    ? undefined
    : 'its validators are not those of its header';
}

/** Whether `block` follows from `trusted`, which lies below it. */
export function judge(check: CommitCheck, trusted: LightBlock, block: LightBlock, now: Micros): Verdict {
  const shape = shapeProblem(block, check.chainId);
  if (shape !== undefined) return { bad: shape };
  const { header, commit, validators } = block;
  if (header.height <= trusted.header.height) return { bad: 'it does not lie above what is trusted' };
  if (compareTime(header.time, trusted.header.time) <= 0)
    return { bad: 'its time is not later than the trusted' };
  if (microsOf(block) > now + DRIFT_MICROS) return { bad: FROM_THE_FUTURE };
  if (microsOf(trusted) + TRUSTING_MICROS <= now) return { bad: 'what is trusted is too old' };
  if (header.height === trusted.header.height + 1) {
    if (!equalBytes(header.validatorsHash, trusted.header.nextValidatorsHash))
      return { bad: 'its validators are not those announced' };
  } else {
    const trusting = verifyCommitLightTrusting(check, trusted.validators, commit, ONE_THIRD);
    if (!trusting.ok)
      return trusting.error.code === 'commit-power' ? 'too-far' : { bad: trusting.error.code };
  }
  const decided = verifyCommitLight(check, validators, commit.blockId, header.height, commit);
  return decided.ok ? 'good' : { bad: decided.error.code };
}

/** Headers on the way to another one at most. The rest waits for the next look. */
const STEPS_MAX = 256;

/** How a way ends: at its target, for now, where the node shows nothing, or at a block that it should not have shown. */
export type WayEnd = 'there' | 'not-yet' | 'missing' | { readonly height: number; readonly bad: string };

/**
 * The blocks by which a node leads from what is trusted to its block at height `target`, lowest first, each as soon as it
 * follows from the one before (bisection: CometBFT light/client.go, verifySkipping).
 */
export function* wayTo(
  check: CommitCheck,
  trusted: LightBlock,
  target: number,
  blockAt: (height: number) => LightBlock | undefined,
  now: () => Micros,
): Generator<LightBlock, WayEnd> {
  const steps = [target];
  let from = trusted;
  for (let i = 0; i < STEPS_MAX; i++) {
    const height = steps.at(-1);
    if (height === undefined) return 'there';
    const block = blockAt(height);
    if (block === undefined) return 'missing';
    const verdict = judge(check, from, block, now());
    if (verdict === 'good') {
      yield block;
      from = block;
      steps.pop();
    } else if (verdict === 'too-far') {
      const middle = Math.floor((from.header.height + height) / 2);
      if (middle <= from.header.height) return { height, bad: 'too few of those trusted signed it' };
      steps.push(middle);
    } else return { height, ...verdict };
  }
  return 'not-yet';
}
