export interface Token {
  readonly text: string;
  readonly offset: number;
}

const TOKEN = /\s*(?:(\d+(?:\.\d+)?[a-z]*)|([A-Za-z_][A-Za-z0-9_-]*)|(==|!=|<=|>=|[<>()+\-.,:]))/y;
const TOKENS_MAX = 1_000;

/** Ends parsing at an offset in the text. */
export class Stop extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  let end = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const word = match[1] ?? match[2] ?? match[3] ?? '';
    end = TOKEN.lastIndex;
    tokens.push({ text: word, offset: end - word.length });
  }
  if (tokens.length > TOKENS_MAX)
    throw new Stop(tokens[TOKENS_MAX]?.offset ?? 0, `expected at most ${TOKENS_MAX} words and signs`);
  if (text.slice(end).trim() !== '') throw new Stop(end, `cannot read "${text.slice(end).trim()}"`);
  return tokens;
}
