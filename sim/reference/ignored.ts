import { type Bytes, concat } from '../../core/lib/bytes.ts';

/** The number of cosmos.tx.v1beta1.TxBody.non_critical_extension_options, which everybody knows. */
const OPTIONS = 2047n;

/** A body without what says of itself that it may be ignored: fields 1024 to 2047 of each 2048 (ADR-020). */
export function withoutIgnored(body: Bytes): Bytes {
  const kept: Bytes[] = [];
  for (let at = 0; at < body.length; ) {
    const [tag, afterTag] = varintAt(body, at);
    const [length, afterLength] = varintAt(body, afterTag);
    const ends = [afterLength, afterTag + 8, afterLength + Number(length)];
    const end = (tag & 7n) === 5n ? afterTag + 4 : ends[Number(tag & 7n)];
    if (end === undefined || end > body.length) return body;
    const number = tag >> 3n;
    if (number % 2048n < 1024n || number === OPTIONS) kept.push(body.subarray(at, end));
    at = end;
  }
  return concat(...kept);
}

/** With the place behind it. */
function varintAt(bytes: Bytes, start: number): readonly [bigint, number] {
  let value = 0n;
  let at = start;
  do value |= BigInt((bytes[at] ?? 0) & 127) << BigInt(7 * (at - start));
  while ((bytes[at++] ?? 0) > 127);
  return [value, at];
}
