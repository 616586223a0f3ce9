import fc from 'fast-check';

/** A decoder or parser of untrusted input. */
export interface FuzzTarget {
  readonly name: string;
  readonly doc: string;
  /** Fails by throwing. Any answer of the target is fine, as long as it answers. */
  property(): Promise<FuzzProperty> | FuzzProperty;
}

export type FuzzProperty = fc.IRawProperty<unknown[]>;

/** A property of one arbitrary. */
export const holds = <T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => void): FuzzProperty =>
  fc.property(arbitrary, (value) => {
    check(value);
  }) as unknown as FuzzProperty;

/** Like `holds`, for an asynchronous check. Used only where needed: a promise per case costs as much as many checks. */
export const holdsLater = <T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => Promise<void>): FuzzProperty =>
  fc.asyncProperty(arbitrary, check) as unknown as FuzzProperty;

/** Bytes of a fixed length, generated four at a time. */
export const bytesOf = (length: number): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(...Array.from({ length: Math.ceil(length / 4) }, () => fc.integer()))
    .map((words) => new Uint8Array(Int32Array.from(words).buffer, 0, length).slice());

/**
 * For values that are expensive to make: makes up to `count` of them on first use and reuses them. What a case does
 * with them (damage, order, combination) still varies each time.
 */
export function drawnFrom<T>(count: number, make: (i: number) => T): fc.Arbitrary<T> {
  const made = new Map<number, T>();
  return fc.nat({ max: count - 1 }).map((i) => {
    const known = made.get(i);
    if (known !== undefined) return known;
    const one = make(i);
    made.set(i, one);
    return one;
  });
}

/** True for one case in 64: slow work, such as key derivation, runs only in those. */
export const seldom: fc.Arbitrary<boolean> = fc.nat({ max: 63 }).map((n) => n === 0);

/** An error of the target; the message describes it. */
export class Disagreement extends Error {}

export function agree(what: string, ours: unknown, theirs: unknown): void {
  if (ours === theirs) return;
  const [a, b] = [ours, theirs].map((one) => JSON.stringify(one));
  if (a !== b) throw new Disagreement(`${what}: ${a} is not ${b}`);
}

type Change = readonly [at: number, kind: number, letter: string];

const change: fc.Arbitrary<Change> = fc.tuple(
  fc.nat(),
  fc.integer({ min: 0, max: 3 }),
  // Mostly printable characters, some controls, and some that take two bytes.
  fc
    .integer({ min: 0, max: 159 })
    .map((code) => String.fromCharCode(code < 128 ? (code + 0x20) % 128 : code + 0x40)),
);

function changed(text: string, [at, kind, letter]: Change): string {
  const i = text.length === 0 ? 0 : at % text.length;
  if (kind === 0) return text.slice(0, i) + letter + text.slice(i + 1);
  if (kind === 1) return text.slice(0, i) + text.slice(i + 1);
  if (kind === 2) return text.slice(0, i) + letter + text.slice(i);
  return text.slice(0, i) + (text[i] ?? '').toUpperCase() + text.slice(i + 1);
}

/** A text with a few characters changed, dropped or inserted: closer to valid input than random text. */
export const damaged = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.array(change, { maxLength: 3 }))
    .map(([whole, changes]) => changes.reduce(changed, whole));

const byteChange = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.boolean());

/** Like `damaged`, for bytes. */
export const damagedBytes = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(bytes, fc.array(byteChange, { maxLength: 3 })).map(([whole, changes]) => {
    const out = whole.slice();
    let { length } = out;
    for (const [at, byte, isCut] of changes) {
      const i = length === 0 ? 0 : at % length;
      if (!isCut && i < length) out[i] = byte;
      else if (isCut && i < length) {
        out.copyWithin(i, i + 1, length);
        length -= 1;
      }
    }
    return out.subarray(0, length);
  });
