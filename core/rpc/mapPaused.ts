import type { RpcContext } from './context.ts';

/** Maps the items in order. A pause after each lets other work run: an item may be a whole block to read. */
export async function mapPaused<T, R>(
  { pause }: Pick<RpcContext, 'pause'>,
  items: readonly T[],
  map: (item: T) => R,
): Promise<readonly R[]> {
  const mapped: R[] = [];
  for (const item of items) {
    mapped.push(map(item));
    await pause?.();
  }
  return mapped;
}
