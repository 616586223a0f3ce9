import { equalBytes } from '../../../core/lib/bytes.ts';
import type { NodeEvent } from '../../../core/types/nodeEvent.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import type { Schedule } from '../../schedule.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { rotationOf, type Seat } from '../consensus/rotation.ts';
import { blockProblem, type SeenBlock } from './blockRules.ts';

type CommittedEvent = Extract<NodeEvent, { kind: 'committed' }>;

/** Heights kept behind the newest. */
const KEPT_MAX = 64;

/**
 * VAL: an independent observer follows the chain and checks every decided block once: hashes, links, proposer,
 * validator sets, evidence, and valid signatures of more than two thirds in the commit that the next block carries.
 */
export function validity(context: CheckerContext): Checker {
  const name = 'validity';
  const seen = new Map<number, SeenBlock>();
  let newest = 0;
  const coming = rotationOf(context.cluster);
  return {
    name,
    ...hearing(['committed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { event } = fact;
      const { height } = event.block.header;
      // A node that lags decides blocks that were checked before.
      if (height <= newest) return;
      newest = height;
      const problem =
        blockProblem(context, event, seen.get(height - 1)) ??
        stateProblem(event, seen.get(height - 1)) ??
        comingProblem(event, coming.seats(height + 2), context.cluster.schedule);
      if (problem !== undefined)
        context.fail(name, `height ${height} decided by ${fact.node.name}: ${problem}`);
      seen.set(height, { event, validators: event.state.validators });
      seen.delete(height - KEPT_MAX);
    }),
  };
}

/** With each block, the validator sets move up by one height unchanged, priorities included. */
function stateProblem({ state }: CommittedEvent, last: SeenBlock | undefined): string | undefined {
  if (last === undefined) return undefined;
  const before = last.event.state;
  if (!isSameSet(state.lastValidators, before.validators)) return 'the last validators are not those before';
  return isSameSet(state.validators, before.nextValidators)
    ? undefined
    : 'the validators are not those that the state before announced';
}

/** The set two heights on follows only from what the application has answered so far. */
function comingProblem(
  { state }: CommittedEvent,
  seats: readonly Seat[],
  schedule: Schedule,
): string | undefined {
  const { validators } = state.nextValidators;
  const { lastBlockHeight: height } = state;
  const voters = schedule.voters(height + 2);
  const isSame = voters.every(({ address, power }, i) => {
    const one = validators[i];
    const seat = seats.find((other) => equalBytes(other.address, address));
    return one?.power === power && one.priority === seat?.credit && equalBytes(one.address, address);
  });
  if (!isSame || voters.length !== validators.length)
    return 'the next validators are not those that the application has named';
  const changed = schedule.lastChanged(height);
  return state.lastHeightValidatorsChanged === changed.voters &&
    state.lastHeightParamsChanged === changed.params
    ? undefined
    : 'the validators or parameters were not changed last when the state says';
}

function isSameSet(a: ValidatorSet | undefined, b: ValidatorSet): boolean {
  if (a === undefined || a.validators.length !== b.validators.length) return false;
  return a.validators.every((one, i) => {
    const other = b.validators[i];
    return (
      other !== undefined &&
      equalBytes(one.address, other.address) &&
      one.power === other.power &&
      one.priority === other.priority
    );
  });
}
