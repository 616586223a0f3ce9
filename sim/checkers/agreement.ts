import type { Bytes } from '../../core/lib/bytes.ts';
import { compareBytes, equalBytes, toHex } from '../../core/lib/bytes.ts';
import { ChainReads } from '../../core/store/chainReads.ts';
import { undoneHeight } from '../../core/store/undo.ts';
import type { KvDisk } from '../disk/kvDisk.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';

interface Decided {
  readonly node: string;
  readonly hash: Bytes;
}

/** AGR: no two correct nodes decide different blocks at one height, and no node decides twice. */
export function agreement(context: CheckerContext): Checker {
  const name = 'agreement';
  const decided = new Map<number, Decided>();
  return {
    name,
    ...hearing(['committed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { block, blockId } = fact.event;
      const { height } = block.header;
      const first = decided.get(height);
      if (first === undefined) decided.set(height, { node: fact.node.name, hash: blockId.hash });
      else if (!equalBytes(first.hash, blockId.hash)) {
        const [a, b] = [toHex(first.hash).slice(0, 12), toHex(blockId.hash).slice(0, 12)];
        context.fail(name, `height ${height}: ${first.node} decided ${a}, ${fact.node.name} decided ${b}`);
      }
    }),
  };
}

/** Every correct node has the same app hash at every height. At the end, the databases are compared, too. */
export function appHash(context: CheckerContext): Checker {
  const name = 'app_hash';
  const known = new Map<number, Decided>();
  return {
    name,
    ...hearing(['committed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { height } = fact.event.block.header;
      const hash = fact.event.results.appHash;
      const first = known.get(height);
      if (first === undefined) known.set(height, { node: fact.node.name, hash });
      else if (!equalBytes(first.hash, hash)) {
        context.fail(
          name,
          `height ${height}: app hash of ${fact.node.name} differs from that of ${first.node}`,
        );
      }
    }),
    finish: () => compareStores(context, name),
  };
}

/** Records that depend on the node or on how far it is, by key prefix (store/keys.ts); they are not compared. */
const OWN_RECORDS: readonly number[] = ['s', 'C', 'B', 'H', 'Z', 'U'].map((letter) => letter.charCodeAt(0));
const BY_HEIGHT: readonly number[] = ['m', 'p', 'k', 'r', 'v', 'a', 'f', 'e'].map((letter) =>
  letter.charCodeAt(0),
);

/** The databases of correct nodes are byte-equal, up to the lower of the two heads. */
function compareStores(context: CheckerContext, name: string): void {
  const sound = context.correct.filter((node) => node.state !== 'halted' && !node.disk.isDamaged);
  for (const { name: node, disk } of sound) {
    const waiting = undoneHeight(disk.kv);
    if (waiting !== undefined && (new ChainReads(disk.kv).headPointer()?.height ?? 0) >= waiting)
      context.fail(name, `${node} still has the mark that block ${waiting} was taken back`);
  }
  const [first, ...rest] = sound;
  if (first === undefined) return;
  for (const other of rest) {
    const common = Math.min(headOf(first.node), headOf(other.node));
    const key = firstDifference(first.disk.kv, other.disk.kv, common);
    if (key !== undefined) {
      context.fail(name, `record ${toHex(key)} of ${first.name} and ${other.name} differs`);
      return;
    }
  }
}

/** The least key whose record differs. */
function firstDifference(first: KvDisk, other: KvDisk, common: number): Bytes | undefined {
  let least: Bytes | undefined;
  first.beside(other, (key, own, theirs) => {
    const letter = key[0] as number;
    if (OWN_RECORDS.includes(letter)) return;
    const isByHeight = BY_HEIGHT.includes(letter);
    if (isByHeight && heightOf(key) >= common) return;
    const isSame = theirs === undefined ? !isByHeight : equalBytes(theirs, own);
    if (!isSame && (least === undefined || compareBytes(key, least) < 0)) least = key;
  });
  return least;
}

const headOf = (
  node: { readonly rpc: { readonly chain: { head(): number } } | undefined } | undefined,
): number => node?.rpc?.chain.head() ?? 0;

function heightOf(key: Bytes): number {
  let height = 0;
  for (let i = 1; i < 9; i++) height = height * 256 + (key[i] as number);
  return height;
}
