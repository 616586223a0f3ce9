import { readMessage } from '../network/readMessage.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { hasOddClocks } from './patience.ts';

/** Whoever does not move says again where it stands after this, and so it does to a peer that does not move. */
const AGAIN_MICROS = 2_000_000;
/** Far above what these, a new connection and a step that is told late come to; at each look of gossip it would be 20. */
const SAID_MAX = 12;

interface Said {
  readonly stand: string;
  readonly since: number;
  readonly times: number;
}

/** A correct node does not go on telling a peer where it stands: what is known is said again every few seconds, not at each look. */
export function insistence({ world, scenario, fail }: CheckerContext): Checker {
  const name = 'conduct';
  // What a slow drive has held back leaves all at once.
  if (hasOddClocks(scenario)) return { name };
  const all = new Map<string, Said>();
  return {
    name,
    ...hearing(['standingSaid'], ({ node, to, bytes }) => {
      if (!node.isCorrect || node.pace.sync !== undefined) return;
      const decoded = readMessage(bytes);
      if (!decoded.ok || decoded.value.kind !== 'newRoundStep') return;
      const { height, round, step } = decoded.value;
      const stand = `${height}/${round}/${step}`;
      for (const peer of to) {
        const before = all.get(`${node.name}/${peer}`);
        const isAgain = before?.stand === stand && world.now - before.since < AGAIN_MICROS;
        const said = isAgain ? { ...before, times: before.times + 1 } : { stand, since: world.now, times: 1 };
        all.set(`${node.name}/${peer}`, said);
        if (said.times > SAID_MAX)
          fail(name, `${node.name} tells ${peer} ${said.times} times in a row that it is at ${stand}`);
      }
    }),
  };
}
