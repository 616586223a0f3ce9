import type { Dice } from './drawn.ts';
import { pick } from './pick.ts';
import type { Powers } from './powers.ts';

/** Fewer voters hardly ever see different things. Of more voters, two thirds are never in time for each other. */
const VOTERS_MIN = 4;
const VOTERS_MAX = 7;

/** Settings that replace what else was drawn. */
export interface Contest {
  readonly times: Readonly<Record<string, string>>;
  readonly network: Readonly<Record<string, string>>;
}

/**
 * Sometimes nodes wait about as long as messages take. Then some see a polka and lock, others have given up, and the
 * next proposer may know of neither. The rules about locks and valid blocks are used in hardly any other world.
 * @param isStream A lost frame is a peer's fault.
 */
export function drawContest(
  { choices, rarely }: Dice,
  powers: Powers,
  isStream: boolean,
): Contest | undefined {
  const stream = choices.stream('contest');
  const voters = Object.values(powers).filter((power) => power > 0).length;
  if (!rarely(stream, 6) || voters < VOTERS_MIN || voters > VOTERS_MAX) return undefined;
  const longest = pick(stream, [600, 300, 1000]);
  const share = (percents: readonly number[]): string => `${(longest * pick(stream, percents)) / 100}ms`;
  const loss = pick(stream, [20, 30, 0]);
  // The time-outs grow enough to end this within a few dozen rounds.
  const delta = share([15, 10, 20]);
  return {
    times: {
      timeout_propose: share([120, 100, 70, 170]),
      timeout_prevote: share([50, 30, 100, 10]),
      timeout_precommit: share([50, 20, 10]),
      timeout_propose_delta: delta,
      timeout_prevote_delta: delta,
      timeout_precommit_delta: delta,
    },
    network: { delay: `10ms-${longest}ms`, ...(isStream || loss === 0 ? {} : { loss: `${loss}%` }) },
  };
}
