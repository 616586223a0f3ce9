import { parseDocument } from 'yaml';
import { parseScenario } from './parse.ts';
import { seedValue } from './seed.ts';

/**
 * The scenario with this seed. Where a line more or another is enough, every other line stays as it is; where not, as in
 * JSON, the document is written anew.
 */
export function withSeed(text: string, seed: string): string {
  const lines = text.replace(/^\ufeff/, '');
  const own = /^seed:.*$/m;
  const plain = own.test(lines) ? lines.replace(own, `seed: ${seed}`) : `seed: ${seed}\n${lines}`;
  const parsed = parseScenario(plain);
  if (parsed.ok && parsed.value.seed === seed) return plain;
  const document = parseDocument(lines, { version: '1.2' });
  document.set('seed', seedValue(seed));
  return document.toString({ lineWidth: 0 });
}
