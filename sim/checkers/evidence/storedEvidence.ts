import { decodeEvidence, encodeEvidence } from '../../../core/codec/evidence.ts';
import { decodeRecord } from '../../../core/codec/record.ts';
import { EVIDENCE_RANGE } from '../../../core/evidence/pool.ts';
import { assert } from '../../../core/lib/assert.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { decodeUtf8 } from '../../../core/lib/utf8.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { Process } from '../../machine/process.ts';
import { type CheckerContext, mayLose } from '../checker.ts';
import { attackName, mayExpire } from './duplicateVotes.ts';

/** Pieces of evidence read at most: far above what a pool takes. */
const ENTRIES_MAX = 100_000;

/** A pool holds one proof of an attack, and takes any other proof of it for the same. */
export const evidenceName = (evidence: Evidence): string =>
  evidence.kind === 'light-client-attack' ? attackName(evidence) : toHex(encodeEvidence(evidence));

/** Evidence by its name. */
export type Pieces = ReadonlyMap<string, Evidence>;

/** Evidence in a node's database: pending and committed. */
export function storedEvidence({ disk }: Process): { readonly pending: Pieces; readonly committed: Pieces } {
  const [pending, committed] = [new Map<string, Evidence>(), new Map<string, Evidence>()];
  for (const [key, value] of disk.kv.range({ ...EVIDENCE_RANGE, limitMax: ENTRIES_MAX })) {
    const list = decodeUtf8(key)?.startsWith('evidence/committed/') === true ? committed : pending;
    const payload = decodeRecord(key, value);
    const decoded = decodeEvidence(payload);
    assert(decoded.ok, 'stored evidence decodes');
    list.set(evidenceName(decoded.value), decoded.value);
  }
  return { pending, committed };
}

/** Pending evidence of earlier lives, to be proposed and gossiped. Empty where a drive may have lost it. */
export function keptEvidence(context: CheckerContext, node: Process): Map<string, Evidence> {
  const chain = node.node?.rpc?.chain;
  const last = chain?.blockMeta(chain.head())?.header;
  if (last === undefined || mayLose(context)) return new Map();
  const { pending } = storedEvidence(node);
  return new Map([...pending].filter(([, evidence]) => !mayExpire(context, evidence, last)));
}
