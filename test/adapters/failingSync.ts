import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** Makes each sync of this kind fail with this error code. Returns what makes it work again; the test's end does, too. */
export function failingSync(kind: 'fdatasync' | 'fsync', code: string): () => void {
  const real = fs[kind];
  const put = (sync: unknown): void => {
    Object.assign(fs, { [kind]: sync });
    // Whoever imported the function by its name gets this one.
    syncBuiltinESMExports();
  };
  put((_fd: number, done: (error: Error) => void) =>
    process.nextTick(done, Object.assign(new Error(`${code}: ${kind}`), { code })),
  );
  const restore = () => put(real);
  onTestFinished(restore);
  return restore;
}
