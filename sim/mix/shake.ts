import { pick } from '../swarm/pick.ts';
import type { ChoiceStream } from '../world/choices.ts';

/** Percent of the numbers that change. */
const SHARE = 12;
/** Tenths by which a number is multiplied. */
const FACTORS = [5, 20, 3, 30, 1, 100] as const;
/** An amount such as `2s`, `5%` and `80kB/s`, or a range of them. */
const AMOUNT = /^(\d+(\.\d+)?(us|ms|s|m|h|%|\/s|ppm|[kM]?B\/s)(-(?=\d)|$)){1,2}$/;
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
  return times(tree, pick(stream, FACTORS));
}

function shakenText(text: string, stream: ChoiceStream): string {
  if (!AMOUNT.test(text)) return text;
  const factor = pick(stream, FACTORS);
  return text.replace(/\d+(?:\.\d+)?/g, (amount) => {
    const value = times(Number(amount), factor);
    return String(text.endsWith('%') ? Math.min(100, value) : value);
  });
}

const times = (value: number, tenths: number): number => Math.max(1, Math.round((value * tenths) / 10));
