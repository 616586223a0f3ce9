import type { Common } from '@ethereumjs/common';
import { type EVM, EVMError } from '@ethereumjs/evm';
import { isUnpriced } from './demands.ts';
import { opcodeOf, type RunState } from './opcodes.ts';
import { addressOfWord } from './refusedFrame.ts';

const SSTORE = 0x55;
const [CREATE, CREATE2, SELFDESTRUCT] = [0xf0, 0xf5, 0xff];
const CALL = 0xf1;
const CALLS: ReadonlySet<number> = new Set([CALL, 0xf2, 0xf4, 0xfa]);
const COLD_ACCOUNT_GAS = 2600n;
/** What has to be left for a store (EIP-2200). */
const SENTRY_GAS = 2300n;
/** Bytes of init code (EIP-3860). */
const INIT_CODE_MAX = 49_152n;
const { OUT_OF_GAS, STATIC_STATE_CHANGE } = EVMError.errorMessages;

/** What these cost whatever they work on: geth takes it first, and only then asks what stands against them. */
const LEAST_GAS: ReadonlyMap<number, bigint> = new Map([
  [SSTORE, 0n],
  [CREATE, 32_000n],
  [CREATE2, 32_000n],
  [SELFDESTRUCT, 5000n],
  ...[...CALLS].map((call) => [call, 100n] as const),
]);

/** Whether what stands against it is found while its price is reckoned. */
export const isReckoned = (code: number): boolean => LEAST_GAS.has(code);

const isCall = (code: number): boolean => CALLS.has(code);

function callsColdAccount({ stack, interpreter }: RunState): boolean {
  const [, called = 0n] = stack.peek(2);
  return !interpreter.journal.isWarmedAddress(addressOfWord(called));
}

const refusal = (why: string): EVMError => new EVMError(`${OUT_OF_GAS}: ${why}` as EVMError['error']);

/**
 * Stores, creations, calls and destructions that cannot be paid say what geth says of them: it reckons their price in
 * steps, and where a step fails it tells of that one. The library knows only that there was no gas.
 */
export function tellWhatWasDear(evm: EVM): void {
  for (const [code, least] of LEAST_GAS) {
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
      if (isKnown && had < least) throw new EVMError(OUT_OF_GAS);
      const why = isKnown ? whyNot(code, frame, { had, cost, failure, isTooCold }, common) : undefined;
      if (why !== undefined) throw refusal(why);
      if (failure !== undefined) throw failure;
      return cost;
    };
  }
}

interface Reckoned {
  readonly had: bigint;
  readonly cost: bigint;
  readonly failure: EVMError | undefined;
  /** Of calls: whether there was not even gas to look at who is called. */
  readonly isTooCold: boolean;
}

/** Undefined when it goes on, or only the whole price is too much. */
function whyNot(
  code: number,
  frame: RunState,
  { had, cost, failure, isTooCold }: Reckoned,
  rules: Common,
): string | undefined {
  if (failure?.error === STATIC_STATE_CHANGE) return 'write protection';
  const isUnpaid = failure !== undefined || cost > had;
  if (code === SSTORE) return had <= SENTRY_GAS ? 'not enough gas for reentrancy sentry' : undefined;
  if (code === SELFDESTRUCT) {
    // 5000, and 25,000 for a new account; to look at a cold one first costs the 2600 that leave a rest.
    const isCold = cost % 1000n !== 0n;
    return isUnpaid && isCold && had < 5000n + COLD_ACCOUNT_GAS ? OUT_OF_GAS : undefined;
  }
  if (isTooCold) return OUT_OF_GAS;
  if (isUnpriced(code, frame.stack.getStack())) return 'gas uint64 overflow';
  // Since delegations can be called, each call takes its price in steps.
  if (isCall(code)) return isUnpaid && (code === CALL || rules.isActivatedEIP(7702)) ? OUT_OF_GAS : undefined;
  const [, , size = 0n] = frame.stack.peek(3);
  return rules.isActivatedEIP(3860) && size > INIT_CODE_MAX
    ? `max initcode size exceeded: code size ${size} limit ${INIT_CODE_MAX}`
    : undefined;
}
