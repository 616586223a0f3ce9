import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Failure } from '../../../sim/report.ts';
import { type Break, brokenBundle } from './broken.ts';

/** A thread keeps every bundle that it has loaded, about ten megabytes each. */
const BUNDLES_MAX = 25;

/** Runs broken cores in a thread of their own, and takes a new one before the old one has grown too large. */
export class BreakRunner {
  #worker: Worker | undefined;
  #loaded = 0;

  /** What is noticed first; undefined when nothing is. */
  async firstFailure(one: Break, text: string): Promise<Failure | undefined> {
    const outfile = await brokenBundle(one);
    if (this.#loaded === BUNDLES_MAX) await this.close();
    this.#loaded += 1;
    this.#worker ??= new Worker(new URL('./runnerThread.mjs', import.meta.url));
    const worker = this.#worker;
    try {
      return await new Promise((resolve, reject) => {
        worker.once('error', reject);
        worker.once('message', ({ failure, error }: { failure?: Failure; error?: string }) => {
          worker.off('error', reject);
          if (error === undefined) resolve(failure);
          else reject(new Error(error));
        });
        worker.postMessage({ outfile, text, seed: String(one.seed ?? 1) });
      });
    } catch (error) {
      // A thread that threw is gone.
      await this.close();
      throw error;
    } finally {
      rmSync(outfile, { force: true });
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
    this.#loaded = 0;
  }
}
