import { type EVM, EVMError } from '@ethereumjs/evm';
import { opcodeOf } from './opcodes.ts';

const CALLDATACOPY = 0x37;
const RETURNDATACOPY = 0x3e;
/** geth's text. The library has one text for this error and for invalid BLAKE2F input. */
const OUT_OF_BOUNDS = 'return data out of bounds' as EVMError['error'];

/**
 * Makes RETURNDATACOPY beyond the returned data pay for its memory first and then fail with its own error (geth's
 * opReturnDataCopy). The library checks the bounds first and reports out of gas.
 */
export function boundReturnData(evm: EVM): void {
  const entry = opcodeOf(evm, RETURNDATACOPY);
  // CALLDATACOPY has the same price for the same operands.
  entry.gasHandler = opcodeOf(evm, CALLDATACOPY).gasHandler;
  const copy = entry.opHandler;
  entry.opHandler = (frame, common) => {
    const [, offset, length] = frame.stack.peek(3) as [bigint, bigint, bigint];
    if (offset + length > frame.interpreter.getReturnDataSize()) throw new EVMError(OUT_OF_BOUNDS);
    return copy(frame, common);
  };
}
