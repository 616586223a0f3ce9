import type { Unjudged } from '../report.ts';
import type { StandingChecker } from '../scenario/scenario.ts';
import { type Checker, type CheckerContext, isAccountable, isTolerable } from './checker.ts';

/** Reasons not to judge, each to be read after `as`. */
export const TOO_MANY_FAULTY = 'a third or more of the power is faulty';
export const BROKEN_OFF = 'the run was broken off';

/** For expectations that only the end of the run can judge. */
export const onlyAtTheEnd = {
  unjudged: (isBrokenOff: boolean): string | undefined => (isBrokenOff ? BROKEN_OFF : undefined),
};

/** Checkers that do not judge at all once a third of the power is faulty. */
const NEED_TOLERABLE: readonly StandingChecker[] = ['agreement', 'app_hash'];
/** Checkers that then still judge, but not everything. */
const PARTLY_NEED_TOLERABLE: readonly StandingChecker[] = [
  'validity',
  'no_crash',
  'conduct',
  'durability',
  'answers',
];

/** Promises that this run has not judged although the scenario does not switch them off, each once with each reason. */
export function notJudged(
  context: CheckerContext,
  checkers: readonly Checker[],
  isBrokenOff: boolean,
): readonly Unjudged[] {
  const expected = checkers.flatMap(({ name, unjudged }) => {
    const why = unjudged?.(isBrokenOff);
    return why === undefined ? [] : [{ promise: name, why, isNamed: true }];
  });
  const found = [...standing(context), ...expected];
  const isFirst = ({ promise, why }: Unjudged, i: number): boolean =>
    i === found.findIndex((one) => one.promise === promise && one.why === why);
  return found.filter(isFirst);
}

function standing(context: CheckerContext): readonly Unjudged[] {
  const { off, named, expect } = context.scenario;
  const of = (names: readonly StandingChecker[], why: string, part = ''): readonly Unjudged[] =>
    names
      .filter((name) => !off.has(name))
      .map((name) => ({ promise: `${part}${name}`, why, isNamed: named.has(name) }));
  const isAsked = isAccountable(context) || expect.some(({ kind }) => kind === 'guilty');
  return [
    ...(isTolerable(context)
      ? []
      : [...of(NEED_TOLERABLE, TOO_MANY_FAULTY), ...of(PARTLY_NEED_TOLERABLE, TOO_MANY_FAULTY, 'parts of ')]),
    ...(isAsked ? [] : of(['accountability'], 'more than two thirds of the power is faulty')),
  ];
}
