import { parseDocument } from 'yaml';
import type { EngineSpec } from './chainSpecs.ts';
import { parseScenario } from './parse.ts';
import { seedValue } from './seed.ts';

/**
 * The scenario with this signature scheme, so that it is the same run everywhere: keys follow from the scheme, and with
 * them addresses and the order of proposers. A text that is no scenario comes back unchanged, and so gives its own
 * error.
 */
export function withCrypto(text: string, crypto: EngineSpec['crypto']): string {
  const parsed = parseScenario(text);
  if (!parsed.ok) return text;
  const document = parseDocument(text, { version: '1.2' });
  const { seed } = parsed.value;
  // A number would be written down in another spelling, and be another seed.
  if (seed !== undefined) document.set('seed', seedValue(seed));
  document.setIn(['engine', 'crypto'], crypto);
  return document.toString({ lineWidth: 0 });
}
