/** CometBFT 0.38's query language, read and answered without the core's words: it is judged by these. */

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
/** More digits behind the point than anything here has. */
const PLACES = 80;

/** What a query asks; undefined for one that cannot be read, such as one about times, which no event here has. */
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

/** The values of a key; a type of events without an attribute has the value '' where one of its attributes is. */
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

/** An address is the same in each of its spellings. */
const spelled = (value: string): string => (ADDRESS.test(value) ? value.toLowerCase() : value);

/** The number that a text begins with, as a whole one. */
function scaled(text: string): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.slice(0, PLACES).padEnd(PLACES, '0'));
}
