import { BEHAVIOURS } from '../byzantine/registry.ts';
import type { Drawn } from './drawn.ts';
import { pick } from './pick.ts';

/** What each liar does, to whom and when. */
export function drawByzantine({ choices, names, liars, before }: Drawn): readonly object[] {
  return liars.flatMap((who) => {
    const stream = choices.stream(`byzantine/${who}`);
    return Array.from({ length: 1 + stream.choose(3) }, () => {
      const { alias, words } = pick(stream, BEHAVIOURS);
      const isPlain = stream.choose(2) === 0;
      const args = Object.entries(isPlain ? {} : (words ?? {})).map(([key, values]) => [
        key,
        pick(stream, values),
      ]);
      const others = names.filter((name) => name !== who);
      const audience = others.filter(() => stream.choose(2) === 1);
      const isAll = stream.choose(3) === 0 || audience.length === 0;
      const from = before + 1 + stream.choose(4);
      const when = [
        undefined,
        { chance: 0.5 },
        { height: `${from}..${from + stream.choose(4)}` },
        { round: 0 },
        { round: '1..' },
      ][stream.choose(5)];
      return {
        who,
        behaviour: alias,
        ...(args.length === 0 ? {} : { args: Object.fromEntries(args) }),
        ...(when === undefined ? {} : { when }),
        ...(isAll ? {} : { to: audience }),
      };
    });
  });
}

/** Now and then a liar changes some field of some of its messages, too. */
export function drawMutations({ choices, rarely, liars }: Drawn): readonly object[] {
  return liars.flatMap((who) => {
    const stream = choices.stream(`mutate/${who}`);
    if (!rarely(stream, 5)) return [];
    const when = [{ chance: `${pick(stream, [5, 20, 50])}%` }, { round: 0 }, { round: '1..' }][
      stream.choose(3)
    ];
    return [{ who, message: 'any', field: 'any', op: 'any', when }];
  });
}
