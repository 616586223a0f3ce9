import { readMessage } from '../../network/readMessage.ts';
import { stepName } from '../../words.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { hasOddClocks } from '../timing/earlyTimeouts.ts';

/** A node that stands still repeats its NewRoundStep after this time, and so it does to a peer that stands still. */
const AGAIN_MICROS = 2_000_000;
/**
 * On one connection, far above what these repeats and a step announced late add up to. At each look of gossip it would
 * be 20.
 */
const SAID_MAX = 12;

interface Said {
  readonly stand: string;
  readonly since: number;
  readonly times: number;
}

/**
 * A correct node does not keep repeating its NewRoundStep to a peer: it repeats it every few seconds, not at each look.
 * Not judged with faulty clocks or drives.
 */
export function newRoundStepRate({ world, scenario, fail }: CheckerContext): Checker {
  const name = 'conduct';
  // Messages that a slow drive has held back leave all at once.
  if (hasOddClocks(scenario)) return { name };
  const all = new Map<string, Said>();
  return {
    name,
    ...hearing(['roundStateSaid', 'peer'], (fact) => {
      const { node } = fact;
      if (!node.isCorrect || node.pace.sync !== undefined) return;
      if (fact.kind === 'peer') {
        // Each new connection begins with a NewRoundStep, and connections may break again and again.
        all.delete(`${node.name}/${fact.peer}`);
        return;
      }
      const { to, bytes } = fact;
      const decoded = readMessage(bytes);
      if (!decoded.ok || decoded.value.kind !== 'newRoundStep') return;
      const { height, round, step } = decoded.value;
      const stand = `${height}/${round}, step ${stepName(step)}`;
      for (const peer of to) {
        const before = all.get(`${node.name}/${peer}`);
        const isAgain = before?.stand === stand && world.now - before.since < AGAIN_MICROS;
        const said = isAgain ? { ...before, times: before.times + 1 } : { stand, since: world.now, times: 1 };
        all.set(`${node.name}/${peer}`, said);
        if (said.times > SAID_MAX)
          fail(
            name,
            `${node.name} tells ${peer} ${said.times} times in a row that it is at ${stand}, expected at most ${SAID_MAX}`,
          );
      }
    }),
  };
}
