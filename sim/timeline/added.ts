import type { TimelineEntry } from '../scenario/scenario.ts';

/** Names of the nodes that the timeline adds. They do not run before. */
export const addedBy = (timeline: readonly TimelineEntry[]): ReadonlySet<string> =>
  new Set(timeline.flatMap(({ action }) => (action.kind === 'addNode' ? [action.name] : [])));
