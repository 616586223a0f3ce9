/** How audiences compare what they were told with what they should have been, and how one of them gets itself cut off. */
import type { Wire } from '../clients/wire.ts';
import { type Stage, settle } from './stage.ts';

/** The first place where something else is told than what is due, in words; whatever is told beyond all that is due does not count. */
export function firstUntold(
  told: readonly string[],
  due: readonly string[],
): { readonly told: string; readonly due: string } | undefined {
  const at = due.findIndex((text, i) => told[i] !== text);
  return at < 0 ? undefined : { told: told[at] ?? 'nothing', due: due[at] as string };
}

/** What goes wrong, in words, with one who is to be told all that is due and nothing else. */
export function wronglyTold(told: readonly string[], due: readonly string[]): string | undefined {
  const wrong = firstUntold(told, due);
  if (wrong !== undefined) return `is told ${wrong.told}, it should be ${wrong.due}`;
  return told.length > due.length ? `is told ${told[due.length]}, it should be nothing more` : undefined;
}

/**
 * Reads nothing any more while blocks come, until the node has no room for what is left and cuts the client off; answers with what was
 * there to read before that, or undefined when it is not cut off.
 * @param ask A question of the client; its answer has no room either.
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
