import type { Bytes } from '../../lib/bytes.ts';
import { hasMemoryEndOverflow, isUnpriced, stackFault } from './instructionChecks.ts';
import { CONSTANT_GAS_UNPAID } from './outOfGasReasons.ts';
import { UNDEFINED_NAMES } from './undefinedNames.ts';

/** The library's texts of exceptional halts → geth's texts, which clients and tests match. */
const GETH_TEXT: ReadonlyMap<string, string> = new Map([
  ['out of gas', 'out of gas'],
  [CONSTANT_GAS_UNPAID, 'out of gas'],
  ['stack underflow', 'stack underflow'],
  ['stack overflow', 'stack limit reached 1024 (1023)'],
  ['invalid JUMP', 'invalid jump destination'],
  ['revert', 'execution reverted'],
  ['create collision', 'contract address collision'],
  ['insufficient balance', 'insufficient balance for transfer'],
  ['static state change', 'write protection'],
  ['invalid bytecode deployed', 'invalid code: must not begin with 0xef'],
]);

export const REVERTED = 'execution reverted';

/**
 * Whether the library failed before it ran the instruction. It checks gas, stack and memory in another order than geth.
 */
const isNotBegun = (text: string): boolean =>
  text.startsWith('out of gas') || text.startsWith('stack ') || text === 'static state change';

/** The library's frame at the halt. */
interface Halted {
  readonly code: Bytes;
  readonly programCounter: number;
  readonly opCode: number;
  readonly stack: { getStack(): readonly bigint[] };
}

/** An undefined instruction is named by its byte. After a jump the library itself treats each as INVALID. */
function invalidOpcode(frame: Halted | undefined): string {
  const opcode = frame?.code[frame.programCounter];
  if (opcode === undefined || opcode === 0xfe) return 'invalid opcode: INVALID';
  return `invalid opcode: ${UNDEFINED_NAMES.get(opcode) ?? `opcode 0x${opcode.toString(16)} not defined`}`;
}

/** geth's text for a library error. */
export function gethVmError(libraryText: string, frame: Halted | undefined): string {
  // The library appends where a jump went wrong; geth's text has no position.
  const text = libraryText.split(' at ')[0] ?? libraryText;
  if (text === 'invalid opcode') return invalidOpcode(frame);
  return (frame && isNotBegun(text) ? refusalOf(text, frame) : undefined) ?? GETH_TEXT.get(text) ?? text;
}

/** geth's reason why an instruction did not begin. */
function refusalOf(text: string, { opCode, stack }: Halted): string | undefined {
  const items = stack.getStack();
  const fault = stackFault(opCode, items);
  if (fault !== undefined) return fault;
  if (hasMemoryEndOverflow(opCode, items)) return 'gas uint64 overflow';
  return text === 'out of gas' && isUnpriced(opCode, items) ? 'out of gas: gas uint64 overflow' : undefined;
}
