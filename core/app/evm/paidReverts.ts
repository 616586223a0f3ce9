import type { EVM } from '@ethereumjs/evm';
import { EMPTY } from '../../lib/bytes.ts';
import { opcodeOf } from './opcodes.ts';

const REVERT = 0xfd;

/**
 * Before a REVERT is paid for, the library shows listeners the data it would return, and allocates the memory for that.
 * For a REVERT that cannot be paid or lacks operands, this makes it read nothing: the frame ends here anyway and needs
 * neither memory nor operands.
 */
export function showPaidReverts(evm: EVM): void {
  const entry = opcodeOf(evm, REVERT);
  const costOf = entry.gasHandler;
  entry.gasHandler = async (frame, gas, common) => {
    let isPaid = false;
    try {
      const cost = await costOf(frame, gas, common);
      isPaid = cost <= frame.gasLeft;
      return cost;
    } finally {
      if (!isPaid) {
        frame.memory.read = () => EMPTY;
        frame.stack.peek = () => [0n, 0n];
      }
    }
  };
}
