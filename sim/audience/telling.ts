/** Compares what audiences were told with what they should have been told, and gets a client cut off. */
import type { Wire } from '../clients/wire.ts';
import { type Stage, settle } from './stage.ts';

/** The first position where what was told differs from what is due. Anything told beyond that is ignored. */
export function firstUntold(
  told: readonly string[],
  due: readonly string[],
): { readonly told: string; readonly due: string } | undefined {
  const at = due.findIndex((text, i) => told[i] !== text);
  return at < 0 ? undefined : { told: told[at] ?? 'nothing', due: due[at] as string };
}

/** The problem in words of a client that must be told exactly what is due. */
export function wronglyTold(told: readonly string[], due: readonly string[]): string | undefined {
  const wrong = firstUntold(told, due);
  if (wrong !== undefined) return `is told ${wrong.told}, it should be ${wrong.due}`;
  return told.length > due.length ? `is told ${told[due.length]}, it should be nothing more` : undefined;
}

/**
 * Stops reading while blocks come, until the node has no room for what is left unread and cuts the client off. Returns
 * what there was to read before that, or undefined if the client is not cut off.
 * @param ask sends a request of the client; there is no room for its answer either.
 */
export async function readUntilCutOff(
  wire: Wire & { stuff(): void },
  stage: Stage,
  grow: () => void,
  ask: () => Promise<void>,
): Promise<readonly string[] | undefined> {
  wire.stuff();
  while (!wire.isClosed && !stage.isOver) {
    grow();
    await settle();
  }
  if (!wire.isClosed) await ask();
  await settle();
  if (!wire.isClosed) return undefined;
  const texts: string[] = [];
  for (let text = wire.read(); text !== undefined; text = wire.read()) texts.push(text);
  return texts;
}

export const NOT_CUT_OFF = 'whoever leaves more unread than it may is not cut off';
