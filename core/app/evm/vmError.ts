import type { Bytes } from '../../lib/bytes.ts';

/** Library texts of exceptional halts → geth's, which clients and tests match on. */
const GETH_TEXT: ReadonlyMap<string, string> = new Map([
  ['out of gas', 'out of gas'],
  ['code size to deposit exceeds maximum code size', 'max code size exceeded'],
  ['stack underflow', 'stack underflow'],
  ['stack overflow', 'stack limit reached 1024 (1023)'],
  ['invalid JUMP', 'invalid jump destination'],
  // Of BLAKE2F alone.
  ['value out of range', 'invalid input length'],
  ['revert', 'execution reverted'],
  ['static state change', 'write protection'],
  ['create collision', 'contract address collision'],
  ['insufficient balance', 'insufficient balance for transfer'],
  ['invalid bytecode deployed', 'invalid code: must not begin with 0xef'],
  ['initcode exceeds max initcode size', 'max initcode size exceeded'],
]);

export const REVERTED = 'execution reverted';

/** Where a frame of the library stands. */
interface Halted {
  readonly code: Bytes;
  readonly programCounter: number;
}

/** geth's wording. An instruction that is not there is told by its byte: past a jump the library itself takes each for INVALID. */
export function gethVmError(libraryText: string, frame: Halted | undefined): string {
  // The library says where a jump went wrong as well, which is nothing of consensus.
  const text = libraryText.split(' at ')[0] ?? libraryText;
  if (text !== 'invalid opcode') return GETH_TEXT.get(text) ?? text;
  const opcode = frame?.code[frame.programCounter];
  if (opcode === undefined || opcode === 0xfe) return 'invalid opcode: INVALID';
  return `invalid opcode: opcode 0x${opcode.toString(16)} not defined`;
}
