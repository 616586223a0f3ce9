import fc from 'fast-check';

/** One thing that reads what others wrote. */
export interface FuzzTarget {
  readonly name: string;
  readonly doc: string;
  /** Fails by throwing: what the target answers is its own business as long as it answers. */
  property(): Promise<FuzzProperty> | FuzzProperty;
}

export type FuzzProperty = fc.IRawProperty<unknown[]>;

/** A property over one arbitrary. */
export const holds = <T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => void): FuzzProperty =>
  fc.property(arbitrary, (value) => {
    check(value);
  }) as unknown as FuzzProperty;

/** The same where the check has to wait: a promise a case costs as much as many a check. */
export const holdsLater = <T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => Promise<void>): FuzzProperty =>
  fc.asyncProperty(arbitrary, check) as unknown as FuzzProperty;

/** Bytes of one length, drawn four at a time. */
export const bytesOf = (length: number): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(...Array.from({ length: Math.ceil(length / 4) }, () => fc.integer()))
    .map((words) => new Uint8Array(Int32Array.from(words).buffer, 0, length).slice());

/**
 * Values of which making one is dear: `count` of them are made when first drawn, and drawn again from then on. What a
 * case does with them (damage, order, company) is drawn anew each time.
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

/** True for one case in 64: work that is slow by design, such as drawing keys, is done for those alone. */
export const seldom: fc.Arbitrary<boolean> = fc.nat({ max: 63 }).map((n) => n === 0);

/** What is wrong with the target, in words. */
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
  // Mostly what one can print; also controls, and what takes two bytes.
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

/** A text with a character changed, dropped or doubled here and there: nearer to what is taken than any random one. */
export const damaged = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.array(change, { maxLength: 3 }))
    .map(([whole, changes]) => changes.reduce(changed, whole));

const byteChange = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.boolean());

/** The same for bytes. */
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
