import { type Coverage, readCoverage } from '../../../core/events/index/indexer.ts';
import { type Bytes, compareBytes, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { ChainReads } from '../../../core/store/chainReads.ts';
import { undoneHeight } from '../../../core/store/undo.ts';
import type { KvDisk } from '../../disk/kvDisk.ts';
import type { CheckerContext } from '../checker.ts';
import { blockOfRecord, heightOfPosting, isContent, isMark, isPlace, placeIn } from './recordHeights.ts';

/** The database on a node's drive at the end of the run, whether the node still runs or not. */
interface Store {
  readonly name: string;
  readonly kv: KvDisk;
  readonly head: number;
  /** Newest executed height: the head, or the block above it that a rollback has taken back. */
  readonly reached: number;
  readonly indexed: Coverage | undefined;
}

/** Byte-equal databases of correct nodes, up to the height that both have. */
export function compareStores(context: CheckerContext, name: string): void {
  const stores = storesOf(context, name);
  const highest = stores.reduce<Store | undefined>(
    (best, one) => (best === undefined || one.reached > best.reached ? one : best),
    undefined,
  );
  const promised = promisedBy(context);
  for (const other of stores) {
    const key = highest && other !== highest ? firstDifference(highest, other, promised) : undefined;
    if (key === undefined) continue;
    context.fail(
      name,
      `record ${toHex(key)} of the databases of ${highest?.name} and ${other.name} differs, should be equal`,
    );
    return;
  }
}

function storesOf(context: CheckerContext, name: string): readonly Store[] {
  const sound = context.correct.filter((node) => node.state !== 'halted' && !node.disk.isDamaged);
  return sound.flatMap(({ name: node, disk: { kv } }) => {
    const head = new ChainReads(kv).headPointer()?.height;
    const waiting = undoneHeight(kv);
    if (waiting !== undefined && (head ?? 0) >= waiting)
      context.fail(name, `${node} still has the mark that block ${waiting} was taken back`);
    // Without a head, not even genesis has been written.
    return head === undefined
      ? []
      : [{ name: node, kv, head, reached: waiting ?? head, indexed: readCoverage(kv) }];
  });
}

/** The first one in the order of keys. */
function firstDifference(a: Store, b: Store, promised: Promised): Bytes | undefined {
  const shared = Math.min(a.head, b.head);
  let least: Bytes | undefined;
  const compare = (mine: Store, other: Store): void =>
    mine.kv.beside(other.kv, (key, own, theirs) => {
      if (promised(key, own, mine, other) > shared) return;
      if (theirs !== undefined && (equalBytes(own, theirs) || isBehind(key, theirs, shared))) return;
      if (least === undefined || compareBytes(key, least) < 0) least = key;
    });
  compare(a, b);
  compare(b, a);
  return least;
}

/** The head from which on `other` must have this record of `mine`, unchanged. Infinity: the record is the node's own. */
type Promised = (key: Bytes, value: Bytes, mine: Store, other: Store) => number;

/** A transaction's record names the newest block that contains it. That block may lie above the shared heights. */
const isBehind = (key: Bytes, value: Bytes, shared: number): boolean =>
  isPlace(key) && placeIn(key, value) > shared;

function promisedBy({ scenario }: CheckerContext): Promised {
  // A hard rollback leaves content behind that the earlier state does not use.
  const mayBeLeft = scenario.timeline.some(({ action }) => action.kind === 'rollback' && action.isHard);
  return (key, value, mine, other) => {
    if (isMark(key)) return mine.reached === other.reached ? mine.reached : Infinity;
    const block = blockOfRecord(key, value);
    if (block !== undefined) return block;
    if (isContent(key)) return mayBeLeft ? Infinity : mine.reached;
    const height = heightOfPosting(key) ?? Infinity;
    const { from, to } = other.indexed ?? { from: Infinity, to: 0 };
    return from <= height && height <= to ? height : Infinity;
  };
}
