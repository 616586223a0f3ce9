import type { Subscriber } from '../../clients/subscriber.ts';
import type { Expectation } from '../../scenario/scenario.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';
import { onlyAtTheEnd } from '../notJudged.ts';
import { furthestOf } from './watchers.ts';

/**
 * Subscribers were told exactly what the chain holds: from its first block on, in order, word for word, nothing twice
 * or left out.
 */
export function subscriberEvents(context: CheckerContext, subscribers: readonly Subscriber[]): Checker {
  const name = 'ws';
  return {
    name,
    async finish() {
      // The node a client follows may be on the other side of a fork.
      if (!isTolerable(context)) return;
      const longest = furthestOf(context);
      if (longest === undefined) return;
      for (const subscriber of subscribers) {
        for (const problem of await subscriber.problems(longest))
          context.fail(name, `${subscriber.spec.name} at ${subscriber.spec.at} ${problem}`);
      }
    },
  };
}

/** A client that follows the chain on either websocket. */
type Listener = Pick<Subscriber, 'places' | 'cutOffs'> & { readonly spec: { readonly name: string } };

/** A subscriber has got at least so many events, and was cut off at least so often. */
export function subscriberProgress(
  context: CheckerContext,
  subscribers: readonly Listener[],
  wanted: Extract<Expectation, { kind: 'ws' }>,
): Checker {
  const name = 'ws';
  return {
    name,
    ...onlyAtTheEnd,
    finish() {
      const subscriber = subscribers.find(({ spec }) => spec.name === wanted.client);
      const { places = [], cutOffs = 0 } = subscriber ?? {};
      if (places.length < wanted.atLeast)
        context.fail(name, `${wanted.client} got ${places.length} events, expected ${wanted.atLeast}`);
      if (cutOffs < wanted.cutOff)
        context.fail(name, `${wanted.client} was cut off ${cutOffs} times, expected ${wanted.cutOff}`);
    },
  };
}
