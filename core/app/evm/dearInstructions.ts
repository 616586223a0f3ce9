import { type EVM, EVMError } from '@ethereumjs/evm';
import { isUnpriced } from './demands.ts';
import { opcodeOf, type RunState } from './opcodes.ts';

const SSTORE = 0x55;
const [CREATE, CREATE2, SELFDESTRUCT] = [0xf0, 0xf5, 0xff];
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
  ...[0xf1, 0xf2, 0xf4, 0xfa].map((call) => [call, 100n] as const),
]);

/** Whether what stands against it is found while its price is reckoned. */
export const isReckoned = (code: number): boolean => LEAST_GAS.has(code);

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
      const why = isKnown
        ? whyNot(code, frame, { had, cost, failure }, common.isActivatedEIP(3860))
        : undefined;
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
}

/** Undefined when it goes on, or only the whole price is too much. */
function whyNot(
  code: number,
  frame: RunState,
  { had, cost, failure }: Reckoned,
  isInitCodeBounded: boolean,
): string | undefined {
  if (failure?.error === STATIC_STATE_CHANGE) return 'write protection';
  const isUnpaid = failure !== undefined || cost > had;
  if (code === SSTORE) return had <= SENTRY_GAS ? 'not enough gas for reentrancy sentry' : undefined;
  if (code === SELFDESTRUCT) {
    // 5000, and 25,000 for a new account; to look at a cold one first costs the 2600 that leave a rest.
    const isCold = cost % 1000n !== 0n;
    return isUnpaid && isCold && had < 5000n + COLD_ACCOUNT_GAS ? OUT_OF_GAS : undefined;
  }
  if (isUnpriced(code, frame.stack.getStack())) return 'gas uint64 overflow';
  if (code !== CREATE && code !== CREATE2) return isUnpaid ? OUT_OF_GAS : undefined;
  const [, , size = 0n] = frame.stack.peek(3);
  return isInitCodeBounded && size > INIT_CODE_MAX
    ? `max initcode size exceeded: code size ${size} limit ${INIT_CODE_MAX}`
    : undefined;
}
