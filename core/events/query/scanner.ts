import { err, ok, type Result } from '../../lib/result.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import { parseDate, parseTime } from './time.ts';
import type { Token, TokenKind } from './token.ts';

/** `eof` ends the input between tokens. In the middle of a string it is an ordinary error. */
export interface ScanError {
  readonly eof: boolean;
  /** Offset, in UTF-8 bytes, of the token that could not be read. */
  readonly offset: number;
  readonly message: string;
}

const isSpace = (rune: string): boolean =>
  /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/u.test(rune);
const isDigit = (rune: string): boolean => rune >= '0' && rune <= '9' && rune.length === 1;
const isTagStart = (rune: string): boolean => rune === '_' || /^[\p{L}\p{Nd}]$/u.test(rune);
const isTagRune = (rune: string): boolean => rune === '.' || rune === '-' || isTagStart(rune);
const isTimeRune = (rune: string): boolean => isDigit(rune) || '-T:+Z'.includes(rune);

const WORDS: Readonly<Record<string, TokenKind>> = { AND: 'and', EXISTS: 'exists', CONTAINS: 'contains' };
const YEAR_MIN = 1900;
const YEAR_MAX = 2999;

/** Splits a query into tokens, by CometBFT's grammar. One rune of look-ahead, no backtracking. */
export class Scanner {
  readonly #runes: readonly string[];
  #index = 0;
  #offset = 0;

  constructor(text: string) {
    this.#runes = [...text];
  }

  next(): Result<Token, ScanError> {
    this.#takeWhile(isSpace);
    const offset = this.#offset;
    const rune = this.#peek();
    if (rune === undefined) return err({ eof: true, offset, message: 'EOF' });
    if (isDigit(rune)) return ok({ kind: 'number', text: this.#number(), offset });
    if (isTagStart(rune)) return this.#tagLike(offset);
    if (rune === "'") return this.#string(offset);
    this.#take();
    if (rune === '=') return ok({ kind: '=', text: '=', offset });
    if (rune === '<' || rune === '>') {
      const kind = this.#peek() === '=' ? (`${rune}=` as const) : rune;
      if (kind !== rune) this.#take();
      return ok({ kind, text: kind, offset });
    }
    return err({ eof: false, offset, message: `invalid input ${rune} at offset ${this.#offset}` });
  }

  #peek(): string | undefined {
    return this.#runes[this.#index];
  }

  #take(): string {
    const rune = this.#runes[this.#index++] as string;
    this.#offset += rune.length === 1 && rune < '\u0080' ? 1 : encodeUtf8(rune).length;
    return rune;
  }

  #takeWhile(accepts: (rune: string) => boolean): string {
    const start = this.#index;
    for (let rune = this.#peek(); rune !== undefined && accepts(rune); rune = this.#peek()) this.#take();
    return this.#runes.slice(start, this.#index).join('');
  }

  #number(): string {
    const whole = this.#takeWhile(isDigit);
    return this.#peek() === '.' ? whole + this.#take() + this.#takeWhile(isDigit) : whole;
  }

  #string(offset: number): Result<Token, ScanError> {
    this.#take();
    const text = this.#takeWhile((rune) => rune !== "'");
    if (this.#peek() === undefined) return err({ eof: false, offset, message: 'EOF' });
    this.#take();
    return ok({ kind: 'string', text, offset });
  }

  #tagLike(offset: number): Result<Token, ScanError> {
    const text = this.#takeWhile(isTagRune);
    if ((text === 'TIME' || text === 'DATE') && this.#peek() === ' ') {
      this.#take();
      return this.#stamp(text, offset);
    }
    return ok({ kind: WORDS[text] ?? 'tag', text, offset });
  }

  #stamp(label: 'TIME' | 'DATE', offset: number): Result<Token, ScanError> {
    const text = this.#takeWhile(label === 'TIME' ? isTimeRune : (rune) => isDigit(rune) || rune === '-');
    const value = label === 'TIME' ? parseTime(text) : parseDate(text);
    const year = Number(text.slice(0, 4));
    if (value === undefined) {
      const layout = label === 'TIME' ? '2006-01-02T15:04:05Z07:00' : '2006-01-02';
      const message = `invalid ${label} value: parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse`;
      return err({ eof: false, offset, message });
    }
    if (year < YEAR_MIN || year > YEAR_MAX) {
      const name = label === 'TIME' ? 'timestamp' : 'datestamp';
      return err({ eof: false, offset, message: `${name} year ${year} out of range` });
    }
    return ok({ kind: label === 'TIME' ? 'time' : 'date', text, offset });
  }
}
