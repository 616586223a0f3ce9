import type { Common } from '@ethereumjs/common';
import { type EVM, EVMError } from '@ethereumjs/evm';
import { constantGas, isUnpriced, stackFault } from './instructionChecks.ts';
import { opcodeOf, type RunState } from './opcodes.ts';
import { addressOfWord } from './refusedFrame.ts';

const SSTORE = 0x55;
const [CREATE, CREATE2, SELFDESTRUCT] = [0xf0, 0xf5, 0xff];
const CALL = 0xf1;
const CALLS: ReadonlySet<number> = new Set([CALL, 0xf2, 0xf4, 0xfa]);
const COLD_ACCOUNT_GAS = 2600n;
/** SSTORE fails when no more gas than this is left (EIP-2200). */
const SENTRY_GAS = 2300n;
/** Maximum bytes of init code (EIP-3860). */
const INIT_CODE_MAX = 49_152n;
const { OUT_OF_GAS, STATIC_STATE_CHANGE } = EVMError.errorMessages;

/** Thrown for an instruction whose constant gas is not left. */
export const CONSTANT_GAS_UNPAID = 'constant gas unpaid';
/** Instructions whose checks belong to the computation of their price. */
const PRICED_IN_STEPS: readonly number[] = [SSTORE, CREATE, CREATE2, SELFDESTRUCT, ...CALLS];
/** The other instructions that use memory and have a constant gas. */
const USING_MEMORY: readonly number[] = [0x20, 0x37, 0x39, 0x3c, 0x3e, 0x51, 0x52, 0x53, 0x5e];

const isCall = (code: number): boolean => CALLS.has(code);

function callsColdAccount({ stack, interpreter }: RunState): boolean {
  const [, called = 0n] = stack.peek(2);
  return !interpreter.journal.isWarmedAddress(addressOfWord(called));
}

const unpaid = (): EVMError => new EVMError(CONSTANT_GAS_UNPAID as EVMError['error']);
const refusal = (why: string): EVMError => new EVMError(`${OUT_OF_GAS}: ${why}` as EVMError['error']);

/**
 * Makes SSTORE, creations, calls and SELFDESTRUCT that cannot be paid fail with geth's text. geth computes their price
 * in steps and reports the step that failed; the library only reports out of gas.
 */
export function explainOutOfGas(evm: EVM): void {
  for (const code of PRICED_IN_STEPS) {
    const entry = opcodeOf(evm, code);
    const costOf = entry.gasHandler;
    entry.gasHandler = async (frame, gas, common) => {
      const had = frame.gasLeft;
      const isTooCold = isCall(code) && had < COLD_ACCOUNT_GAS && callsColdAccount(frame);
      let cost = 0n;
      let failure: EVMError | undefined;
      try {
        cost = await costOf(frame, gas, common);
      } catch (error) {
        if (!(error instanceof EVMError)) throw error;
        failure = error;
      }
      const isKnown = failure === undefined || [OUT_OF_GAS, STATIC_STATE_CHANGE].includes(failure.error);
      if (isKnown && had < constantGas(code, gas)) throw unpaid();
      const why = isKnown ? whyNot(code, frame, { had, cost, failure, isTooCold }, common) : undefined;
      if (why !== undefined) throw refusal(why);
      if (failure !== undefined) throw failure;
      return cost;
    };
  }
}

/** Makes the other instructions that use memory charge their constant gas first; the library charges all at once. */
export function chargeConstantGasFirst(evm: EVM): void {
  for (const code of USING_MEMORY) {
    const entry = opcodeOf(evm, code);
    const costOf = entry.gasHandler;
    entry.gasHandler = (frame, gas, common) => {
      const isUnpaid = frame.gasLeft < constantGas(code, gas);
      if (isUnpaid && stackFault(code, frame.stack.getStack()) === undefined) throw unpaid();
      return costOf(frame, gas, common);
    };
  }
}

interface Charge {
  readonly had: bigint;
  readonly cost: bigint;
  readonly failure: EVMError | undefined;
  /** For calls: whether the gas does not even cover the access to the cold account that is called. */
  readonly isTooCold: boolean;
}

/** geth's reason; undefined if the instruction can run, or if only its total price is too high. */
function whyNot(
  code: number,
  frame: RunState,
  { had, cost, failure, isTooCold }: Charge,
  rules: Common,
): string | undefined {
  if (failure?.error === STATIC_STATE_CHANGE) return 'write protection';
  const isUnpaid = failure !== undefined || cost > had;
  if (code === SSTORE) return had <= SENTRY_GAS ? 'not enough gas for reentrancy sentry' : undefined;
  if (code === SELFDESTRUCT) {
    // The price is 5000, plus 25,000 for a new account, plus 2600 for a cold one: only the last is no multiple of 1000.
    const isCold = cost % 1000n !== 0n;
    return isUnpaid && isCold && had < 5000n + COLD_ACCOUNT_GAS ? OUT_OF_GAS : undefined;
  }
  if (isTooCold) return OUT_OF_GAS;
  if (isUnpriced(code, frame.stack.getStack())) return 'gas uint64 overflow';
  // CALL was always charged in steps; the other calls are, too, since they resolve delegations (EIP-7702).
  if (isCall(code)) return isUnpaid && (code === CALL || rules.isActivatedEIP(7702)) ? OUT_OF_GAS : undefined;
  const [, , size = 0n] = frame.stack.peek(3);
  return rules.isActivatedEIP(3860) && size > INIT_CODE_MAX
    ? `max initcode size exceeded: code size ${size} limit ${INIT_CODE_MAX}`
    : undefined;
}
