import fc from 'fast-check';

/** One thing that reads what others wrote. */
export interface FuzzTarget {
  readonly name: string;
  readonly doc: string;
  /** Fails by throwing: what the target answers is its own business as long as it answers. */
  property(): Promise<fc.IAsyncPropertyWithHooks<unknown[]>> | fc.IAsyncPropertyWithHooks<unknown[]>;
}

/** A property over one arbitrary. */
export const holds = <T>(
  arbitrary: fc.Arbitrary<T>,
  check: (value: T) => void | Promise<void>,
): fc.IAsyncPropertyWithHooks<unknown[]> =>
  fc.asyncProperty(arbitrary, async (value) => {
    await check(value);
  }) as unknown as fc.IAsyncPropertyWithHooks<unknown[]>;

/** True for one case in 64: work that is slow by design, such as drawing keys, is done for those alone. */
export const seldom: fc.Arbitrary<boolean> = fc.nat({ max: 63 }).map((n) => n === 0);

/** What is wrong with the target, in words. */
export class Disagreement extends Error {}

export function agree(what: string, ours: unknown, theirs: unknown): void {
  const [a, b] = [ours, theirs].map((one) => JSON.stringify(one));
  if (a !== b) throw new Disagreement(`${what}: ${a} is not ${b}`);
}

/** A text with a character changed, dropped or doubled here and there: nearer to what is taken than any random one. */
export const damaged = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      text,
      fc.array(
        fc.tuple(fc.nat(), fc.integer({ min: 0, max: 3 }), fc.string({ minLength: 1, maxLength: 1 })),
        { maxLength: 3 },
      ),
    )
    .map(([whole, changes]) => {
      let out = whole;
      for (const [at, kind, letter] of changes) {
        const i = out.length === 0 ? 0 : at % out.length;
        if (kind === 0) out = out.slice(0, i) + letter + out.slice(i + 1);
        else if (kind === 1) out = out.slice(0, i) + out.slice(i + 1);
        else if (kind === 2) out = out.slice(0, i) + letter + out.slice(i);
        else out = out.slice(0, i) + (out[i] ?? '').toUpperCase() + out.slice(i + 1);
      }
      return out;
    });

/** The same for bytes. */
export const damagedBytes = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(
      bytes,
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.boolean()), { maxLength: 3 }),
    )
    .map(([whole, changes]) => {
      const out = [...whole];
      for (const [at, byte, isCut] of changes) {
        const i = out.length === 0 ? 0 : at % out.length;
        out.splice(i, 1, ...(isCut ? [] : [byte]));
      }
      return Uint8Array.from(out);
    });
