/** Tokens of the CometBFT 0.38 query language, named as its error texts name them. */
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
  /** Text without quotes and without the TIME or DATE label. */
  readonly text: string;
  /** Offset of the first byte (UTF-8), as the errors count. */
  readonly offset: number;
}
