import { toEip55 } from '../../../core/address/eip55.ts';
import type { CallArgs, CallOptions } from '../../../core/app/chain.ts';
import type { EvmService } from '../../../core/app/evmService.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import type { Address } from '../../../core/types/ids.ts';
import type { TraceHooks } from '../../../core/types/trace.ts';
import { ConsoleLines, ConsoleLog } from './consoleLog.ts';

/**
 * Keeps the lines of the last run only: an estimate runs a call many times, the last time with the resulting or the
 * full gas.
 */
class LastRun implements TraceHooks {
  readonly #console: ConsoleLog;
  lines: ConsoleLines;

  constructor(console: ConsoleLog) {
    this.#console = console;
    this.lines = new ConsoleLines(console);
  }

  start(): void {
    this.lines = new ConsoleLines(this.#console);
  }

  called(to: Address, input: Bytes): void {
    this.lines.called(to, input);
  }
}

const ZERO_ADDRESS = new Uint8Array(20);

const headOf = (what: string, { from, to }: CallArgs): string =>
  `  ${what}  ${toEip55(from ?? ZERO_ADDRESS)} → ${to === undefined ? 'new contract' : toEip55(to)}`;

/** Wraps an EVM service: lines that calls and estimates log through hardhat's console go to `out`. */
export function tellingConsole(
  evm: EvmService,
  suite: Pick<CryptoSuite, 'keccak256'>,
  out: (line: string) => void,
): EvmService {
  const console = new ConsoleLog(suite);
  const heard = async <T>(
    what: string,
    args: CallArgs,
    options: CallOptions | undefined,
    run: (options: CallOptions | undefined) => Promise<T>,
  ): Promise<T> => {
    // The caller already traces this run and shows its result in another way.
    if (options?.trace !== undefined) return run(options);
    const trace = new LastRun(console);
    try {
      return await run({ ...options, trace });
    } finally {
      const lines = trace.lines.shown();
      for (const line of lines.length === 0 ? [] : [headOf(what, args), ...lines]) out(line);
    }
  };
  return {
    pending: (source) => evm.pending(source),
    simulate: (view, options) => evm.simulate(view, options),
    guard: () => evm.guard(),
    isPrecompile: (address) => evm.isPrecompile(address),
    replay: (height, watch, count) => evm.replay(height, watch, count),
    replayOne: (height, index, watch) => evm.replayOne(height, index, watch),
    stateWithin: (height, ethIndex) => evm.stateWithin(height, ethIndex),
    rootsWithin: (height) => evm.rootsWithin(height),
    runOn: (parent, source, watch) => evm.runOn(parent, source, watch),
    call: (view, args, options) => heard('call', args, options, (watched) => evm.call(view, args, watched)),
    estimateGas: (view, args, gasCap, options) =>
      heard('estimate', args, options, (watched) => evm.estimateGas(view, args, gasCap, watched)),
  };
}
