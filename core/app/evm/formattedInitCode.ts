import type { Common } from '@ethereumjs/common';
import type { EVM } from '@ethereumjs/evm';
import { bigIntToBytes, setLengthLeft } from '@ethereumjs/util';
import { present } from '../../lib/assert.ts';
import { opcodeOf, type RunState } from './opcodes.ts';

const CREATE = 0xf0;
const CREATE2 = 0xf5;
const SALT_BYTES = 32;

/**
 * Makes init code that begins with 0xef00 run like any other: its first instruction is invalid, so it takes all the gas
 * of the creation, and the creator's nonce is incremented (Yellow Paper §7). The library takes it for the object format
 * of EIP-3540, which no fork here has, and would refuse it without running it.
 */
export function runFormattedInitCode(evm: EVM): void {
  for (const code of [CREATE, CREATE2]) {
    const entry = opcodeOf(evm, code);
    const plain = entry.opHandler;
    entry.opHandler = (frame, common) =>
      isFormatted(frame, common) ? create(frame, code === CREATE2) : plain(frame, common);
  }
}

/** Whether the library would refuse the creation only because of its format. */
function isFormatted({ stack, memory, interpreter }: RunState, common: Common): boolean {
  const [, offset, length] = stack.peek(3) as [bigint, bigint, bigint];
  if (length < 2n || length > common.param('maxInitCodeSize') || interpreter.isStatic()) return false;
  const [first, second] = memory.read(Number(offset), 2);
  return first === 0xef && second === 0x00;
}

async function create(frame: RunState, isSalted: boolean): Promise<void> {
  const { stack, memory, interpreter } = frame;
  const [value, offset, length] = stack.popN(3) as [bigint, bigint, bigint];
  const gasLimit = present(frame.messageGasLimit, 'gas for the creation');
  frame.messageGasLimit = undefined;
  const code = memory.read(Number(offset), Number(length), true);
  if (!isSalted) {
    stack.push(await interpreter.create(gasLimit, value, code));
    return;
  }
  const [salt] = stack.popN(1) as [bigint];
  stack.push(
    await interpreter.create2(gasLimit, value, code, setLengthLeft(bigIntToBytes(salt), SALT_BYTES)),
  );
}
