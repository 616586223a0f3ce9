import { ANSWERS } from './answers.ts';
import { APPLICATION } from './application.ts';
import { BLOCKS } from './blocks.ts';
import type { Break } from './broken.ts';
import { EXECUTION } from './execution.ts';
import { GUARDS } from './guards.ts';
import { ROUNDS } from './rounds.ts';

/** Breaks of the core, a line each: the scenario and seed that show it, and the checkers of which one must notice first. */
export const BREAKS: readonly Break[] = [
  ...ROUNDS,
  ...BLOCKS,
  ...APPLICATION,
  ...EXECUTION,
  ...ANSWERS,
  ...GUARDS,
];
