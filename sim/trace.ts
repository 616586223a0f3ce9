import type { Frame } from './link.ts';
import type { Process } from './process.ts';
import type { RollingHash } from './rolling.ts';

/** One happening within an event: an input, a fault, an answer. */
export interface TraceEntry {
  readonly kind: string;
  readonly node: Process;
  readonly text: string;
  readonly from?: Process;
  readonly frame?: Frame;
}

/** Called after each event that had happenings, with the digest so far. */
export type TraceSink = (
  now: number,
  event: number,
  entries: readonly TraceEntry[],
  hash: RollingHash,
) => void;

/** Names a frame for human readers, e.g. `vote prevote 3/0 v1 ab12cd`. */
export type FrameNamer = (frame: Frame) => string;

/**
 * A trace as JSON lines, one a happening: virtual µs, event number, node, kind, and after the event the node's
 * position, a hash of its consensus state, and the digest of the run so far. Two runs that differ differ first in
 * the line where they part.
 */
export function jsonLines(write: (line: string) => void, nameFrame: FrameNamer): TraceSink {
  return (now, event, entries, hash) => {
    for (const { kind, node, text, from, frame } of entries) {
      const { height, round, step } = node.position;
      const state = node.node?.stateHash() ?? 0;
      const fields = {
        t: now,
        n: event,
        node: node.name,
        kind,
        ...(from === undefined ? {} : { from: from.name }),
        ...(frame === undefined ? {} : { msg: nameFrame(frame), id: frame.hash.toString(16) }),
        ...(text === '' ? {} : { text }),
        at: `${height}/${round}/${step}`,
        state: state.toString(16).padStart(8, '0'),
        run: hash.hex(),
      };
      write(JSON.stringify(fields));
    }
  };
}
