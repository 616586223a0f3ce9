import { parseDocument } from 'yaml';
import type { EngineSpec } from './chainSpecs.ts';
import { parseScenario } from './parse.ts';

/**
 * The scenario with signatures of this scheme, so that it is the same run wherever it goes: keys, and with them addresses
 * and the order of proposers, follow from the scheme. A text that is no scenario comes back as it is, for its own error.
 */
export function withCrypto(text: string, crypto: EngineSpec['crypto']): string {
  if (!parseScenario(text).ok) return text;
  const document = parseDocument(text, { version: '1.2' });
  document.setIn(['engine', 'crypto'], crypto);
  return document.toString({ lineWidth: 0 });
}
