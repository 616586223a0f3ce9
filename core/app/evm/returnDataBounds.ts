import { type EVM, EVMError } from '@ethereumjs/evm';
import { opcodeOf } from './opcodes.ts';

const CALLDATACOPY = 0x37;
const RETURNDATACOPY = 0x3e;
/** geth's words; the library has one text for this and for what it cannot compress (BLAKE2F). */
const OUT_OF_BOUNDS = 'return data out of bounds' as EVMError['error'];

/**
 * Whoever copies more than a call returned has paid for the memory first, and then hears what was wrong (geth's
 * opReturnDataCopy). The library looks at the bounds first and says that there was no gas.
 */
export function boundReturnData(evm: EVM): void {
  const entry = opcodeOf(evm, RETURNDATACOPY);
  // The same price, for the same operands.
  entry.gasHandler = opcodeOf(evm, CALLDATACOPY).gasHandler;
  const copy = entry.opHandler;
  entry.opHandler = (frame, common) => {
    const [, offset, length] = frame.stack.peek(3) as [bigint, bigint, bigint];
    if (offset + length > frame.interpreter.getReturnDataSize()) throw new EVMError(OUT_OF_BOUNDS);
    return copy(frame, common);
  };
}
