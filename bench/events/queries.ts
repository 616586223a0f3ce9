/** What the parts of the bench share: queries for one of many recipients, and percentiles. */
import { compileQuery, type Query } from '../../core/events/query/query.ts';

export const query = (text: string): Query => {
  const compiled = compileQuery(text);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value;
};

export const recipient = (i: number): string => `0x${(0x10_0000 + i).toString(16).padStart(40, '0')}`;
export const byRecipient = (i: number): string => `tm.event='Tx' AND ethereum.recipient='${recipient(i)}'`;

export const percentile = (list: readonly number[], share: number): number => {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};
