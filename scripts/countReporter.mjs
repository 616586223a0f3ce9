import { writeFileSync } from 'node:fs';

/** Writes the counts of a run to the file that scripts/test.mjs names. */
export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed++;
        else if (state === 'failed') failedTests++;
        else counts.skipped++;
      }
      // A file or a suite that could not load its tests counts as one failure.
      counts.failed += failedTests === 0 && module.state() === 'failed' ? 1 : failedTests;
    }
    const file = process.env.ORRERY_TEST_COUNTS;
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
  }
}
