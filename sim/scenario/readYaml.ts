import {
  isAlias,
  isMap,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  type YAMLError,
} from 'yaml';
import { err, ok, type Result } from '../../core/lib/result.ts';
import { Cursor, Refused, type ScenarioError } from './cursor.ts';

const CHARACTERS_MAX = 1024 * 1024;
/** Lists and maps inside each other. */
const DEPTH_MAX = 32;
/** The same before anything is built, where every list and map takes up to three places. */
const OPEN_MAX = 3 * DEPTH_MAX + 3;
const TOO_DEEP = `expected at most ${DEPTH_MAX} lists and maps inside each other`;

/** Reads one YAML document with `read`; YAML errors and refusals come back as a value. */
export function readYaml<T>(text: string, read: (root: Cursor) => T): Result<T, ScenarioError> {
  if (text.length > CHARACTERS_MAX)
    return err({ line: 1, column: 1, message: `expected at most ${CHARACTERS_MAX} characters` });
  const deep = tooDeepAt(text);
  if (deep !== undefined) return err({ line: deep.line, column: deep.col, message: TOO_DEEP });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version: '1.2', merge: false, strict: true });
  const broken = document.errors[0] ?? document.warnings[0];
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0]);
    return err({
      line,
      column: col,
      message: yamlProblem(text, broken),
    });
  }
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
  if (code === 'MULTIPLE_DOCS')
    return 'expected one document: a second begins here, each is a file of its own';
  return `not YAML: ${(message.split('\n')[0] ?? '').replace(/ at line.*$/, '')}`;
}

const keyAt = (text: string, offset: number): string => /^[^:\n]{1,100}/.exec(text.slice(offset))?.[0] ?? '';

/** Aliases can make a small file huge; scenarios have no need of them, nor of many things inside each other. */
function refuseExcess(node: unknown, lines: LineCounter, depth: number): void {
  const fail = (message: string): never => new Cursor(node as Node, 0, '', lines).fail(message);
  if (isAlias(node)) fail('aliases are not allowed');
  if (depth > DEPTH_MAX) fail(TOO_DEEP);
  if (isMap(node)) for (const pair of node.items) refuseExcess(pair.value, lines, depth + 1);
  if (isSeq(node)) for (const item of node.items) refuseExcess(item, lines, depth + 1);
}

/** Where a text opens more than could be built without an end to the stack; undefined when it does not. */
function tooDeepAt(text: string): { readonly line: number; readonly col: number } | undefined {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > OPEN_MAX) return lines.linePos(parser.offset);
  }
  return undefined;
}
