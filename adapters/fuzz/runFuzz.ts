import fc from 'fast-check';
import { OperatingError } from '../operatingError.ts';
import { keepCase, readCorpus } from './corpus.ts';
import { ETHEREUM_TARGETS } from './ethereum.ts';
import { MESSAGE_TARGETS } from './messages.ts';
import type { FuzzTarget } from './target.ts';
import { TEXT_TARGETS } from './texts.ts';
import { WS_TARGETS } from './ws.ts';

export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  ...TEXT_TARGETS,
  ...MESSAGE_TARGETS,
  ...ETHEREUM_TARGETS,
  ...WS_TARGETS,
];

export interface FuzzOptions {
  readonly seed: number | undefined;
  readonly runs: number;
  /** Stops after this many milliseconds, even if runs are left. */
  readonly timeMs: number | undefined;
  /** Position of the failing case in the run of this seed, as a failure report states it. */
  readonly path: string | undefined;
  /** Folder of earlier failing cases: they are tried first, and new ones are added. */
  readonly corpus?: string | undefined;
}

export type FuzzOutcome =
  | { readonly kind: 'passed'; readonly seed: number; readonly runs: number }
  | {
      readonly kind: 'failed';
      readonly seed: number;
      readonly path: string;
      readonly runs: number;
      /** The smallest input that still fails. */
      readonly input: string;
      readonly error: string;
      /** Why the case could not be added to the corpus. */
      readonly notKept: string | undefined;
    };

/**
 * Disables stack traces: refusals are frequent and only their message is used, but a stack costs more than the rest of
 * a case.
 */
async function withoutStacks<T>(work: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Runs one target. A failing case is shrunk. */
export async function runFuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzOutcome> {
  const { seed, runs, timeMs, path, corpus } = options;
  // With a path, no examples: they would shift the position of the generated case.
  const examples = corpus === undefined || path !== undefined ? [] : readCorpus(corpus, target.name);
  const details = await withoutStacks(async () =>
    fc.check(await target.property(), {
      numRuns: runs,
      examples: examples.map((values) => [...values]),
      ...(seed === undefined ? {} : { seed }),
      ...(path === undefined ? {} : { path, endOnFailure: true }),
      ...(timeMs === undefined ? {} : { interruptAfterTimeLimit: timeMs, markInterruptAsFailure: false }),
    }),
  ).catch((error: unknown) => {
    // fast-check throws a plain Error for this; errors of a target are in the details instead.
    if (path !== undefined && error instanceof Error && error.message.startsWith('Unable to replay'))
      throw new OperatingError(`--path: ${target.name} has no case ${path} with this seed`);
    throw error;
  });
  if (!details.failed) return { kind: 'passed', seed: details.seed, runs: details.numRuns };
  const { counterexample, counterexamplePath, errorInstance } = details;
  const notKept =
    corpus === undefined || counterexample === null
      ? undefined
      : problemOf(() => keepCase(corpus, target.name, counterexample));
  return {
    kind: 'failed',
    seed: details.seed,
    path: counterexamplePath ?? '',
    runs: details.numRuns,
    input: fc.stringify(counterexample),
    error: errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
    notKept,
  };
}

/** A disk error must not hide the failure that was found. */
function problemOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof OperatingError) return error.message;
    throw error;
  }
}
