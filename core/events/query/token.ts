/** Tokens of the CometBFT 0.38 query language, with their names in its error texts. */
export const TOKEN_NAMES = {
  invalid: 'invalid token',
  tag: 'tag',
  string: 'string',
  number: 'number',
  time: 'timestamp',
  date: 'datestamp',
  and: 'AND operator',
  contains: 'CONTAINS operator',
  exists: 'EXISTS operator',
  '=': '= operator',
  '<': '< operator',
  '<=': '<= operator',
  '>': '> operator',
  '>=': '>= operator',
} as const;

export type TokenKind = keyof typeof TOKEN_NAMES;
export type CompareOp = '=' | '<' | '<=' | '>' | '>=';

export interface Token {
  readonly kind: TokenKind;
  /** The text without quotes and without the label TIME or DATE. */
  readonly text: string;
  /** Offset of the first byte in UTF-8, as the error texts count it. */
  readonly offset: number;
}
