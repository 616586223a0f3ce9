import { withoutPlace } from '../difference.ts';
import type { Failure } from '../report.ts';
import { STEP_NAMES } from '../words.ts';

const CAUSE_CHARS_MAX = 120;
const STEPS = new RegExp(`\\bstep (?:${STEP_NAMES.join('|')})(?![\\w-])`, 'g');

/**
 * What stays the same when a bug shows itself again: the checker's first line without names, steps, numbers, hashes and the
 * place in an answer. Two failures with equal causes are taken for one bug, by sweeps, which group them, and by the
 * shrinker, which must not drift.
 */
export function causeOf({ message }: Failure, names: readonly string[]): string {
  const known = new Set(names);
  return withoutPlace(message.split('\n', 1)[0] ?? '')
    .replace(/[A-Za-z_][\w-]*/g, (word) => (known.has(word) ? 'NODE' : word))
    .replace(STEPS, 'step N')
    .replace(/\b\d+(?:\.\d+)?\b/g, 'N')
    .replace(/\b(?:0x)?(?=[0-9a-f]*\d)[0-9a-f]{6,}\b/gi, 'HASH')
    .replace(/\d+(?:\.\d+)?/g, 'N')
    .slice(0, CAUSE_CHARS_MAX);
}
