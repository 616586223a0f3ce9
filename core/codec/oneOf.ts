import { AssertionError } from '../lib/assert.ts';
import type { Shape } from './proto.ts';
import type { Reader } from './wire.ts';
import type { Writer } from './writer.ts';

/** A case of a union: its field number in the oneof, its `kind` in our types, and its message. */
// biome-ignore lint/suspicious/noExplicitAny: the cases of one union have different types.
export type OneOfCase = readonly [number: number, kind: string, shape: Shape<any>];

export interface OneOf<T> extends Shape<T> {
  readonly cases: readonly OneOfCase[];
}

/**
 * A message that consists only of a oneof of messages, as a union of our types with `kind`. Exactly one case must be
 * set. With `unknown: 'ignore'`, fields with other numbers are skipped.
 */
export function oneOf<T extends { readonly kind: string }>(
  name: string,
  cases: readonly OneOfCase[],
  options: { readonly unknown?: 'refuse' | 'ignore' } = {},
): OneOf<T> {
  const byKind = new Map(cases.map((one) => [one[1], one]));
  const byNumber = new Map(cases.map((one) => [one[0], one]));
  return {
    name,
    cases,
    write(writer: Writer, value: T) {
      const found = byKind.get(value.kind);
      if (found === undefined) throw new AssertionError(`${name} has no case ${value.kind}`);
      const [number, , shape] = found;
      writer.uint32(number * 8 + 2);
      const mark = writer.open();
      shape.write(writer, value);
      writer.close(mark);
    },
    read(reader: Reader): T {
      let value: T | undefined;
      for (let tag = reader.peekTag(name); tag !== 0; tag = reader.peekTag(name)) {
        const found = byNumber.get(tag >>> 3);
        if (found === undefined) {
          if (options.unknown === 'ignore') reader.skip(name);
          else reader.fail(name, `unknown field ${tag >>> 3}`);
          continue;
        }
        if ((tag & 7) !== 2) reader.fail(name, `wire type ${tag & 7}, expected 2`);
        if (value !== undefined) reader.fail(name, 'more than one case is set');
        reader.uint32(name);
        const outer = reader.enter(name, reader.end);
        value = found[2].read(reader) as T;
        reader.leave(name, outer);
      }
      if (value === undefined) reader.fail(name, 'no known case is set');
      return value as T;
    },
  };
}
