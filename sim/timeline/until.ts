import type { Process } from '../machine/process.ts';
import type { Scenario, Until } from '../scenario/scenario.ts';
import { secondsText } from '../words.ts';
import type { World } from '../world/world.ts';
import type { Timeline } from './timeline.ts';

/** Latest virtual time of a run: its own end, or the engine's limit. */
export function timeLimit({ until, engine }: Scenario): number {
  return Math.min(timeOf(until) ?? engine.timeMax, engine.timeMax);
}

/** The virtual time at which `until` ends the run at the latest. There need not be an event at that time. */
export function timeOf(until: Until): number | undefined {
  if (until.kind === 'time') return until.time;
  if (until.kind !== 'first') return undefined;
  const times = until.of.map(timeOf).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Called after every event, so it looks closer only when something has moved. */
export function isOver(scenario: Scenario, world: World, timeline: Timeline): () => boolean {
  let moved = true;
  world.observe(['committed', 'moved', 'started', 'crashed', 'halted', 'fault', 'stable'], () => {
    moved = true;
  });
  const needsClock = hasQuiet(scenario.until);
  return () => {
    if (!moved && !needsClock) return false;
    moved = false;
    return isMet(scenario.until, world, timeline);
  };
}

const hasQuiet = (until: Until): boolean =>
  until.kind === 'quiet' || (until.kind === 'first' && until.of.some(hasQuiet));

function isMet(until: Until, world: World, timeline: Timeline): boolean {
  switch (until.kind) {
    case 'time':
      return false;
    case 'height':
      return allDecided(until.height, world, timeline);
    case 'quiet':
      return timeline.isSpent && world.now - timeline.lastActionAt >= until.time;
    case 'first':
      return until.of.some((one) => isMet(one, world, timeline));
  }
}

/** Whether every correct node has decided the height, except those that are down or halted for good. */
function allDecided(height: number, world: World, timeline: Timeline): boolean {
  let isAny = false;
  for (const process of world.processes) {
    if (!process.isCorrect || isGone(process, timeline)) continue;
    if (process.decided < height) return false;
    isAny = true;
  }
  return isAny;
}

const isGone = (process: Process, timeline: Timeline): boolean =>
  timeline.hasLeft(process) || (!process.isRunning && process.lives > 0 && !timeline.willReturn(process));

/** What keeps a run from its end, for the end of a message. */
export function lack({ until }: Scenario, world: World, timeline: Timeline): string {
  const { awaited, lastActionAt } = timeline;
  if (until.kind === 'quiet' && awaited.length > 0)
    return `, and ${awaited.join(', ')} ${awaited.length === 1 ? 'has' : 'have'} not come`;
  if (until.kind === 'quiet' && world.now < lastActionAt + until.time)
    return `, and the timeline acted less than ${secondsText(until.time)} ago`;
  if (until.kind !== 'height') return '';
  const last = world.processes
    .filter((process) => process.isCorrect && !isGone(process, timeline))
    .reduce<Process | undefined>((low, one) => (low && low.decided <= one.decided ? low : one), undefined);
  return last === undefined
    ? ', and no correct node is left'
    : `, and ${last.name} is at height ${last.decided} of ${until.height}`;
}
