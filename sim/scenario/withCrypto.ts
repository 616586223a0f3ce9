import { parseDocument } from 'yaml';
import type { EngineSpec } from './chainSpecs.ts';
import { parseScenario } from './parse.ts';

/**
 * The scenario with this signature scheme, so that it is the same run everywhere: keys follow from the scheme, and with
 * them addresses and the order of proposers. A text that is no scenario comes back unchanged, and so gives its own
 * error.
 */
export function withCrypto(text: string, crypto: EngineSpec['crypto']): string {
  if (!parseScenario(text).ok) return text;
  const document = parseDocument(text, { version: '1.2' });
  document.setIn(['engine', 'crypto'], crypto);
  return document.toString({ lineWidth: 0 });
}
