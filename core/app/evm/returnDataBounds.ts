import { type EVM, EVMError } from '@ethereumjs/evm';
import { opcodeOf } from './opcodes.ts';

const CALLDATACOPY = 0x37;
const RETURNDATACOPY = 0x3e;

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
    if (offset + length > frame.interpreter.getReturnDataSize())
      throw new EVMError(EVMError.errorMessages.OUT_OF_RANGE);
    return copy(frame, common);
  };
}
