import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SweepOutcome, SweepTask } from './task.ts';

export interface PoolOptions {
  readonly jobs: number;
  /** A run that takes longer than this many wall-clock ms is terminated and counts as failed. */
  readonly runMsMax: number;
  /** The next run; undefined when none is left or the time is up. */
  next(): SweepTask | undefined;
  done(outcome: SweepOutcome, task: SweepTask): void;
  /** Terminates running runs; they are not reported. */
  readonly signal: AbortSignal;
}

/** Checker name for runs whose worker thread died: a bug of this program, not of the node. */
export const CRASHED = 'sweep_crash';
/** Checker name for runs that took too much real time. */
export const HUNG = 'sweep_hang';

/** Keeps `jobs` worker threads busy until no run is left. */
export const runPool = async (options: PoolOptions): Promise<void> => {
  await Promise.all(Array.from({ length: options.jobs }, () => keepBusy(options)));
};

async function keepBusy(options: PoolOptions): Promise<void> {
  let worker: Worker | undefined;
  const { signal } = options;
  const stop = (): void => void worker?.terminate();
  signal.addEventListener('abort', stop);
  try {
    for (let task = options.next(); task !== undefined && !signal.aborted; task = options.next()) {
      worker ??= startWorker();
      const outcome = await outcomeOf(worker, task, options.runMsMax);
      if (signal.aborted) return;
      // A thread that hung or failed is not reused: it may be in any state.
      if (outcome.digest === '') {
        await worker.terminate();
        worker = undefined;
      }
      options.done(outcome, task);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await worker?.terminate();
  }
}

/** Heap limit of a worker thread in MiB, far more than a run needs. A run that exceeds it fails alone. */
const HEAP_MIB = 4096;

const startWorker = (): Worker =>
  new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });

function outcomeOf(worker: Worker, task: SweepTask, runMsMax: number): Promise<SweepOutcome> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const finish = (outcome: SweepOutcome): void => {
      clearTimeout(timer);
      // Removes only our own listeners: Node's listeners keep the thread's port working.
      worker.off('message', finish);
      worker.off('error', onError);
      worker.off('exit', onExit);
      resolve(outcome);
    };
    const onError = (error: Error): void => broken(CRASHED, error.stack ?? error.message);
    const onExit = (code: number): void => broken(CRASHED, `the worker ended with code ${code}`);
    const broken = (checker: string, message: string): void =>
      finish({
        digest: '',
        failures: [{ checker, message, at: 0 }],
        names: [],
        virtualMicros: 0,
        events: 0,
        wallMs: Math.ceil(performance.now() - startedAt),
      });
    const timer = setTimeout(
      () => broken(HUNG, `the run took more than ${runMsMax / 1000} s of real time`),
      runMsMax,
    );
    worker.on('message', finish);
    worker.on('error', onError);
    worker.on('exit', onExit);
    worker.postMessage(task);
  });
}
