import { configDefaults, defineConfig } from 'vitest/config';
import { compiled } from './test/support/compiled.ts';
import { LongestFirst } from './test/support/longestFirst.ts';

/** Start programs, measure their process, or load a changed core again and again: each file has a process of its own. */
const PROCESSES = [
  'test/e2e/**/*.test.ts',
  'test/differential/**/*.test.ts',
  'test/sim/tools/breaks.test.ts',
];

export default defineConfig({
  plugins: [compiled],
  test: {
    // Processes, not threads: tests start real nodes and load native modules.
    pool: 'forks',
    maxWorkers: 2,
    // Guards against what hangs, not measures of speed: a busy machine takes ten times as long as a quiet one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    // A property that failed says its seed; nothing is retried.
    retry: 0,
    globalSetup: ['scripts/compile.mjs'],
    setupFiles: ['test/support/properties.ts'],
    sequence: { sequencer: LongestFirst },
    // Compiled or bundled already: nothing is left to transform.
    server: { deps: { external: [/\/dist\/(core|sim|adapters)\//, /\/\.cache\/breaks\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'machines',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...PROCESSES],
          // Files share a process, and so what it has loaded and compiled: loading took a third of the time.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'processes', include: PROCESSES, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
