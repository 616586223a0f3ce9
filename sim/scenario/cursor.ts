import { isMap, isScalar, isSeq, type LineCounter, type Node, type Scalar, stringify } from 'yaml';
import { nearest } from '../../core/lib/nearest.ts';

/** Why a scenario file is refused: the place, and what was expected there. */
export interface ScenarioError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Ends parsing; only `readYaml` catches it. */
export class Refused extends Error {
  readonly detail: ScenarioError;
  constructor(detail: ScenarioError) {
    super(detail.message);
    this.detail = detail;
  }
}

interface Defaults {
  readonly values: Cursor;
  readonly isOf: 'entries' | 'self';
}

/** Names that a document defines. Every place in it shares them. */
interface Names {
  /** Names that stand for several nodes. */
  readonly groups: Map<string, readonly string[]>;
  /** Moments of the timeline that other entries can wait for. */
  readonly checkpoints: Set<string>;
}

/** A place in a YAML document, with readers that refuse anything but what they are asked for. */
export class Cursor {
  readonly path: string;
  readonly names: Names;
  readonly #node: Node | null;
  readonly #offset: number;
  readonly #lines: LineCounter;
  /** Defaults for entries, and whether this place is such an entry or the section of the entries. */
  readonly #defaults: Defaults | undefined;

  constructor(
    node: Node | null,
    offset: number,
    path: string,
    lines: LineCounter,
    names: Names = { groups: new Map(), checkpoints: new Set() },
    defaults?: Defaults,
  ) {
    this.#node = node;
    this.#offset = node?.range?.[0] ?? offset;
    this.path = path;
    this.names = names;
    this.#lines = lines;
    this.#defaults = defaults;
  }

  /** This place with keys that each of its entries has unless it says otherwise. */
  giving(values: Cursor | undefined): Cursor {
    if (values === undefined) return this;
    const defaults = { values, isOf: 'entries' } as const;
    return new Cursor(this.#node, this.#offset, this.path, this.#lines, this.names, defaults);
  }

  /** Default keys for the entries of this place, if it stands for entries without naming them. */
  common<K extends string>(keys: readonly K[], expected: string): Partial<Record<K, Cursor>> {
    return this.#defaults?.values.fields(keys, expected) ?? {};
  }

  #child(node: Node | null, offset: number, path: string): Cursor {
    const defaults =
      this.#defaults?.isOf === 'entries' ? { ...this.#defaults, isOf: 'self' as const } : undefined;
    return new Cursor(node, offset, path, this.#lines, this.names, defaults);
  }

  /** Ends parsing with an error at this place. */
  fail(expected: string): never {
    const { line, col } = this.#lines.linePos(this.#offset);
    const where = this.path === '' ? '' : `${this.path}: `;
    throw new Refused({ line, column: col, message: `${where}${expected}` });
  }

  /** Whether the map itself has the key, not only the defaults of its section. */
  says(key: string): boolean {
    return isMap(this.#node) && this.#node.has(key);
  }

  /** The value as it is written, unchecked. */
  get plain(): unknown {
    return this.#node?.toJSON();
  }

  get isMap(): boolean {
    return isMap(this.#node);
  }

  get isList(): boolean {
    return isSeq(this.#node);
  }

  get isText(): boolean {
    return isScalar(this.#node) && typeof this.#node.value === 'string';
  }

  /** The entries of a map, in file order. */
  entries(expected: string): readonly (readonly [string, Cursor])[] {
    const node = this.#node;
    if (!isMap(node)) this.fail(`expected ${expected}`);
    return node.items.map((pair) => {
      const key = pair.key as Node;
      const place = new Cursor(key, this.#offset, this.path, this.#lines);
      if (!isScalar(key) || (typeof key.value !== 'string' && typeof key.value !== 'number')) {
        return place.fail('expected a name as key');
      }
      const name = String(key.value);
      const value = pair.value as Node | null;
      return [name, this.#child(value, key.range?.[0] ?? this.#offset, this.#below(name))] as const;
    });
  }

  /** A map with none but the given keys. */
  fields<K extends string>(keys: readonly K[], expected: string): Partial<Record<K, Cursor>> {
    const out: Partial<Record<K, Cursor>> = {};
    const node = this.#node;
    if (!isMap(node)) this.fail(`expected ${expected}`);
    for (const [i, [name, value]] of this.entries(expected).entries()) {
      const key = keys.find((known) => known === name);
      if (key === undefined) {
        const place = new Cursor(node.items[i]?.key as Node, this.#offset, this.path, this.#lines);
        return place.fail(`unknown key "${name}", expected one of ${keys.join(', ')}${nearest(name, keys)}`);
      }
      out[key] = value;
    }
    if (this.#defaults?.isOf !== 'self') return out;
    const given = this.#defaults.values.fields(keys, expected);
    return { ...given, ...out };
  }

  items(expected: string): readonly Cursor[] {
    const node = this.#node;
    if (!isSeq(node)) this.fail(`expected ${expected}`);
    return node.items.map((item, i) => this.#child(item as Node, this.#offset, `${this.path}[${i}]`));
  }

  text(expected: string): string {
    const value = this.#scalar();
    if (typeof value !== 'string' || value === '') this.fail(`expected ${expected}`);
    return value;
  }

  /** A whole number within bounds. */
  integer(expected: string, min: number, max: number): number {
    const value = this.#scalar();
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
      this.fail(`expected ${expected}, a whole number ${min}..${max}`);
    }
    return value;
  }

  boolean(expected: string): boolean {
    const value = this.#scalar();
    if (typeof value !== 'boolean') this.fail(`expected ${expected}, true or false`);
    return value;
  }

  oneOf<T extends string>(values: readonly T[], expected: string): T {
    const value = this.#scalar();
    // YAML reads the words true and false as booleans.
    const word = typeof value === 'boolean' ? String(value) : value;
    const found = values.find((one) => one === word);
    if (found === undefined)
      this.fail(`expected ${expected}, one of ${values.join(', ')}${nearest(String(word), values)}`);
    return found;
  }

  /** The scalar as written: text, number or boolean; undefined for anything else. */
  raw(): string | number | boolean | undefined {
    const value = this.#scalar();
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : undefined;
  }

  /** The same as text, spelled as in the file: a number keeps its digits. */
  spelled(): string | undefined {
    return this.raw() === undefined ? undefined : (this.#node as Scalar).source;
  }

  /** The value on one line, without the braces around it. */
  written(): string {
    const value = isMap(this.#node) || isSeq(this.#node) ? this.#node.toJSON() : this.#scalar();
    const text = stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 });
    return text.trim().replace(/^\{(.*)\}$/, '$1');
  }

  #scalar(): unknown {
    return isScalar(this.#node) ? this.#node.value : undefined;
  }

  #below(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}
