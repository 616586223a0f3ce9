import { type EVM, EVMError } from '@ethereumjs/evm';
import { opcodeOf } from './opcodes.ts';

const LOG0 = 0xa0;
const RETURN = 0xf3;
const [TOPICS_MAX, TOPIC_GAS, BYTE_GAS] = [4, 375n, 8n];
const { STATIC_STATE_CHANGE } = EVMError.errorMessages;

/** Charges a LOG before the check for a static call (geth's opLog); the library checks first. */
export function payForbiddenLogs(evm: EVM): void {
  // The price of the memory alone, for the same two operands.
  const memoryGas = opcodeOf(evm, RETURN).gasHandler;
  for (let topics = 0; topics <= TOPICS_MAX; topics++) {
    const entry = opcodeOf(evm, LOG0 + topics);
    const log = entry.opHandler;
    entry.gasHandler = async (frame, gas, common) => {
      const [, length = 0n] = frame.stack.peek(2 + topics);
      return (await memoryGas(frame, gas, common)) + TOPIC_GAS * BigInt(topics) + BYTE_GAS * length;
    };
    entry.opHandler = (frame, common) => {
      if (frame.interpreter.isStatic()) throw new EVMError(STATIC_STATE_CHANGE);
      return log(frame, common);
    };
  }
}
