import { pick } from '../swarm/pick.ts';
import type { ChoiceStream } from '../world/choices.ts';

/** Percent of the numbers that change. */
const SHARE = 12;
/** Tenths by which a number is multiplied. */
const FACTORS = [5, 20, 3, 30, 1, 100] as const;
/** Amounts at the start of a text, with the unit that follows. */
const AMOUNT = /^(\d+(?:\.\d+)?)(us|ms|s|m|h|%|\/s|ppm|B\/s|kB\/s|MB\/s)(?![\w/])/;
/** Keys whose values say where a run ends, or what is called what. */
const KEPT: ReadonlySet<string> = new Set(['name', 'until', 'expect']);

/** The tree with some of its numbers many times larger or smaller. Heights move by one or two. */
export function shaken(tree: unknown, stream: ChoiceStream, key = ''): unknown {
  if (Array.isArray(tree)) return tree.map((one) => shaken(one, stream, key));
  if (typeof tree === 'object' && tree !== null)
    return Object.fromEntries(
      Object.entries(tree).map(([name, value]) => [
        name,
        KEPT.has(name) ? value : shaken(value, stream, name),
      ]),
    );
  if (stream.choose(100) >= SHARE) return tree;
  if (typeof tree === 'string') return shakenText(tree, stream);
  if (typeof tree !== 'number' || !Number.isInteger(tree) || tree <= 0) return tree;
  if (key === 'height') return Math.max(1, tree + pick(stream, [1, -1, 2, -2]));
  return times(tree, stream);
}

const shakenText = (text: string, stream: ChoiceStream): string =>
  text.replace(AMOUNT, (_, amount: string, unit: string) => {
    const value = times(Number(amount), stream);
    return `${unit === '%' ? Math.min(100, value) : value}${unit}`;
  });

const times = (value: number, stream: ChoiceStream): number =>
  Math.max(1, Math.round((value * pick(stream, FACTORS)) / 10));
