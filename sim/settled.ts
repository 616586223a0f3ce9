import type { Scenario } from './scenario/scenario.ts';
import { Choices } from './world/choices.ts';

const RANDOM = /^random (\d+)$/;

/** The scenario with everyone named: whoever a seed makes a liar is known before the run. */
export function settled(scenario: Scenario, seed: string): Scenario {
  if (!scenario.byzantine.some(({ who }) => RANDOM.test(who))) return scenario;
  const choices = new Choices({ seed });
  return {
    ...scenario,
    byzantine: scenario.byzantine.flatMap((entry, i) => {
      const random = RANDOM.exec(entry.who);
      if (random === null) return [entry];
      const left = scenario.validators.map(({ name }) => name);
      const who: string[] = [];
      while (who.length < Number(random[1]) && left.length > 0)
        who.push(...left.splice(choices.choose(`byzantine/who/${i}`, left.length), 1));
      return who.map((name) => ({ ...entry, who: name }));
    }),
  };
}
