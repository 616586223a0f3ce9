import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type YAMLError,
} from 'yaml';
import { err, ok, type Result } from '../../core/lib/result.ts';
import { Cursor, Refused, type ScenarioError } from './cursor.ts';

const CHARACTERS_MAX = 1024 * 1024;
/** Most lists and maps inside each other. */
const DEPTH_MAX = 32;
/** The same limit for the parser's stack, on which each list or map takes up to three places. */
const OPEN_MAX = 3 * DEPTH_MAX + 3;
const OPTIONS = { version: '1.2', merge: false, strict: true } as const;
const ONE_DOCUMENT = 'expected one document: a second begins here, each is a file of its own';
const TOO_DEEP = `expected at most ${DEPTH_MAX} lists and maps inside each other`;

/** Reads one YAML document with `read`; YAML errors and refusals come back as a value. */
export function readYaml<T>(text: string, read: (root: Cursor) => T): Result<T, ScenarioError> {
  if (text.length > CHARACTERS_MAX)
    return err({ line: 1, column: 1, message: `expected at most ${CHARACTERS_MAX} characters` });
  const lines = new LineCounter();
  const refuse = (offset: number, message: string): Result<T, ScenarioError> => {
    const { line, col } = lines.linePos(offset);
    return err({ line, column: col, message });
  };
  const parser = new Parser(lines.addNewLine);
  const tokens = tokensOf(text, parser, lines);
  if (tokens === undefined) return refuse(parser.offset, TOO_DEEP);
  const documents = new Composer(OPTIONS).compose(tokens, true, text.length);
  const document = documents.next().value as Document.Parsed;
  const second = documents.next().value as Document.Parsed | undefined;
  const [error] = document.errors;
  if (error === undefined && second !== undefined) return refuse(second.range[0], ONE_DOCUMENT);
  const broken = error ?? document.warnings[0];
  if (broken !== undefined) return refuse(broken.pos[0], yamlProblem(text, broken));
  try {
    refuseExcess(document.contents, lines, 0);
    return ok(read(new Cursor(document.contents, 0, '', lines)));
  } catch (error) {
    if (error instanceof Refused) return err(error.detail);
    throw error;
  }
}

function yamlProblem(text: string, { code, message, pos }: YAMLError): string {
  if (code === 'DUPLICATE_KEY') return `the key "${keyAt(text, pos[0])}" stands there twice`;
  return `not YAML: ${(message.split('\n')[0] ?? '').replace(/ at line.*$/, '')}`;
}

const keyAt = (text: string, offset: number): string => /^[^:\n]{1,100}/.exec(text.slice(offset))?.[0] ?? '';

/** Aliases can make a small file huge. Scenarios need neither aliases, with their anchors, nor deep nesting. */
function refuseExcess(node: unknown, lines: LineCounter, depth: number): void {
  const fail = (message: string): never => new Cursor(node as Node, 0, '', lines).fail(message);
  if (isAlias(node)) fail('aliases are not allowed');
  if (isNode(node) && 'anchor' in node && node.anchor !== undefined) fail('anchors are not allowed');
  if (depth > DEPTH_MAX) fail(TOO_DEEP);
  if (isMap(node))
    for (const { key, value } of node.items)
      for (const one of [key, value]) refuseExcess(one, lines, depth + 1);
  if (isSeq(node)) for (const item of node.items) refuseExcess(item, lines, depth + 1);
}

/** The tokens of the text; undefined if it nests too deep to be built without overflowing the stack. */
function tokensOf(text: string, parser: Parser, lines: LineCounter): readonly CST.Token[] | undefined {
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > OPEN_MAX) return undefined;
  }
  tokens.push(...parser.end());
  return tokens;
}
