import type { ByzantineEntry, Scenario } from './scenario/scenario.ts';
import { Choices } from './world/choices.ts';

const RANDOM = /^random (\d+)$/;

/** The scenario with every Byzantine node named: the seed decides before the run which nodes `random K` means. */
export function nameRandomLiars(scenario: Scenario, seed: string): Scenario {
  if (!scenario.byzantine.some(({ who }) => RANDOM.test(who))) return scenario;
  const choices = new Choices({ seed });
  return {
    ...scenario,
    byzantine: scenario.byzantine.flatMap((entry, place, all) => {
      const random = RANDOM.exec(entry.who);
      if (random === null) return [entry];
      const left = scenario.validators.map(({ name }) => name);
      const who: string[] = [];
      // Labelled by the behaviour, and by the number among like entries, so that other entries can be added or removed.
      const isAlike = (one: ByzantineEntry): boolean =>
        one.behaviour === entry.behaviour && one.who === entry.who;
      const label = `byzantine/who/${entry.behaviour}/${all.slice(0, place).filter(isAlike).length}`;
      while (who.length < Number(random[1]) && left.length > 0)
        who.push(...left.splice(choices.choose(label, left.length), 1));
      return who.map((name) => ({ ...entry, who: name }));
    }),
  };
}
