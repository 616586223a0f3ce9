import { encodeEvidence } from '../../core/codec/evidence.ts';
import { EVIDENCE_RANGE } from '../../core/evidence/pool.ts';
import { toHex } from '../../core/lib/bytes.ts';
import { decodeUtf8 } from '../../core/lib/utf8.ts';
import type { Evidence } from '../../core/types/evidence.ts';
import type { Process } from '../process.ts';
import { type Checker, type CheckerContext, mayForget } from './checker.ts';

/** Pieces of evidence read at most: far above what a pool takes. */
const ENTRIES_MAX = 100_000;

const nameOf = (evidence: Evidence): string => toHex(encodeEvidence(evidence));

/**
 * What a node knows of offences outlives its power: with a block its evidence is marked as committed and waits no more, and
 * a piece that entered the pool is on the disk with the second block after it, at the latest; what a block has is never new again. No run
 * is so long that evidence expires.
 */
export function evidenceKept(context: CheckerContext): Checker {
  const name = 'durability';
  if (mayForget(context)) return { name };
  /** What each node took in this life and no block has yet, and how many blocks ago. */
  const fresh = new Map<Process, Map<string, number>>();
  /** What blocks have that each node has told of: it may know of an offence before it tells, and take its block meanwhile. */
  const told = new Map<Process, Set<string>>();
  const check = (node: Process, height: number, carried: readonly Evidence[]): void => {
    const waiting = fresh.get(node) ?? new Map<string, number>();
    if (carried.length === 0 && waiting.size === 0) return;
    const { pending, committed } = stored(node);
    for (const piece of carried.map(nameOf)) {
      waiting.delete(piece);
      if (!committed.has(piece))
        context.fail(name, `${node.name} stores block ${height} and not that its evidence is committed`);
      else if (pending.has(piece))
        context.fail(name, `${node.name} stores block ${height}, and its evidence still waits for one`);
    }
    for (const [piece, blocks] of waiting) {
      if (blocks === 0) waiting.set(piece, 1);
      else waiting.delete(piece);
      if (blocks > 0 && !pending.has(piece) && !committed.has(piece))
        context.fail(
          name,
          `${node.name} stores block ${height}, and no evidence that it had before the last one`,
        );
    }
  };
  return {
    name,
    on(fact) {
      if (fact.kind === 'started') fresh.delete(fact.node);
      if (fact.kind !== 'event' || !fact.node.isCorrect) return;
      const { node, event } = fact;
      if (event.kind === 'newEvidence') {
        const waiting = fresh.get(node) ?? new Map<string, number>();
        const piece = nameOf(event.evidence);
        fresh.set(node, waiting.set(piece, 0));
        if (told.get(node)?.has(piece) === true)
          context.fail(name, `${node.name} takes evidence for new that a block of its own has`);
      }
      if (event.kind !== 'committed') return;
      check(node, event.block.header.height, event.block.evidence);
      const known = told.get(node) ?? new Set();
      for (const piece of event.block.evidence.map(nameOf)) told.set(node, known.add(piece));
    },
  };
}

/** Evidence in a node's database, by whether it waits for a block. */
function stored({ disk }: Process): { readonly pending: Set<string>; readonly committed: Set<string> } {
  const [pending, committed] = [new Set<string>(), new Set<string>()];
  for (const [key, value] of disk.kv.range({ ...EVIDENCE_RANGE, limitMax: ENTRIES_MAX })) {
    const list = decodeUtf8(key)?.startsWith('evidence/committed/') === true ? committed : pending;
    list.add(toHex(value));
  }
  return { pending, committed };
}
