/**
 * What subscribers cost. First the comparison alone: one event against 100 to 10,000 queries. Then a node with one
 * validator under 500 transfers a second, and the far ends of a thousand websockets in another process. Last, a search
 * for a rare recipient among a million indexed transactions. `events delivery 100 '1000 × Tx'` runs one
 * part, at another rate, of one kind of clients.
 */
import { delivery } from './events/delivery.ts';
import { matching } from './events/matching.ts';
import { searching } from './events/searching.ts';
import type { Print } from './figure.ts';

const RATE_DEFAULT = 500;

export async function run(print: Print, [only, rate, one]: readonly string[]): Promise<void> {
  if (only === undefined || only === 'match') matching(print);
  if (only === undefined || only === 'delivery')
    await delivery(print, rate === undefined ? RATE_DEFAULT : Number(rate), one);
  if (only === undefined || only === 'search') await searching(print);
}
