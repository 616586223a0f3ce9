import type { Fact } from '../world/facts.ts';
import { type Checker, type CheckerContext, isAlwaysTolerable, isTolerable } from './checker.ts';

type MakeChecker = (context: CheckerContext) => Checker;

/** Wraps a checker that is valid only while less than a third of the power is faulty. Beyond that it is silent. */
export const whileTolerable =
  (make: MakeChecker): MakeChecker =>
  (context) => {
    const checker = make(context);
    // A wiped disk makes a correct validator count as faulty for a while.
    const mayForgetVotes = context.scenario.timeline.some(({ action }) => action.kind === 'wipe');
    if (isAlwaysTolerable(context) && !mayForgetVotes) return checker;
    const { name, topics, on, look, follow, finish } = checker;
    const only =
      <A extends unknown[], R>(act: (...args: A) => R) =>
      (...args: A): R | undefined =>
        isTolerable(context) ? act(...args) : undefined;
    return {
      name,
      ...(topics === undefined || on === undefined ? {} : { topics, on: only((fact: Fact) => on(fact)) }),
      ...(look === undefined ? {} : { look: only(look) }),
      ...(follow === undefined ? {} : { follow: only(follow) }),
      ...(finish === undefined ? {} : { finish: only(finish) }),
    };
  };
