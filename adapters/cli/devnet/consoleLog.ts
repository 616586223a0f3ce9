import { format } from 'node:util';
import { toEip55 } from '../../../core/address/eip55.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { type Bytes, equalBytes, hex, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { Address } from '../../../core/types/ids.ts';
import { oneLine } from '../../log/logger.ts';

/** Address to which hardhat's console.sol sends its lines ("console.log" in ASCII). There is no contract. */
const CONSOLE_ADDRESS = '000000000000000000636f6e736f6c652e6c6f67';

const BASIC = ['uint256', 'string', 'bool', 'address'] as const;
const PARAMETERS_MAX = 4;
/** console.sol before 2023 hashed the short names of types. */
const SHORT: Readonly<Record<string, string>> = { uint256: 'uint', int256: 'int' };

/** All lists of up to four basic types, plus the single-argument types of console.sol. */
function signatures(): readonly (readonly string[])[] {
  let lists: string[][] = [[]];
  const all: string[][] = [[], ['int256'], ['bytes']];
  for (let size = 1; size <= 32; size++) all.push([`bytes${size}`]);
  for (let count = 1; count <= PARAMETERS_MAX; count++) {
    lists = lists.flatMap((list) => BASIC.map((type) => [...list, type]));
    all.push(...lists);
  }
  return all;
}

const wordAt = (args: Bytes, at: number): Bytes | undefined =>
  at + 32 > args.length ? undefined : args.subarray(at, at + 32);

const numberOf = (word: Bytes): bigint => BigInt(to0xHex(word));

function tailAt(args: Bytes, word: Bytes): Bytes | undefined {
  const start = numberOf(word);
  if (start > BigInt(args.length)) return undefined;
  const size = wordAt(args, Number(start));
  const from = Number(start) + 32;
  if (size === undefined || numberOf(size) > BigInt(args.length - from)) return undefined;
  return args.subarray(from, from + Number(numberOf(size)));
}

function valueAt(args: Bytes, index: number, type: string): unknown {
  const word = wordAt(args, index * 32);
  if (word === undefined) return undefined;
  if (type === 'uint256') return numberOf(word);
  if (type === 'int256') return BigInt.asIntN(256, numberOf(word));
  if (type === 'bool') return numberOf(word) !== 0n;
  if (type === 'address') return toEip55(word.subarray(12));
  if (type !== 'string' && type !== 'bytes') return to0xHex(word.subarray(0, Number(type.slice(5))));
  const tail = tailAt(args, word);
  if (tail === undefined) return undefined;
  return type === 'bytes' ? to0xHex(tail) : (decodeUtf8(tail) ?? to0xHex(tail));
}

/** Decodes calls of hardhat's console.sol. */
export class ConsoleLog {
  readonly #types = new Map<string, readonly string[]>();

  constructor({ keccak256 }: Pick<CryptoSuite, 'keccak256'>) {
    const add = (names: readonly string[], types: readonly string[]): void => {
      const hash = keccak256(encodeUtf8(`log(${names.join(',')})`));
      this.#types.set(toHex(hash.subarray(0, 4)), types);
    };
    for (const types of signatures()) {
      add(
        types.map((type) => SHORT[type] ?? type),
        types,
      );
      add(types, types);
    }
  }

  /** The logged line, with `%s` and `%d` filled in as in Node; undefined if the input is not a console.sol call. */
  line(input: Bytes): string | undefined {
    const types = this.#types.get(toHex(input.subarray(0, 4)));
    if (types === undefined) return undefined;
    const values = types.map((type, i) => valueAt(input.subarray(4), i, type));
    if (values.includes(undefined)) return undefined;
    const shown = values.map((value) => (typeof value === 'bigint' ? value.toString() : value));
    return format(...shown);
  }
}

const CONSOLE = hex(CONSOLE_ADDRESS);

/** Maximum lines kept of one execution. */
const LINES_MAX = 256;

/** The lines that one execution logs through the console. */
export class ConsoleLines {
  readonly lines: string[] = [];
  readonly #console: ConsoleLog;

  constructor(console: ConsoleLog) {
    this.#console = console;
  }

  called(to: Address, input: Bytes): void {
    if (this.lines.length >= LINES_MAX || !equalBytes(to, CONSOLE)) return;
    const line = this.#console.line(input);
    if (line !== undefined) this.lines.push(line);
  }

  /** The lines for the terminal. */
  shown(): readonly string[] {
    const shown = this.lines.map((line) => oneLine(`    console.log: ${line}`));
    return this.lines.length < LINES_MAX ? shown : [...shown, '    console.log: more lines are not shown'];
  }
}
