/** CometBFT 0.38's query language, read and answered without the core's code, which is judged by it. */

/** Composite key (`type.attribute`) to its values. */
export type Keys = ReadonlyMap<string, readonly string[]>;
export type Matches = (keys: Keys) => boolean;

interface Condition {
  readonly tag: string;
  readonly isMet: (value: string) => boolean;
}

const CONDITION =
  /\s*([\p{L}_][\p{L}\p{Nd}._-]*)\s*(<=|>=|[<>=]|CONTAINS|EXISTS)\s*(?:'([^']*)'|(\d+(?:\.\d*)?))?\s*(AND|$)/uy;
const ADDRESS = /^0[xX][0-9a-fA-F]{40}$/;
const DECIMAL = /^(\d+)(?:\.(\d*))?/;
/** Decimal places that are compared. No value here has more. */
const PLACES = 80;

/** Reads a query. undefined if it cannot be read, such as one with a time, which no event here has. */
export function readQuery(text: string): Matches | undefined {
  const conditions: Condition[] = [];
  CONDITION.lastIndex = 0;
  for (let goesOn = true; goesOn; ) {
    const [whole, tag = '', op = '', quoted, number, next] = CONDITION.exec(text) ?? [];
    const isMet = whole === undefined ? undefined : test(op, quoted, number);
    if (isMet === undefined) return undefined;
    conditions.push({ tag, isMet });
    goesOn = next === 'AND';
  }
  return (keys) => conditions.every(({ tag, isMet }) => valuesOf(keys, tag).some(isMet));
}

/** The values of a key. The bare type of an event has the value '' if the event has an attribute. */
function valuesOf(keys: Keys, tag: string): readonly string[] {
  const isType = [...keys.keys()].some((key) => key.slice(0, key.lastIndexOf('.')) === tag);
  return [...((tag.includes('.') ? keys.get(tag) : undefined) ?? []), ...(isType ? [''] : [])];
}

function test(
  op: string,
  quoted: string | undefined,
  number: string | undefined,
): Condition['isMet'] | undefined {
  if (op === 'EXISTS') return quoted === undefined && number === undefined ? () => true : undefined;
  if (quoted !== undefined) {
    if (op === 'CONTAINS') return (value) => value.includes(quoted);
    return op === '=' ? (value) => spelled(value) === spelled(quoted) : undefined;
  }
  const wanted = number === undefined ? undefined : scaled(number);
  if (wanted === undefined || op === 'CONTAINS') return undefined;
  return (value) => {
    const has = scaled(value);
    if (has === undefined) return false;
    return (
      (has < wanted && op[0] === '<') ||
      (has > wanted && op[0] === '>') ||
      (has === wanted && op.endsWith('='))
    );
  };
}

/** An address is the same in upper and lower case. */
const spelled = (value: string): string => (ADDRESS.test(value) ? value.toLowerCase() : value);

/** The decimal number at the beginning of a text, scaled to a whole one. */
function scaled(text: string): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.slice(0, PLACES).padEnd(PLACES, '0'));
}
