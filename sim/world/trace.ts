import { toHex } from '../../core/lib/bytes.ts';
import type { Process } from '../machine/process.ts';
import type { Frame } from '../network/link.ts';
import type { RollingHash } from './rolling.ts';

/** One happening within an event: an input, a fault, an answer. */
export interface TraceEntry {
  readonly kind: string;
  /** undefined: it happens to the whole world, as a partition does. */
  readonly node: Process | undefined;
  /** May be completed until the event is over. */
  text: string;
  readonly from?: Process;
  readonly frame?: Frame;
  /** A Byzantine node said it instead of what its core would have said, or beside that. */
  readonly isLie?: boolean;
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
 * A trace as JSON lines, one per happening: virtual µs, event number, node, kind, and after the event the node's
 * position, a hash of its consensus state, and the digest of the run so far. The first line in which two runs differ
 * shows where they part.
 */
export function jsonLines(write: (line: string) => void, nameFrame: FrameNamer): TraceSink {
  return (now, event, entries, hash) => {
    for (const { kind, node, text, from, frame, isLie } of entries) {
      const fields = {
        t: now,
        n: event,
        ...(node === undefined ? {} : { node: node.name }),
        kind,
        ...(from === undefined ? {} : { from: from.name }),
        ...(frame === undefined
          ? {}
          : { msg: nameFrame(frame), id: frame.hash.toString(16), sent: frame.sentAt }),
        ...(isLie === true ? { lie: true } : {}),
        ...(text === '' ? {} : { text }),
        ...(node === undefined ? {} : stateOf(node)),
        run: hash.hex(),
      };
      write(JSON.stringify(fields));
    }
  };
}

/** The node's position, its lock, and a hash of everything that decides its next vote. */
function stateOf(node: Process): object {
  const { height, round, step } = node.position;
  const rs = node.node?.rs();
  const lock = rs?.lockedBlock;
  return {
    at: `${height}/${round}/${step}`,
    ...(lock === undefined ? {} : { lock: `${rs?.lockedRound} ${toHex(lock.hash).slice(0, 6)}` }),
    state: (node.node?.stateHash() ?? 0).toString(16).padStart(8, '0'),
  };
}
